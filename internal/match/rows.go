package match

import (
	"math"
	"slices"

	"diptych/internal/pair"
)

// A row is how many identities one class of side X shares with every class of side Y. It is found
// without comparing sets, like delta-ScanCount, and with differences instead of counters.
//
// In pre-order, the classes that contain an identity are few intervals: a class that adds it to its
// base, and all classes below. So a row counts an identity by +1 at an interval's first class and
// −1 after its last, and prefix sums give the numbers of shared identities. For example, if classes
// 2, 3 and 4 of Y contain f, counting f is diff[2]++ and diff[5]−−.
//
// From one class of X to the next, only what the classes add to their bases is counted: it is
// counted in before the classes below and counted out after them.
type row struct {
	x    *Classes
	y    *columns
	diff []int32 // common members are its prefix sums; one longer than the classes of Y
	at   int32   // the class of X whose row this is, or none
}

// columns is what rows need to know of Y.
type columns struct {
	*Classes
	cells   []cell     // by class
	first   []uint32   // by identity, and one more
	holders []interval // holders[first[id]:first[id+1]] are the classes that contain id, ascending
}

// cell is what is read of a class for every pair compared: the number of its calls, as a float64,
// and the sum of their start times.
type cell struct{ count, start float64 }

// amount is a sum over matches. Its size is a power of two, so that the address of one in an array
// is computed by a shift.
type amount struct{ weight, matches, start, _ float64 }

func (a *amount) addMatches(s float64, c *cell) {
	a.weight += s * c.count
	a.matches += c.count
	a.start += c.start
}

// interval is the classes [from, to).
type interval struct{ from, to uint32 }

// newColumns finds the classes that contain each identity. Adjacent intervals are joined.
func newColumns(y *Classes, identities int) *columns {
	first := make([]uint32, identities+1)
	for _, id := range y.added {
		first[id+1]++
	}
	for id := range identities {
		first[id+1] += first[id]
	}
	all, next := make([]interval, len(y.added)), slices.Clone(first)
	for k, end := range y.End {
		for _, id := range y.added[y.from[k]:y.from[k+1]] {
			n := next[id]
			if n > first[id] && all[n-1].to == uint32(k) {
				all[n-1].to = end
				continue
			}
			all[n] = interval{uint32(k), end}
			next[id]++
		}
	}
	c := &columns{Classes: y, cells: make([]cell, len(y.Base))}
	c.first = make([]uint32, 1, identities+1)
	for k := range c.cells {
		c.cells[k] = cell{float64(y.Count[k]), y.Start[k]}
	}
	for id := range identities {
		c.holders = append(c.holders, all[first[id]:next[id]]...)
		c.first = append(c.first, uint32(len(c.holders)))
	}
	return c
}

func newRow(x *Classes, y *columns) *row {
	return &row{x: x, y: y, diff: make([]int32, len(y.Base)+1), at: none}
}

// seekClass makes the row that of class k. It is cheapest from one class to the next in pre-order.
func (r *row) seekClass(k int) {
	for r.at != none && (k < int(r.at) || k >= int(r.x.End[r.at])) {
		r.applyAdded(r.at, -1)
		r.at = r.x.Base[r.at]
	}
	for c := int32(k); c != r.at; c = r.x.Base[c] {
		r.applyAdded(c, 1)
	}
	r.at = int32(k)
}

// applyAdded counts in (by = 1) or out (by = −1) the identities that class c adds to its base.
func (r *row) applyAdded(c, by int32) {
	y := r.y
	for _, id := range r.x.added[r.x.from[c]:r.x.from[c+1]] {
		for _, h := range y.holders[y.first[id]:y.first[id+1]] {
			r.diff[h.from] += by
			r.diff[h.to] -= by
		}
	}
}

// writeCommon writes to dst how many identities the row's class shares with each class of Y.
func (r *row) writeCommon(dst []uint32) {
	common := int32(0)
	for k, d := range r.diff[:len(dst)] {
		common += d
		dst[k] = uint32(common)
	}
}

// unchanged returns how many classes of Y from k on share as many identities as the one before k.
func (r *row) unchanged(k int) int {
	rest := r.diff[k:len(r.y.Size)]
	for len(rest) >= 8 {
		d := (*[8]int32)(rest)
		if d[0]|d[1]|d[2]|d[3]|d[4]|d[5]|d[6]|d[7] != 0 {
			break
		}
		rest = rest[8:]
	}
	for len(rest) > 0 && rest[0] == 0 {
		rest = rest[1:]
	}
	return len(r.y.Size) - len(rest) - k
}

// Rows answer how similar classes are, fast enough for a view that asks about thousands of pairs a
// frame. A row is what one class of A shares with every class of B. It does not depend on τ. Making
// one takes microseconds; keeping one takes two bytes a class of B (four with more than 65,535
// identities). Rows keep those that were used last, within a limit of memory. One goroutine at a
// time may use them.
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

// Row is what one class of A shares with those of B. It stays valid after Rows has dropped it.
type Row struct{ *counts }

// counts is a row and its place in the ring of rows by last use.
type counts struct {
	newer, older *counts
	class, size  uint32   // of A; size is |Γ|
	sizes        []uint32 // |Γ| by class of B
	narrow       []uint16 // |Γ∩Γ| by class of B; nil if wide is used
	wide         []uint32
}

// NewRows returns rows that take at most the given number of bytes, but keep at least one.
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

// Of returns the row of class a of A, and makes it if it is not kept.
func (r *Rows) Of(a uint32) Row {
	c := r.made[a]
	switch {
	case c == nil:
		c = r.makeRow(a)
	case c == r.ends.older:
		return Row{c}
	default:
		c.unlink()
	}
	c.linkNewest(&r.ends)
	return Row{c}
}

// Want makes the rows of the given classes of A, at most as many as are kept, in the cheapest
// order.
func (r *Rows) Want(classes []uint32) {
	missing, have := make([]uint32, 0, len(classes)), 0
	for _, a := range classes {
		if r.made[a] == nil {
			missing = append(missing, a)
			continue
		}
		r.Of(a) // so that it is not the one that is dropped
		have++
	}
	slices.Sort(missing)
	missing = slices.Compact(missing)
	for _, a := range missing[:min(len(missing), max(r.most-have, 0))] {
		r.Of(a)
	}
}

// makeRow computes a row. If too many are kept, it drops the one that was used longest ago.
func (r *Rows) makeRow(a uint32) *counts {
	if r.n == r.most {
		oldest := r.ends.newer
		oldest.unlink()
		r.made[oldest.class] = nil
		r.n--
	}
	b := r.graph.Sides[pair.B]
	r.seeker.seekClass(int(a))
	r.seeker.writeCommon(r.shared)
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

func (c *counts) unlink() { c.newer.older, c.older.newer = c.older, c.newer }

// linkNewest makes c the newest in the ring.
func (c *counts) linkNewest(ends *counts) {
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

// markMatched marks the classes of Y that the row's class matches, and reports whether there is
// one.
func (r *row) markMatched(tau Tau, matched []bool) (any bool) {
	size, common := r.x.Size[r.at], int32(0)
	for k, ySize := range r.y.Size {
		common += r.diff[k]
		if tau.Exceeded(uint32(common), size, ySize) {
			matched[k], any = true, true
		}
	}
	return any
}

// firstMatch returns the first class of Y that the row's class matches, or none. If among is not
// nil, only the classes for which it is true count.
func (r *row) firstMatch(tau Tau, among []bool) int32 {
	size, common := r.x.Size[r.at], int32(0)
	for k, ySize := range r.y.Size {
		common += r.diff[k]
		if tau.Exceeded(uint32(common), size, ySize) && (among == nil || among[k]) {
			return int32(k)
		}
	}
	return none
}

// matchedClasses yields the classes of Y that the row's class matches.
func (r *row) matchedClasses(least []uint32) func(yield func(y int) bool) {
	return func(yield func(y int) bool) {
		least, common := least[r.x.Size[r.at]:], int32(0)
		diff := r.diff[:len(r.y.Size)]
		for k, size := range r.y.Size {
			common += diff[k]
			if uint32(common) >= least[size] && !yield(k) {
				return
			}
		}
	}
}
