package match

import "slices"

// A row is how many identities one class of side X shares with every class of side Y. Where
// delta-ScanCount increments a counter for each class that holds a given identity, a row
// increments differences: the classes that contain identity f are those that add f to their base
// and all classes below them, and in pre-order these are intervals. So an identity costs two
// increments for each run of classes of Y that hold it. And only what a class of X adds to its own
// base is to be counted: walking X in pre-order, that is entered before the classes below it and
// left after them.
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

// cell is one class: the number of its calls, which fits a float64, and the sum of their starts. It
// is read for every pair compared.
type cell struct{ count, start float64 }

// amount is what the matches of a call or of calls add up to. Its size is a power of two, so that
// finding one in an array is a shift.
type amount struct{ weight, matches, start, _ float64 }

func (a *amount) add(s float64, c *cell) {
	a.weight += s * c.count
	a.matches += c.count
	a.start += c.start
}

// interval is the classes [from, to).
type interval struct{ from, to uint32 }

// newColumns gathers the holders of each identity. Neighbours that add the same one are joined.
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

// seek makes the row that of class k. From one class to the next in pre-order it costs least.
func (r *row) seek(k int) {
	for r.at != none && (k < int(r.at) || k >= int(r.x.End[r.at])) {
		r.apply(r.at, -1)
		r.at = r.x.Base[r.at]
	}
	for c := int32(k); c != r.at; c = r.x.Base[c] {
		r.apply(c, 1)
	}
	r.at = int32(k)
}

// apply enters or leaves what class c adds.
func (r *row) apply(c, by int32) {
	y := r.y
	for _, id := range r.x.added[r.x.from[c]:r.x.from[c+1]] {
		for _, h := range y.holders[y.first[id]:y.first[id+1]] {
			r.diff[h.from] += by
			r.diff[h.to] -= by
		}
	}
}

// common writes how many identities the row's class shares with each class of Y to dst, which has
// an element a class of Y.
func (r *row) common(dst []uint32) {
	common := int32(0)
	for k, d := range r.diff[:len(dst)] {
		common += d
		dst[k] = uint32(common)
	}
}
