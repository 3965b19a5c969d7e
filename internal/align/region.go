package align

import (
	"context"
	"slices"
	"sync/atomic"

	"diptych/internal/progress"
)

// A region is the part of a level's matrix in which the alignments lie that are still in the
// running. Cell (i, j) stands for all that is left when i callees of A and j of B are placed, so an
// alignment is a path of cells from the region's first to its last: a pair goes to (i+1, j+1), a
// gap B to (i+1, j), a gap A to (i, j+1).
//
// fill finds all paths of the least penalty through a region, and fillByCommon those of them whose
// pairs have most calls in common. The best paths by a criterion all lie between two of them: the
// one that goes along A as early as it can, and the one that goes along B as early as it can. For
// two paths cannot pass each other without meeting, and where another path meets one of these two,
// it has no way past it. So where the two agree there is no choice left, and each stretch between
// two cells at which they part and meet again is a smaller region of its own, for the next
// criterion:
//
//	A: x f g g y    B: x f g y    both pair x, f and y; the region left is "g g" against "g"
//
// What is left by the last criterion that classes decide is a pocket.

// region is rows i, i+1, … of a level's matrix, each from column lo to column hi. Neither falls
// from one row to the next. The first cell is (i, lo[0]).
type region struct {
	i      int
	lo, hi []int32
}

// whole returns the region of the whole matrix.
func (lv *level) whole() region {
	rows := len(lv.a) + 1
	return region{lo: make([]int32, rows), hi: slices.Repeat([]int32{int32(len(lv.b))}, rows)}
}

// band returns the region of the diagonals column − row of [from, to].
func (lv *level) band(from, to int) region {
	g := lv.whole()
	for i := range g.lo {
		g.lo[i], g.hi[i] = int32(max(i+from, 0)), int32(min(i+to, len(lv.b)))
	}
	return g
}

// last returns the last cell.
func (g *region) last() cell {
	r := len(g.lo) - 1
	return cell{int32(g.i + r), g.hi[r]}
}

// cells returns the number of cells.
func (g *region) cells() (n int) {
	for r, lo := range g.lo {
		n += int(g.hi[r]-lo) + 1
	}
	return n
}

// cell is a cell of a level's matrix.
type cell struct{ i, j int32 }

func (c cell) after(s step) cell {
	switch s {
	case pairUp:
		return cell{c.i + 1, c.j + 1}
	case onlyA:
		return cell{c.i + 1, c.j}
	}
	return cell{c.i, c.j + 1}
}

// criterion is what a region is filled by.
type criterion uint8

const (
	byPenalty criterion = iota
	byCommon            // calls in common, among alignments of the least penalty
	criteria
)

// beyond is a key that is worse than that of any alignment.
const beyond = int64(1) << 62

// options are the steps that are best from a cell on, a bit for each.
type options uint8

func (o options) has(s step) bool { return o>>s&1 != 0 }

// filled is a region with what is best from each of its cells on.
type filled struct {
	region
	options []options // row by row
	key     int64     // of the best alignments
}

// workspace is the memory in which one goroutine aligns levels, one after the other.
type workspace struct {
	counter
	shares
	filled    [criteria]filled
	few       few
	keys      [3][]int64 // two rows of the matrix, and those of pairs
	ranks     [2][]rank
	steps     []step
	rowStarts []int
	room      *atomic.Int64 // for options of pockets, of all workspaces together
	choices   *workspace    // for levels of which some callees are numbered (numberChoices), or nil

	recent []recentLevel // by hash; a later one takes the place of an earlier one

	// Of the level that is being aligned.
	level, rest level
	// The same, by side.
	fns     [2][]uint32
	calls   [2][]int32 // callees; without classes
	took    [2][]int64
	runs    []run
	unknown []uint32 // classes that are not known
	reached [2]reached
}

func newWorkspace(s *tallies, room *atomic.Int64, recent int) *workspace {
	w := &workspace{counter: s.newCounter(), room: room, recent: make([]recentLevel, recent)}
	w.shares.counter = &w.counter
	return w
}

// forChoices returns a workspace whose classes are those of one level alone. There are none yet.
func (w *workspace) forChoices() *workspace {
	if w.choices == nil {
		w.choices = newWorkspace(newTallies(newClassTable(w.t.off)), w.room, 1)
	}
	w.choices.t.reset()
	return w.choices
}

// fitClasses makes room for what is known of each class once all have their numbers.
func (w *workspace) fitClasses() {
	n := len(w.t.fn)
	w.tallies = newTallies(w.t)
	w.counter.calls, w.number = zeroed(w.counter.calls, n), zeroed(w.number, n)
}

// zeroed returns a slice of n zeros, in the memory of s if it is enough.
func zeroed[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// fill finds the steps of the least penalty from each cell of a region. The result holds until the
// next region is filled.
func (lv *level) fill(ctx context.Context, m *progress.Meter, g region) (*filled, error) {
	f, n := &lv.space.filled[byPenalty], g.cells()
	f.region, f.options = g, zeroed(f.options, n)
	m.Expect(int64(n) / 64)
	rows, cols, t := len(g.lo)-1, int(g.last().j), newTicker(m)
	keys := &lv.space.keys
	for k := range keys {
		keys[k] = zeroed(keys[k], cols+2)
	}
	below, row := keys[0], keys[1]
	pairs := pairKeys{level: lv, keys: keys[2], row: noRowYet}
	for r := rows; r >= 0; r-- {
		lo, hi := int(g.lo[r]), int(g.hi[r])
		if n -= hi - lo + 1; r == rows {
			lv.fillLast(row[lo:hi+1], f.options[n:])
		} else {
			below[g.hi[r+1]+1] = beyond
			for j := lo; j < int(g.lo[r+1]); j++ {
				below[j] = beyond
			}
			pairs.fill(g.i+r, lo, min(hi+1, cols))
			fillKeys(below[lo:hi+2], row[lo:hi+1], pairs.keys[lo:hi+1], f.options[n:], lv.gapKey())
		}
		below, row = row, below
		if err := t.Add(ctx, int64(hi-lo)); err != nil {
			return nil, err
		}
	}
	f.key = below[g.lo[0]]
	return f, t.Flush(ctx)
}

// fillLast fills the row in which nothing of A is left, so that there are only gaps A.
func (lv *level) fillLast(row []int64, out []options) {
	n := len(row) - 1
	for j := range row {
		row[j], out[j] = lv.gapKey()*int64(n-j), 1<<onlyB
	}
	out[n] = 0
}

// fillKeys fills a row of keys and options, given the row below with one more cell to the right,
// and the keys of pairs.
func fillKeys(below, row, pairs []int64, out []options, gap int64) {
	below, pairs, out = below[:len(row)+1], pairs[:len(row)], out[:len(row)]
	right := beyond
	for j := len(row) - 1; j >= 0; j-- {
		up, down, across := pairs[j]+below[j+1], below[j]+gap, right+gap
		right, out[j] = best(up, down, across)
		row[j] = right
	}
}

// best returns the least of the keys that steps lead to, and which steps do.
func best(up, down, across int64) (key int64, o options) {
	key = min(up, down, across)
	if up == key {
		o = 1 << pairUp
	}
	if down == key {
		o |= 1 << onlyA
	}
	if across == key {
		o |= 1 << onlyB
	}
	return key, o
}

// pairKeys are the keys of pairing a callee of A with those of B. Rows of one function have the
// same.
type pairKeys struct {
	*level
	keys   []int64 // by callee of B; the last stands for none
	row    int     // whose keys these are
	lo, hi int     // as far as they are known
}

const noRowYet = -1

// fill makes keys lo to hi those of callee i.
func (p *pairKeys) fill(i, lo, hi int) {
	to := hi
	if p.row != noRowYet && p.fa[i] == p.fa[p.row] && hi <= p.hi && lo <= p.lo {
		to = p.lo
	}
	if p.row = i; to == hi {
		p.hi = hi
	}
	p.lo = lo
	fa, different := p.fa[i], p.differentKey()
	for j := lo; j < to; j++ {
		if p.keys[j] = different; p.fb[j] == fa {
			p.keys[j] = 0
		}
	}
}

// refine takes what is forced from the best paths of a region, as runs, and hands the regions in
// which there is a choice to open, all in order.
func (f *filled) refine(runs []run, open func(runs []run, w *walker, g region) ([]run, error)) (
	[]run, error) {
	w := walker{filled: f, starts: f.startRows(nil)}
	at, end := cell{int32(f.i), f.lo[0]}, f.last()
	for at != end {
		o := w.at(at)
		alongA, alongB := alongAFirst[o], alongBFirst[o]
		if alongA != alongB {
			g := w.part(at)
			var err error
			if runs, err = open(runs, &w, g); err != nil {
				return nil, err
			}
			at = g.last()
			continue
		}
		if alongA == pairUp {
			runs = appendRun(runs, run{at.i, at.j, 1})
		}
		at = at.after(alongA)
	}
	return runs, nil
}

// The step that each set of options means, by preference.
var (
	alongAFirst = preferring(onlyA, pairUp, onlyB)
	alongBFirst = preferring(onlyB, pairUp, onlyA)
	pairFirst   = preferring(pairUp, onlyA, onlyB)
)

func preferring(order ...step) (steps [8]step) {
	for o := range steps {
		for _, s := range slices.Backward(order) {
			if options(o).has(s) {
				steps[o] = s
			}
		}
	}
	return steps
}

// walker follows paths through a region.
type walker struct {
	*filled
	starts []int // of rows in options
}

// startRows appends to starts where each row begins in options.
func (f *filled) startRows(starts []int) []int {
	at := 0
	for r, lo := range f.lo {
		starts = append(starts, at)
		at += int(f.hi[r]-lo) + 1
	}
	return starts
}

func (w *walker) at(c cell) options {
	r := int(c.i) - w.i
	return w.options[w.starts[r]+int(c.j-w.lo[r])]
}

// part returns the region from a cell, at which the two outermost paths part, to where they meet.
func (w *walker) part(from cell) region {
	var g region
	w.partInto(&g, from)
	return g
}

// partInto is part in the memory of another region.
func (w *walker) partInto(g *region, from cell) {
	g.i, g.lo, g.hi = int(from.i), append(g.lo[:0], from.j), g.hi[:0]
	a, b := from, from
	for a == from || a != b {
		if a == from || a.i+a.j < b.i+b.j {
			next := a.after(alongAFirst[w.at(a)])
			if next.i > a.i {
				g.lo = append(g.lo, next.j)
			}
			a = next
			continue
		}
		next := b.after(alongBFirst[w.at(b)])
		if next.i > b.i {
			g.hi = append(g.hi, b.j)
		}
		b = next
	}
	g.hi = append(g.hi, b.j)
}

// within returns the options of a region in this one.
func (w *walker) within(g region) []options {
	out := make([]options, 0, g.cells())
	for r, lo := range g.lo {
		out = append(out, w.stretch(g.i+r, int(lo), int(g.hi[r]))...)
	}
	return out
}

// stretch returns the options of row i from column lo to column hi.
func (w *walker) stretch(i, lo, hi int) []options {
	at := w.starts[i-w.i] + lo - int(w.lo[i-w.i])
	return w.options[at : at+hi-lo+1]
}
