package align

import (
	"context"
	"math/bits"

	"diptych/internal/progress"
)

// One level, and the plain engines that align it.
//
// A level is the callees of two calls that are paired, as two sequences. The plain engines follow
// the definition: Needleman and Wunsch's algorithm fills a matrix of all prefixes or suffixes of
// both, and Hirschberg's does the same in linear memory by halving. For m and n callees both take
// time m·n; Needleman and Wunsch's needs a byte a cell, Hirschberg's 20 bytes a column. The engine
// Auto uses them for small levels, and tests hold the fast kernel (kernel.go) against them.
//
// What makes one alignment better than another, the rule for ties included, is packed into one
// integer, the key, so that a cell costs three comparisons of numbers.

// level is the callees of two calls that are paired, as sequences to be aligned.
type level struct {
	a, b   []uint32 // classes
	fa, fb []uint32 // identities
	size   []uint32 // calls by class
	full   bool     // ties are decided by all criteria, identical subtrees first
	broad  bool     // the number of equal pairs did not decide either
	key    keys
}

// run is a stretch of an alignment in which callees i, i+1, … of A are paired with j, j+1, … of B.
// An alignment is a list of runs in order; callees in no run are gaps.
type run struct{ i, j, n int32 }

// newLevel returns the level of the callees of two classes.
func (t *classTable) newLevel(ca, cb uint32, o Options) *level {
	lv := &level{a: t.callees(ca), b: t.callees(cb), size: t.size}
	lv.fa, lv.fb = t.functions(lv.a), t.functions(lv.b)
	m, n := len(lv.a), len(lv.b)
	lv.full = int64(m)*int64(n) <= o.TieCells
	weight := min(t.size[ca], t.size[cb])
	if lv.full && !lv.key.fitFields(m, n, weight) {
		lv.full = false
	}
	if !lv.full {
		lv.key.fitFields(m, n, 0)
	}
	return lv
}

func (t *classTable) functions(list []uint32) []uint32 {
	fns := make([]uint32, len(list))
	for i, c := range list {
		fns[i] = t.fn[c]
	}
	return fns
}

// sublevel returns the level of a stretch of both sequences, under the same rule for ties.
func (lv *level) sublevel(i0, i1, j0, j1 int) *level {
	q := *lv
	q.a, q.fa = lv.a[i0:i1], lv.fa[i0:i1]
	q.b, q.fb = lv.b[j0:j1], lv.fb[j0:j1]
	return &q
}

// cells returns the size of the level's matrix.
func (lv *level) cells() int64 { return int64(len(lv.a)) * int64(len(lv.b)) }

// keys says how a key is packed. A key is what an alignment is judged by in one number, the
// smaller the better. From the highest bits to the lowest it holds the penalty, 3·different +
// 2·gaps; the calls in identical pairs; and the number of equal pairs. The last two are
// subtracted. Since the score is M + N − penalty, the least penalty is the highest score. For
// example, with weight = 4 and shift = 12,
//
//	1 gap, 4 equal pairs, 2 of which are identical subtrees of 10 and 3 calls:
//	2<<12 − 13<<4 − 4
type keys struct {
	gap, different int64
	weight         int // bits below the calls in identical pairs
	shift          int // bits below the penalty
}

// penalty returns the penalty in a key.
func (k *keys) penalty(key int64) int64 { return (key + 1<<k.shift - 1) >> k.shift }

// fitFields chooses the shifts so that no field of a key overflows into the next, and reports
// whether 62 bits are enough. The penalty is at most that of gaps only, and two keys are never
// added.
func (k *keys) fitFields(m, n int, weight uint32) bool {
	equal := bits.Len(uint(min(m, n)))
	shift := equal + bits.Len32(weight)
	if shift+bits.Len(uint(2*(m+n)+3)) > 62 {
		return false
	}
	k.gap, k.different, k.weight, k.shift = 2<<shift, 3<<shift, equal, shift
	return true
}

// pairKeys returns what it adds to a key to pair callee i of A with a callee of B of the same
// function, and with one that is an identical subtree.
func (lv *level) pairKeys(i int) (equal, identical int64) {
	equal = -1
	if !lv.full {
		return equal, equal
	}
	return equal, -1 - int64(lv.size[lv.a[i]])<<lv.key.weight
}

// appendRun appends a run to an alignment; it may continue the last one.
func appendRun(runs []run, r run) []run {
	if k := len(runs) - 1; k >= 0 && runs[k].i+runs[k].n == r.i && runs[k].j+runs[k].n == r.j {
		runs[k].n += r.n
		return runs
	}
	return append(runs, r)
}

// step is the first column of the best alignment from a cell on.
//
// A level's matrix is filled from the end: cell (i, j) is the best key of aligning A's callees
// from i on with B's from j on. Following the steps from the front then meets every choice between
// columns that are equally good, and the last criterion for ties is simply which of them is
// preferred: a pair, else a gap B, else a gap A. Filled from the front, the matrix would offer
// these choices in reverse.
type step uint8

const (
	pairUp step = iota
	onlyA       // gap B
	onlyB       // gap A
)

// cellsPerCheck is the number of cells between two looks at the context: a few milliseconds.
const cellsPerCheck = 1 << 20

// needleman aligns a level with Needleman and Wunsch's algorithm. It appends to runs, and counts
// callees from i0 and j0. It needs a byte a cell.
func (lv *level) needleman(ctx context.Context, m *progress.Meter, runs []run, i0, j0 int) ([]run,
	error) {
	rows, cols := len(lv.a), len(lv.b)
	steps := make([]step, rows*cols)
	below := lv.lastRow()
	row := make([]int64, cols+1)
	t := newTicker(m)
	for i := rows - 1; i >= 0; i-- {
		lv.fillRow(i, 0, cols, below, row, steps[i*cols:])
		below, row = row, below
		if err := t.Add(ctx, int64(cols)); err != nil {
			return nil, err
		}
	}
	return follow(steps, rows, cols, -rows, cols-rows, runs, i0, j0), t.Flush(ctx)
}

// lastRow returns the keys of aligning nothing of A.
func (lv *level) lastRow() []int64 {
	cols := len(lv.b)
	row := make([]int64, cols+1)
	for j := range row {
		row[j] = lv.key.gap * int64(cols-j)
	}
	return row
}

// fillRow fills columns lo to hi of row i from the row below, and the steps of all but the last.
func (lv *level) fillRow(i, lo, hi int, below, row []int64, steps []step) {
	cols := hi - lo
	gap, different := lv.key.gap, lv.key.different
	equal, identical := lv.pairKeys(i)
	ca, fa := lv.a[i], lv.fa[i]
	cb, fb := lv.b[lo:hi], lv.fb[lo:hi]
	below, row, steps = below[lo:hi+1], row[lo:hi+1], steps[:cols]
	right := below[cols] + gap
	row[cols] = right
	for j := cols - 1; j >= 0; j-- {
		pair := different
		if fb[j] == fa {
			pair = equal
			if cb[j] == ca {
				pair = identical
			}
		}
		best, how := pair+below[j+1], pairUp
		if x := gap + below[j]; x < best {
			best, how = x, onlyA
		}
		if x := gap + right; x < best {
			best, how = x, onlyB
		}
		right = best
		row[j], steps[j] = best, how
	}
}

// follow follows the steps from the front and appends the pairs, counted from (i0, j0). The steps
// are those of a band of the diagonals column − row of [from, to], to−from for each row from column
// max(row+from, 0) on; those of the full matrix have no column before 0.
func follow(steps []step, rows, cols, from, to int, runs []run, i0, j0 int) []run {
	for i, j := 0, 0; i < rows && j < cols; {
		switch steps[i*(to-from)+j-max(i+from, 0)] {
		case pairUp:
			runs = appendRun(runs, run{int32(i0 + i), int32(j0 + j), 1})
			i++
			j++
		case onlyA:
			i++
		case onlyB:
			j++
		}
	}
	return runs
}

// newTicker returns a counter of cells. A unit of progress is 64 cells.
func newTicker(m *progress.Meter) progress.Ticker {
	return progress.Ticker{Meter: m, Every: cellsPerCheck, Unit: 64}
}

// hirschberg aligns a level in linear memory (Hirschberg 1975), as Weber et al. do: it finds the
// column at which the alignment enters the middle row, and aligns both halves. Parts of no more
// than the given number of cells are aligned with the full matrix.
//
// The usual way adds the scores of both halves and takes the best column. But several columns may
// be optimal, and the rule for ties means one of them. So each cell of the upper half carries the
// column at which its own best alignment enters the middle row, and one sweep from the end gives
// both the score and the column.
func (lv *level) hirschberg(ctx context.Context, m *progress.Meter, cells int64) ([]run, error) {
	type part struct{ i0, i1, j0, j1 int }
	m.Expect(2 * lv.cells() / 64) // halves, quarters and so on double the first sweep
	var runs []run
	todo := []part{{0, len(lv.a), 0, len(lv.b)}}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if p.i0 == p.i1 || p.j0 == p.j1 {
			continue
		}
		q := lv.sublevel(p.i0, p.i1, p.j0, p.j1)
		var err error
		if p.i1-p.i0 == 1 || q.cells() <= cells {
			if runs, err = q.needleman(ctx, m, runs, p.i0, p.j0); err != nil {
				return nil, err
			}
			continue
		}
		mid := (p.i0 + p.i1) / 2
		at, err := q.enterMiddle(ctx, m, mid-p.i0)
		if err != nil {
			return nil, err
		}
		todo = append(todo, part{mid, p.i1, p.j0 + at, p.j1}, part{p.i0, mid, p.j0, p.j0 + at})
	}
	return runs, nil
}

// enterMiddle returns the column at which the alignment enters row mid.
func (lv *level) enterMiddle(ctx context.Context, m *progress.Meter, mid int) (int, error) {
	cols := len(lv.b)
	below, row := lv.lastRow(), make([]int64, cols+1)
	steps := make([]step, cols)
	enters := make([]int32, cols+1)
	for j := range enters {
		enters[j] = int32(j)
	}
	t := newTicker(m)
	for i := len(lv.a) - 1; i >= 0; i-- {
		lv.fillRow(i, 0, cols, below, row, steps)
		below, row = row, below
		if i < mid {
			carryEntries(enters, steps)
		}
		if err := t.Add(ctx, int64(cols)); err != nil {
			return 0, err
		}
	}
	return int(enters[0]), t.Flush(ctx)
}

// carryEntries takes the columns of entry from a row to the row above.
func carryEntries(enters []int32, steps []step) {
	diagonal := enters[len(steps)]
	for j := len(steps) - 1; j >= 0; j-- {
		below := enters[j]
		switch steps[j] {
		case pairUp:
			enters[j] = diagonal
		case onlyB:
			enters[j] = enters[j+1]
		}
		diagonal = below
	}
}
