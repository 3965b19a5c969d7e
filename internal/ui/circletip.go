package ui

import (
	"image"

	"gioui.org/layout"

	"diptych/internal/geom"
	"diptych/internal/scene/threads"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/words"
	"diptych/internal/wait"
)

// tooltip explains what is under the pointer, beside what it explains.
func (p *circlePane) tooltip(a *App, gtx layout.Context, st *session.State) {
	if !p.inside || p.grip.moved || a.overlay.page != noPage {
		return
	}
	w := st.WaitsOf(p.side)
	if w == nil {
		return
	}
	lines := p.explain(a, w, &p.hit)
	if lines == nil {
		return
	}
	if near := p.view.HitRect(p.hit); !near.Empty() {
		a.kit.TipBox(gtx, lines, near, p.at)
		return
	}
	ends := p.ends()
	a.kit.TipPlaced(gtx, lines, func(size image.Point) image.Point {
		return kit.Clearest(ends, p.at, size, gtx.Constraints.Max, gtx.Dp(14))
	})
}

// explain returns what there is to say of a hit.
func (p *circlePane) explain(app *App, a *wait.Analysis, h *threads.Hit) []string {
	switch h.Part {
	case threads.OnCall:
		if h.Call >= 0 {
			return words.CallTip(a, h)
		}
	case threads.OnLabel:
		if h.Thread >= 0 {
			return words.LabelTip(a, h, p.threadsAt(app, h.Place))
		}
	case threads.OnRibbon, threads.OnRelease:
		if h.Wait >= 0 {
			return words.RibbonTip(a, h)
		}
	case threads.OnCompound:
		return []string{kit.Plural(h.To-h.From, "call") + " too narrow to draw",
			"their waits were released by " + words.CallerText(a, h.Release),
			"the last at " + words.TimeText(a, int64(h.At))}
	}
	return nil
}

// threadsAt returns the threads of a place.
func (p *circlePane) threadsAt(a *App, place int) []int {
	if s := a.threads.circle.arr.Sections[p.side]; place >= 0 && place < len(s) {
		return s[place].Threads
	}
	return nil
}

// rangeMark shows the selected stretch of time over the focus thread, and how long it is.
func (p *circlePane) rangeMark(a *App, gtx layout.Context, st *session.State) {
	sel, v := st.Range, p.view
	if !sel.OK || sel.Side != p.side || v.Drawing == nil {
		return
	}
	x0, x1 := max(v.Axis.X(sel.Span.Start), v.Stacks.X0), min(v.Axis.X(sel.Span.End), v.Stacks.X1)
	if x1 <= x0 {
		return
	}
	r := image.Rect(int(x0), int(v.Stacks.Y0), int(x1), int(v.Stacks.Y1))
	kit.Fill(gtx, r, a.kit.Pal.Faint(int(p.side)))
	kit.StrokeRound(gtx, r, 0, a.kit.Px(1), a.kit.Pal.Side(int(p.side)))
	text := geom.FormatValue(sel.Span.Len(), string(st.Sides[sel.Side].Trace.Unit))
	a.kit.RangeLabel(gtx, r, p.side, p.area.Dx(), text)
}
