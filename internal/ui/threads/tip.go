package threads

import (
	"image"

	"gioui.org/layout"

	"diptych/internal/geom"
	"diptych/internal/scene/threads"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/ui/flags"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
	"diptych/internal/wait"
)

// tooltip explains what is under the pointer, beside what it explains. A correspondence has no side
// to stand at, since it crosses the pane: its tooltip stands at the corner of the pointer where it
// covers least of what the correspondence leads from and to.
func (p *half) tooltip(c *view.Context, gtx layout.Context, st *session.State) {
	if !p.inside || p.grip.moved || c.Quiet() {
		return
	}
	if f, ok := flags.At(p.flags, p.at); ok {
		c.Kit.TipBox(gtx, f.Lines(st), f.Box, p.at)
		return
	}
	w := st.WaitsOf(p.side)
	if w == nil {
		return
	}
	lines := p.explain(w, &p.hit)
	if lines == nil {
		return
	}
	if near := p.view.HitRect(p.hit); !near.Empty() {
		c.Kit.TipBox(gtx, lines, near, p.at)
		return
	}
	ends := p.ends()
	c.Kit.TipPlaced(gtx, lines, func(size image.Point) image.Point {
		return kit.Clearest(ends, p.at, size, gtx.Constraints.Max, gtx.Dp(14))
	})
}

// explain returns what there is to say of a hit.
func (p *half) explain(a *wait.Analysis, h *threads.Hit) []string {
	switch h.Part {
	case threads.OnCall:
		if h.Call >= 0 {
			return words.CallTip(a, h)
		}
	case threads.OnLabel:
		if h.Thread >= 0 {
			return words.LabelTip(a, h, p.threadsAt(h.Place))
		}
	case threads.OnRibbon, threads.OnRelease:
		if h.Wait >= 0 {
			return words.RibbonTip(a, h)
		}
	case threads.OnPath:
		return words.StretchTip(a, p.shown.Path, h.Segment, h.Segment == p.shown.Stretch)
	case threads.OnStates:
		n, focus, ok := p.view.StatesAt(h.At)
		return words.StatesTip(a, int64(h.At), n, focus, ok)
	case threads.OnCompound:
		if h.From < 0 {
			return []string{"waits of " + kit.Plural(len(p.threadsAt(h.Place)), "thread") + ", drawn together",
				"the last was released by " + words.CallerText(a, h.Release),
				"at " + words.TimeText(a, int64(h.At))}
		}
		return []string{kit.Plural(h.To-h.From, "call") + " too narrow to draw",
			"their waits were released by " + words.CallerText(a, h.Release),
			"the last at " + words.TimeText(a, int64(h.At))}
	}
	return nil
}

// threadsAt returns the threads of a place.
func (p *half) threadsAt(place int) []int {
	if s := p.pane.circle.arr.Sections[p.side]; place >= 0 && place < len(s) {
		return s[place].Threads
	}
	return nil
}

// ends returns the boxes of the calls that what is hit leads from and to, and of their labels.
func (p *half) ends() []geom.Rect {
	var boxes []geom.Rect
	for _, ref := range []trace.CallRef{p.hit.Ref(), p.hit.Release} {
		if ref.Thread < 0 {
			continue
		}
		if ref.Call >= 0 {
			if r, ok := p.view.CallRect(ref); ok {
				boxes = append(boxes, r)
			}
		}
		for k := range p.shown.Sections {
			if th := p.shown.Sections[k].Threads; len(th) > 0 && th[0] == int(ref.Thread) {
				boxes = append(boxes, p.view.HitRect(threads.Hit{Part: threads.OnLabel, Place: k}))
			}
		}
	}
	return boxes
}

// rangeMark shows the selected stretch of time over the thread in the middle, and how long it is.
func (p *half) rangeMark(c *view.Context, gtx layout.Context, st *session.State) {
	span, v := st.Range.On(p.side), p.view
	if !st.Range.OK || span.Len() <= 0 || v.Drawing == nil {
		return
	}
	x0, x1 := max(v.Axis.X(span.Start), v.Stacks.X0), min(v.Axis.X(span.End), v.Stacks.X1)
	if x1 <= x0 {
		return
	}
	r := image.Rect(int(x0), int(v.Stacks.Y0), int(x1), int(v.Stacks.Y1))
	text := geom.FormatValue(span.Len(), string(st.Sides[p.side].Trace.Unit))
	c.Kit.RangeMark(gtx, r, p.side, p.area.Dx(), text)
}
