package icicle

import (
	"math"
	"math/bits"
	"sort"

	"diptych/internal/geom"
	"diptych/internal/scene"
	"diptych/internal/trace"
)

// walk visits what is visible of a track in pre-order. It never looks into a run of narrow calls
// and never at a call left or right of the viewport, except for the ancestors of its left edge.
type walk struct {
	d     *Drawing
	l     *scene.Layer
	a     *Arena
	wide  float64 // ns from which on a call is drawn on its own
	shift uint    // a grid cell is 1<<shift ns
	from  int64   // the grid line left of which no run is visible
	left  float64 // calls that end before are not visible
	right float64 // nor those that start after

	th          *trace.Thread
	track       int
	first, last int // visible levels
	full        int // quads that may be drawn
}

// cellPx is the least width of a grid cell in px; it may be up to twice that.
const cellPx = 4

func newWalk(d *Drawing, l *scene.Layer, a *Arena) *walk {
	// Panning changes the last bits of the span's length, and they must not decide whether a call
	// is wide.
	px := float64(float32(d.Axis.NsPerPx()))
	w := &walk{d: d, l: l, a: a, wide: px * float64(d.Coarse), full: d.Budget}
	if cell := math.Ceil(w.wide * cellPx); cell < 1<<60 {
		w.shift = uint(bits.Len64(uint64(cell) - 1))
	} else {
		w.shift = 60
	}
	d.Threshold = w.wide
	t0, t1 := d.Axis.T(d.View.X0), d.Axis.T(d.View.X1)
	w.left, w.right = t0-w.wide, t1
	w.from = toNs(math.Floor(w.left)) >> w.shift << w.shift
	return w
}

// toNs converts to an integer time; what lies outside any trace is kept within bounds.
func toNs(t float64) int64 { return int64(min(max(t, -1<<61), 1<<61)) }

// cellEnd returns the first grid line after t.
func (w *walk) cellEnd(t int64) int64 { return (t>>w.shift + 1) << w.shift }

// drawTrack draws track k and reports whether the budget sufficed.
func (w *walk) drawTrack(k int) bool {
	d := w.d
	w.th, w.track = d.Trace.Threads[d.Threads[k]], k
	w.first, w.last = d.visibleLevels(k)
	if w.first >= w.last {
		return true
	}
	n := w.th.Len()
	for i := w.enter(); i < n; {
		if int(w.th.Depth(i)) < w.first {
			i = w.skipHidden(i)
		}
		if i == n || float64(w.th.Start(i)) > w.right {
			break
		}
		if len(w.a.items) > w.full {
			return false
		}
		if float64(w.th.Dur(i)) >= w.wide {
			i = w.call(i)
		} else {
			i = w.run(i)
		}
	}
	return true
}

// enter draws the calls that begin before the first grid line and are still visible, and returns
// the first index to go on from: nothing in a narrow call, since the box for it lies in an earlier
// cell.
func (w *walk) enter() int {
	th := w.th
	k := sort.Search(th.Len(), func(i int) bool { return th.Start(i) >= w.from })
	w.a.chain = w.a.chain[:0]
	for c := int32(k) - 1; c >= 0; c = th.Parent(int(c)) {
		w.a.chain = append(w.a.chain, c)
	}
	for j := len(w.a.chain) - 1; j >= 0; j-- {
		c := int(w.a.chain[j])
		if float64(th.Dur(c)) < w.wide {
			return max(k, th.Next(c))
		}
		if float64(th.End(c)) < w.left {
			return k
		}
		d := int(th.Depth(c))
		if d >= w.first && d < w.last {
			w.bar(c)
		}
		if d+1 >= w.last {
			return max(k, th.Next(c))
		}
	}
	return k
}

// call draws a wide call and returns the next index to visit.
func (w *walk) call(i int) int {
	th, d := w.th, int(w.th.Depth(i))
	next := th.Next(i)
	if float64(th.End(i)) < w.left || d >= w.last {
		return next
	}
	w.bar(i)
	if d+1 >= w.last {
		return next
	}
	return i + 1
}

// skipHidden goes from call i, which lies above the visible levels, straight to the next one to
// draw: the first that begins on the uppermost visible level, or a narrow one above it whose run
// reaches down there.
func (w *walk) skipHidden(i int) int {
	th := w.th
	n := th.Len()
	j := th.NextDeep(i, n, w.first)
	if j == n {
		return n
	}
	narrow := -1
	for p := int(th.Parent(j)); p >= 0 && float64(th.Dur(p)) < w.wide; p = int(th.Parent(p)) {
		narrow = p
	}
	if narrow < 0 {
		return j
	}
	return w.runWith(narrow, max(i, int(th.Parent(narrow))+1))
}

// runWith returns the start of the run that holds the narrow call i; no run that begins before from
// does.
func (w *walk) runWith(i, from int) int {
	th := w.th
	cell := w.cellEnd(th.Start(i)) - 1<<w.shift
	s := from + sort.Search(i-from, func(k int) bool { return th.Start(from+k) >= cell })
	s = siblingFrom(th, th.Parent(i), s)
	for {
		next := th.Next(s)
		if float64(th.Dur(s)) < w.wide {
			next = th.Next(w.runEnd(s))
		}
		if next > i {
			return s
		}
		s = next
	}
}

// run draws the narrow call i together with those that follow it, and returns the next index to
// visit.
func (w *walk) run(i int) int {
	th := w.th
	last := w.runEnd(i)
	next := th.Next(last)
	d := int(th.Depth(i))
	if d >= w.last {
		return next
	}
	r := w.d.spanRect(float64(th.Start(i)), float64(th.End(last)))
	if max(r.X1, r.X0+1) <= w.d.View.X0 {
		return next // its end is visible only in the pixel to the left
	}
	deepest := th.DeepestIn(i, next)
	if deepest < w.first {
		return next
	}
	w.box(i, next, r, max(d, w.first-1), min(deepest+1, w.last+1))
	return next
}

// hops is how many siblings of a run are looked at one by one; most runs are shorter.
const hops = 12

// runEnd returns the last sibling of the run that starts with the narrow call i: the run ends with
// the grid cell in which i begins, with its parent, and before a wide sibling or a wide gap.
func (w *walk) runEnd(i int) int {
	th := w.th
	limit, cell := th.Len(), w.cellEnd(th.Start(i))
	if p := th.Parent(i); p >= 0 {
		limit = th.Next(int(p))
	}
	for range hops {
		s := th.Next(i)
		if s >= limit || th.Start(s) >= cell || float64(th.Dur(s)) >= w.wide ||
			float64(th.Start(s)-th.End(i)) >= w.wide {
			return i
		}
		i = s
	}
	return w.farEnd(i, limit, cell)
}

// farEnd is runEnd from call i on by search: its cost does not depend on how many calls the run
// holds.
func (w *walk) farEnd(i, limit int, cell int64) int {
	th := w.th
	limit = th.FirstFrom(cell, i, limit)
	return lastSibling(th, i, th.NextWide(i+1, limit, w.wide))
}

// siblingFrom returns the first index at or after k that is a child of p; k lies in the subtree of
// one.
func siblingFrom(th *trace.Thread, p int32, k int) int {
	s := k
	for th.Parent(s) != p {
		s = int(th.Parent(s))
	}
	if s == k {
		return k
	}
	return th.Next(s)
}

// lastSibling returns the last sibling of call i that begins before next.
func lastSibling(th *trace.Thread, i, next int) int {
	s := next - 1
	for th.Parent(s) != th.Parent(i) {
		s = int(th.Parent(s))
	}
	return s
}

// x is Axis.X without rounding: of a call far longer than the viewport, shading needs both ends.
func (d *Drawing) x(t int64) float64 {
	return float64(d.Axis.X0) + (float64(t)-d.Axis.Span.Start)/d.Axis.NsPerPx()
}

// bar draws call i as a cushion, cut at the viewport's borders without changing its shading. Of
// thin strips it draws every n-th.
func (w *walk) bar(i int) {
	d, th := w.d, w.th
	x0, x1 := d.x(th.Start(i)), d.x(th.End(i))
	c0, c1 := max(x0, float64(d.View.X0)), min(x1, float64(d.View.X1))
	if c1 <= c0 {
		return
	}
	level := int(th.Depth(i))
	to, drawn := d.strip(level)
	if !drawn {
		return
	}
	q := scene.Quad{Shade: scene.Cushion}
	if d.CallFill != nil {
		q.Fill = d.CallFill(d.Threads[w.track], i)
	} else {
		q.Fill = d.Fill[th.Fn[i]]
	}
	if d.Dir == Up {
		q.Shade = scene.CushionUp
	}
	q.U0, q.U1 = float32((c0-x0)/(x1-x0)), float32((c1-x0)/(x1-x0))
	q.Rect.X0, q.Rect.X1 = float32(c0), float32(c1)
	q.Rect.Y0, q.Rect.Y1 = d.rows(w.track, level, to)
	emphasis := Normal
	if d.Emphasis != nil {
		emphasis = d.Emphasis(d.Threads[w.track], i, i+1)
		q.Fill = d.stress(q.Fill, emphasis)
	}
	if q.Rect.W() >= leastLabel*d.TextSize && d.TextSize > 0 {
		w.a.labels = append(w.a.labels, label{int32(len(w.a.items)), q.Rect.W(), emphasis == Pale})
	}
	w.l.Quads = append(w.l.Quads, q)
	w.a.items = append(w.a.items, item{int32(w.track), int32(i), int32(i + 1), false})
}

// box draws the run [i, next) over levels [from, to).
func (w *walk) box(i, next int, r geom.Rect, from, to int) {
	d := w.d
	fill := d.Palette.SubPixel
	if d.Detail == Lighter {
		fill = d.Fill[w.th.Fn[i]]
	}
	if d.RunFill != nil {
		fill = d.RunFill(d.Threads[w.track], i, next)
	}
	if d.Emphasis != nil {
		fill = d.stress(fill, d.Emphasis(d.Threads[w.track], i, next))
	}
	it := item{int32(w.track), int32(i), int32(next), true}
	if d.Detail == Boxes {
		r.Y0, r.Y1 = d.rows(w.track, from, to)
		w.l.Fill(r, fill)
		w.a.items = append(w.a.items, it)
		return
	}
	for level, end := from, 0; level < to; level = end {
		end, _ = d.strip(level)
		r.Y0, r.Y1 = d.rows(w.track, level, min(end, to))
		w.l.Fill(r, d.lighten(fill, level-int(w.th.Depth(i))))
		w.a.items = append(w.a.items, it)
	}
}
