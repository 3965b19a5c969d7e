package match

import "slices"

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
	holders []interval // classes that contain an identity, ascending
	of      []interval // by identity: those of holders
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
	for k := range c.cells {
		c.cells[k] = cell{float64(y.Count[k]), y.Start[k]}
	}
	c.of = make([]interval, identities)
	for id := range c.of {
		from := uint32(len(c.holders))
		c.holders = append(c.holders, all[first[id]:next[id]]...)
		c.of[id] = interval{from, uint32(len(c.holders))}
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
		of := y.of[id]
		for _, h := range y.holders[of.from:of.to] {
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
