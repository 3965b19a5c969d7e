package matches

import (
	"slices"

	"diptych/internal/geom"
	"diptych/internal/match"
	"diptych/internal/scene"
	"diptych/internal/trace"
)

// Repeats are the repetitions of a side: runs of like siblings. The zero value is none.
type Repeats struct {
	Calls *match.Calls // what runs count their calls in
	// In yields the first and the last call of each run in a window, as match.Repeats does.
	In func(w match.Window, yield func(first, last int) bool)
}

// leastRepeat is the width in dp from which on a run is outlined.
const leastRepeat = 6

// repeats outlines the runs that are wide enough, each around all of its calls.
func (b *builder) repeats(k int, over *scene.Layer) {
	r, d := &b.st.Sides[k].Repeats, b.v.Sides[k].Drawing
	if r.Calls == nil || r.In == nil {
		return
	}
	w := match.Window{
		From: int64(d.Axis.Span.Start), To: int64(d.Axis.Span.End),
		Least: int64(leastRepeat * float64(b.dp) * d.Axis.NsPerPx()),
	}
	r.In(w, func(first, last int) bool {
		in, call := r.Calls.At(first)
		if thread := threadOf(d.Trace, r.Calls, in); thread >= 0 {
			b.outline(k, over, thread, call, call+last-first)
		}
		return true
	})
}

// threadOf returns the trace's index of thread k of a scope, or −1.
func threadOf(t *trace.Trace, calls *match.Calls, k int) int {
	if k < len(t.Threads) && t.Threads[k] == calls.Threads[k] {
		return k
	}
	return slices.Index(t.Threads, calls.Threads[k])
}

// outline marks the siblings from first to last where they are visible.
func (b *builder) outline(k int, over *scene.Layer, thread, first, last int) {
	d := b.v.Sides[k].Drawing
	from, ok := d.CallRect(trace.CallRef{Thread: int32(thread), Call: int32(first)})
	to, _ := d.CallRect(trace.CallRef{Thread: int32(thread), Call: int32(last)})
	r := geom.Rect{X0: max(from.X0, d.View.X0), Y0: from.Y0, X1: min(to.X1, d.View.X1), Y1: from.Y1}
	if ok && r.W() >= leastRepeat*b.dp && !r.Intersect(d.View).Empty() {
		over.Border(r, b.st.Palette.Far, b.dp)
	}
}
