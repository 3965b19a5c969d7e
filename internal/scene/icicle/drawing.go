package icicle

import (
	"slices"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/trace"
)

// Cell is a call or a run of narrow calls as it was drawn.
type Cell struct {
	Track    int // index into Plot.Threads
	Thread   int // index into Trace.Threads
	From, To int // the calls it stands for; To is From+1 for a call alone
	Run      bool
	Rect     geom.Rect // as drawn, within the viewport and at least a pixel wide
}

// Cells calls yield for every call and run drawn, tracks one after the other and in pre-order
// within each, until it returns false. Where a run has a box for each level, its cell is the
// uppermost box.
func (d *Drawing) Cells(yield func(Cell) bool) {
	last := item{from: -1}
	for k, it := range d.items {
		if it.from < 0 || it == last {
			continue
		}
		last = it
		r := d.quads[k].Rect
		r.X1 = max(r.X1, r.X0+1)
		r = r.Intersect(d.View)
		if r.Empty() {
			continue
		}
		c := Cell{int(it.track), d.Threads[it.track], int(it.from), int(it.to), it.run, r}
		if !yield(c) {
			return
		}
	}
}

// Shapes calls yield for every quad drawn of a call or run, as it was drawn, until it returns
// false: a run has one for each level that it has a box for.
func (d *Drawing) Shapes(yield func(Cell, *scene.Quad) bool) {
	for k, it := range d.items {
		q := &d.quads[k]
		c := Cell{int(it.track), d.Threads[it.track], int(it.from), int(it.to), it.run, q.Rect}
		if it.from >= 0 && !yield(c, q) {
			return
		}
	}
}

// TrackOf returns the track that a thread is, or −1.
func (d *Drawing) TrackOf(thread int) int { return slices.Index(d.Threads, thread) }

// Pick is what lies under a point.
type Pick struct {
	Thread int // index into Trace.Threads
	Call   int // the call under the point; −1 over a track's header
	// From and To are the calls that the shape stands for: more than Call alone if Aggregate.
	Aggregate bool
	From, To  int
	Rect      geom.Rect // the shape as drawn
}

// Ref returns the picked call.
func (p Pick) Ref() trace.CallRef {
	return trace.CallRef{Thread: int32(p.Thread), Call: int32(p.Call)}
}

// Pick returns what is drawn at p. It goes through the drawn quads themselves, which do not
// overlap; where none is at p, one that is narrower than a pixel, and so drawn wider than it is,
// may be.
func (d *Drawing) Pick(p geom.Point) (Pick, bool) {
	if !d.View.Contains(p) {
		return Pick{}, false
	}
	exact, near := -1, -1
	for k := range d.quads {
		r := d.quads[k].Rect
		if p.Y < r.Y0 || p.Y >= r.Y1 || p.X < r.X0 || p.X >= max(r.X1, r.X0+1) {
			continue
		}
		near = k
		if p.X < r.X1 || p.X == r.X0 {
			if exact < 0 || r.W() < d.quads[exact].Rect.W() {
				exact = k
			}
		}
	}
	switch {
	case exact >= 0:
		return d.picked(exact, p), true
	case near >= 0:
		return d.picked(near, p), true
	}
	return Pick{}, false
}

func (d *Drawing) picked(k int, p geom.Point) Pick {
	it := d.items[k]
	out := Pick{
		Thread: d.Threads[it.track], Call: int(it.from),
		Aggregate: it.run, From: int(it.from), To: int(it.to), Rect: d.quads[k].Rect,
	}
	if it.run {
		out.Call = d.inRun(it, p)
	}
	return out
}

// inRun returns the call of a run under p: on the level p is at, or the deepest above it, and
// nearest in time.
func (d *Drawing) inRun(it item, p geom.Point) int {
	th := d.Trace.Threads[d.Threads[it.track]]
	level := int(d.levelAt(d.offset(p.Y) - d.offsets[it.track] - d.Header))
	at := toNs(d.Axis.T(p.X))
	from, to := int(it.from), int(it.to)
	i := max(th.FirstFrom(at+1, from, to)-1, from)
	for i > from && int(th.Depth(i)) > max(level, int(th.Depth(from))) {
		i = int(th.Parent(i))
	}
	return i
}

// Mark is why a call is outlined.
type Mark uint8

const (
	Hovered Mark = iota
	Selected
)

// leastOutline is how wide the outline of a call is that is itself too narrow to see, px.
const leastOutline = 5

// lowRow is the height, in widths of the border, below which two borders would cover a row's label.
const lowRow = 8

// Outline marks a call with a border w px wide if it is in the viewport. A selected one stands off
// its surroundings by a second border in the pane's colour, or in a low row by a border that lies
// half outside, so that the label can be read.
func (d *Drawing) Outline(l *scene.Layer, ref trace.CallRef, w float32, m Mark) {
	r, ok := d.CallRect(ref)
	if !ok || r.X1 <= d.View.X0 || r.X0 >= d.View.X1 || r.Y1 <= d.View.Y0 || r.Y0 >= d.View.Y1 {
		return
	}
	if r.W() < leastOutline {
		mid := (r.X0 + r.X1) / 2
		r.X0, r.X1 = mid-leastOutline/2, mid+leastOutline/2
	}
	if m == Hovered {
		l.Border(r, d.Palette.Hover, w)
		return
	}
	if r.H() < lowRow*w {
		l.Border(r.Inset(-w/2), d.Palette.Selection, w)
		return
	}
	l.Border(r.Inset(w), palette.WithAlpha(d.Palette.Pane, 0xc0), w)
	l.Border(r, d.Palette.Selection, w)
}
