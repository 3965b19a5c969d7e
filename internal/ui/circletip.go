package ui

import (
	"image"

	"gioui.org/layout"

	"diptych/internal/geom"
	"diptych/internal/scene/threads"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/ui/kit"
	"diptych/internal/wait"
	"diptych/internal/wait/table"
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
			return callTip(a, h)
		}
	case threads.OnLabel:
		if h.Thread >= 0 {
			return labelTip(a, h, p.threadsAt(app, h.Place))
		}
	case threads.OnRibbon, threads.OnRelease:
		if h.Wait >= 0 {
			return ribbonTip(a, h)
		}
	case threads.OnCompound:
		return []string{kit.Plural(h.To-h.From, "call") + " too narrow to draw",
			"their waits were released by " + callerText(a, h.Release),
			"the last at " + timeText(a, int64(h.At))}
	}
	return nil
}

// callTip is what the tooltip says of a call or of a run of narrow ones.
func callTip(a *wait.Analysis, h *threads.Hit) []string {
	th, fn := a.Trace.Threads[h.Thread], a.Trace.FunctionOf(a.Trace.Threads[h.Thread], h.Call)
	lines := []string{fn.Name, timeText(a, th.Dur(h.Call)) + " at " + timeText(a, th.Start[h.Call]) +
		"  ·  " + threadText(a, h.Thread), sharesText(a, h.Thread, h.Call)}
	ref := h.Ref()
	if w := a.Waits.Find(ref); w >= 0 {
		lines = append(lines, waitText(a, w), endText(a, w))
		if chain := chainText(a, w); chain != "" {
			lines = append(lines, chain)
		}
	} else {
		for _, b := range th.BlocksOf(h.Call) {
			lines = append(lines, blocking(a.Trace, b))
		}
		if a.Releases.Find(ref) >= 0 {
			lines = append(lines, releasedText(a, ref))
		}
	}
	if h.Aggregate && h.To-h.From > 1 {
		lines = append(lines, kit.Grouped(h.To-h.From)+" calls here are too narrow to draw; zoom in")
	}
	return lines
}

// sharesText tells what share of a call's time was spent waiting, and in input and output.
func sharesText(a *wait.Analysis, thread, call int) string {
	dur := float64(max(a.Trace.Threads[thread].Dur(call), 1))
	return "waiting " + kit.Percent(float64(a.Spent(thread, call, trace.Wait))/dur) +
		"  ·  I/O " + kit.Percent(float64(a.Spent(thread, call, trace.IO))/dur)
}

// telling is what share of a wait the releasing thread has to have waited itself for that to explain
// anything.
const telling = .01

// chainText tells what the releasing thread waited for meanwhile, if that explains the wait.
func chainText(a *wait.Analysis, w int) string {
	chain := a.Chain(w)
	if len(chain) < 2 {
		return ""
	}
	next := chain[1]
	if took := next.To - next.From; took <= 0 || float64(took) < telling*float64(a.Waits.Dur(w)) {
		return ""
	}
	text := "which itself waited " + timeText(a, next.To-next.From)
	if by := a.Waits.By[next.Wait]; by.Thread >= 0 {
		text += " for " + threadText(a, int(by.Thread))
	} else if o := table.ObjectName(a, a.Object(next.Wait)); o != "" {
		text += " for " + o
	}
	return text + " of that"
}

// ribbonTip is what the tooltip says of a correspondence.
func ribbonTip(a *wait.Analysis, h *threads.Hit) []string {
	ws := &a.Waits
	th, call := a.Trace.Threads[ws.Thread[h.Wait]], int(ws.Call[h.Wait])
	lines := []string{threadText(a, int(ws.Thread[h.Wait])) + " " + waitText(a, h.Wait),
		"in " + table.CalledIn(a, th, call) + " from " + timeText(a, ws.Start[h.Wait])}
	switch {
	case h.Release.Thread < 0 || h.Release == ws.By[h.Wait]:
		lines = append(lines, endText(a, h.Wait))
	default:
		lines = append(lines, "a release by "+callerText(a, h.Release)+" at "+timeText(a, int64(h.At)))
	}
	if chain := chainText(a, h.Wait); chain != "" {
		lines = append(lines, chain)
	}
	if n := ws.Count[h.Wait]; n > 1 {
		lines = append(lines, kit.Plural(int(n), "release")+" within the wait")
	}
	return lines
}

// mostNamed is how many threads of a section a tooltip names.
const mostNamed = 6

// labelTip is what the tooltip says of a thread, or of several that are folded into one section.
func labelTip(a *wait.Analysis, h *threads.Hit, list []int) []string {
	title := threadText(a, h.Thread)
	if len(list) > 1 {
		title = kit.Plural(len(list), "thread") + " like " + title
	}
	lines := []string{title, totalText(a, &a.Threads[h.Thread])}
	for k, by := range waitedFor(a, h.Thread) {
		if k == 3 {
			break
		}
		lines = append(lines, "waited "+timeText(a, by.WaitNs)+" in "+kit.Plural(int(by.Count), "wait")+
			" for "+threadText(a, int(by.Releaser)))
	}
	if len(list) > 1 {
		for k, t := range list {
			if k == mostNamed {
				lines = append(lines, "…")
				break
			}
			lines = append(lines, threadText(a, t))
		}
		return append(lines, "click: a section each  ·  double-click: hide")
	}
	return append(lines, "click: wider  ·  drag: swap or focus  ·  double-click: hide")
}

// threadsAt returns the threads of a place.
func (p *circlePane) threadsAt(a *App, place int) []int {
	if s := a.threads.circle.arr.Sections[p.side]; place >= 0 && place < len(s) {
		return s[place].Threads
	}
	return nil
}

// totalText tells what a thread's time went into.
func totalText(a *wait.Analysis, t *wait.ThreadTotal) string {
	whole := float64(max(t.EndNs-t.StartNs, 1))
	return "waiting " + kit.Percent(float64(t.WaitNs)/whole) + "  ·  I/O " +
		kit.Percent(float64(t.IONs)/whole) + "  ·  " + kit.Plural(int(t.Waits), "wait") + ", " +
		kit.Plural(int(t.Releases), "release")
}

// waitedFor lists for whom a thread waited, the longest first.
func waitedFor(a *wait.Analysis, thread int) []wait.PairTotal {
	var out []wait.PairTotal
	for _, p := range a.Pairs {
		if int(p.Waiter) == thread {
			out = append(out, p)
		}
	}
	return out
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
