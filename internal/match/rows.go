package match

import (
	"math"
	"slices"

	"diptych/internal/pair"
)

// Rows answer how alike classes are at the rate of a view that asks about thousands of pairs a
// frame. A row is what one class of A shares with every class of B; it does not depend on τ, costs
// microseconds to make and two bytes a class of B to keep (four with more than 65,535 identities).
// The rows used last stay within a bound of memory. Rows belong to one goroutine.
type Rows struct {
	graph  *Graph
	seeker *row
	shared []uint32  // by class of B: a row being made
	made   []*counts // by class of A, nil where there is none
	ends   counts    // of the ring of rows made: newer is the oldest, older the newest
	n      int       // rows in it
	most   int       // rows that may be in it
	narrow bool      // two bytes are enough
}

// Row is what one class of A shares with those of B. It stays valid when Rows lets go of it.
type Row struct{ *counts }

// counts is a row and its place in the ring of rows by last use.
type counts struct {
	newer, older *counts
	class, size  uint32   // of A; size is |Γ|
	sizes        []uint32 // |Γ| by class of B
	narrow       []uint16 // |Γ∩Γ| by class of B, or nil and
	wide         []uint32
}

// NewRows returns rows that hold at most the given number of bytes, but at least one of them.
func NewRows(g *Graph, bytes int64) *Rows {
	a, b := g.Sides[pair.A], g.Sides[pair.B]
	r := &Rows{
		graph:  g,
		seeker: newRow(a, newColumns(b, len(g.Pair.Names))),
		shared: make([]uint32, len(b.Size)),
		made:   make([]*counts, len(a.Size)),
		narrow: len(g.Pair.Names) <= math.MaxUint16,
	}
	each := 4 * int64(len(b.Size))
	if r.narrow {
		each /= 2
	}
	const rest = 112 // counts itself
	r.most = int(min(max(bytes/(each+rest), 1), math.MaxInt32))
	r.ends.newer, r.ends.older = &r.ends, &r.ends
	return r
}

// Graph returns what the rows are of.
func (r *Rows) Graph() *Graph { return r.graph }

// Of returns the row of class a of A, from memory if it can.
func (r *Rows) Of(a uint32) Row {
	c := r.made[a]
	switch {
	case c == nil:
		c = r.make(a)
	case c == r.ends.older:
		return Row{c}
	default:
		c.leave()
	}
	c.enter(&r.ends)
	return Row{c}
}

// Want makes the rows of the given classes of A, as many as are kept, in the order that costs
// least.
func (r *Rows) Want(classes []uint32) {
	missing, have := make([]uint32, 0, len(classes)), 0
	for _, a := range classes {
		if r.made[a] == nil {
			missing = append(missing, a)
			continue
		}
		r.Of(a) // so that it is not what gives way
		have++
	}
	slices.Sort(missing)
	missing = slices.Compact(missing)
	for _, a := range missing[:min(len(missing), max(r.most-have, 0))] {
		r.Of(a)
	}
}

// make computes a row, for which the one that was used longest ago gives way if there are too many.
func (r *Rows) make(a uint32) *counts {
	if r.n == r.most {
		oldest := r.ends.newer
		oldest.leave()
		r.made[oldest.class] = nil
		r.n--
	}
	b := r.graph.Sides[pair.B]
	r.seeker.seek(int(a))
	r.seeker.common(r.shared)
	c := &counts{class: a, size: r.graph.Sides[pair.A].Size[a], sizes: b.Size}
	if r.narrow {
		c.narrow = make([]uint16, len(r.shared))
		for k, n := range r.shared {
			c.narrow[k] = uint16(n)
		}
	} else {
		c.wide = slices.Clone(r.shared)
	}
	r.made[a] = c
	r.n++
	return c
}

func (c *counts) leave() { c.newer.older, c.older.newer = c.older, c.newer }

// enter makes c the newest of the ring.
func (c *counts) enter(ends *counts) {
	c.newer, c.older = ends, ends.older
	c.older.newer, ends.older = c, c
}

// Common returns |Γ∩Γ| of the row's class and class b of B.
func (w Row) Common(b uint32) uint32 {
	if w.narrow != nil {
		return uint32(w.narrow[b])
	}
	return w.wide[b]
}

// Similarity returns s of the row's class and class b of B, from 0 to 1.
func (w Row) Similarity(b uint32) float64 {
	n := w.Common(b)
	return float64(n) / float64(w.size+w.sizes[b]-n)
}

// Exceeds reports whether s > τ for the row's class and class b of B.
func (w Row) Exceeds(t Tau, b uint32) bool { return t.Exceeded(w.Common(b), w.size, w.sizes[b]) }
