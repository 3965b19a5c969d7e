package icicle

import (
	"slices"

	"diptych/internal/geom"
	"diptych/internal/scene"
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

// Shapes calls yield for every quad drawn of a call or run, as it was drawn, until it returns false:
// a run has one for each level that it has a box for.
func (d *Drawing) Shapes(yield func(Cell, *scene.Quad) bool) {
	for k, it := range d.items {
		q := &d.quads[k]
		c := Cell{int(it.track), d.Threads[it.track], int(it.from), int(it.to), it.run, q.Rect}
		if it.from >= 0 && !yield(c, q) {
			return
		}
	}
}

// MaxCells is an upper bound of how many cells there are.
func (d *Drawing) MaxCells() int { return len(d.items) }

// TrackOf returns the track that a thread is, or −1.
func (d *Drawing) TrackOf(thread int) int { return slices.Index(d.Threads, thread) }
