package align

import (
	"context"
	"math/bits"

	"diptych/internal/progress"
)

// level is one pair of child sequences to align, callees of two calls that are paired.
type level struct {
	a, b   []uint32 // classes
	fa, fb []uint32 // identities
	size   []uint32 // calls by class
	full   bool     // the first criterion for ties applies
	broad  bool     // not even the second was applied
	key    keys
}

// run is a stretch of an alignment in which callees i, i+1, … of A are paired with j, j+1, … of B.
// An alignment is a list of runs in order; what is in none is a gap.
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

// part returns the level of a stretch of both sequences, under the same rule for ties.
func (lv *level) stretch(i0, i1, j0, j1 int) *level {
	q := *lv
	q.a, q.fa = lv.a[i0:i1], lv.fa[i0:i1]
	q.b, q.fb = lv.b[j0:j1], lv.fb[j0:j1]
	return &q
}

// cells returns the size of the level's matrix.
func (lv *level) cells() int64 { return int64(len(lv.a)) * int64(len(lv.b)) }

// keys packs what an alignment is judged by into one number, the smaller the better: its penalty
// 3·different + 2·gaps, which falls as the score rises (score = M+N − penalty), then the calls in
// identical pairs, then the number of equal pairs.
type keys struct {
	gap, different int64
	weight         int // shift of the calls in identical pairs
	shift          int // of the penalty
}

// penalty returns the penalty in a key.
func (k *keys) penalty(key int64) int64 { return (key + 1<<k.shift - 1) >> k.shift }

// fit chooses shifts such that no field runs into the next, and reports whether there is room. The
// penalty is at most that of gaps only; a sum of two keys is never formed.
func (k *keys) fitFields(m, n int, weight uint32) bool {
	equal := bits.Len(uint(min(m, n)))
	shift := equal + bits.Len32(weight)
	if shift+bits.Len(uint(2*(m+n)+3)) > 62 {
		return false
	}
	k.gap, k.different, k.weight, k.shift = 2<<shift, 3<<shift, equal, shift
	return true
}

// pairs returns what pairing callee i of A with one of B costs where the function is the same, and
// where the subtree is.
func (lv *level) pairKeys(i int) (equal, identical int64) {
	equal = -1
	if !lv.full {
		return equal, equal
	}
	return equal, -1 - int64(lv.size[lv.a[i]])<<lv.key.weight
}

// join appends a pair or a run to an alignment.
func appendRun(runs []run, r run) []run {
	if k := len(runs) - 1; k >= 0 && runs[k].i+runs[k].n == r.i && runs[k].j+runs[k].n == r.j {
		runs[k].n += r.n
		return runs
	}
	return append(runs, r)
}

// A level's matrix is filled from the end: cell (i, j) is the best key of aligning A's callees from
// i on with B's from j on. Walking from the front then meets, at every column of the alignment, all
// ways that stay optimal, and the first of pair, gap B, gap A is the last criterion for ties: the
// alignment that pairs earliest is the first in lexicographic order of its columns.
type step uint8

const (
	pairUp step = iota
	onlyA       // gap B
	onlyB       // gap A
)

// cellsPerCheck is how many cells pass between two looks at the context: a few milliseconds.
const cellsPerCheck = 1 << 20

// needleman aligns a level with Needleman and Wunsch's algorithm. It keeps one byte a cell.
func (lv *level) needleman(ctx context.Context, m *progress.Meter, runs []run, i0, j0 int) ([]run, error) {
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
	return followMatrix(steps, rows, cols, runs, i0, j0), t.Flush(ctx)
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

// row fills columns lo to hi of row i from the row below, and says how each but the last came
// about.
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

// walk follows the steps from the front and appends what they pair, counted from (i0, j0).
func followMatrix(steps []step, rows, cols int, runs []run, i0, j0 int) []run {
	for i, j := 0, 0; i < rows && j < cols; {
		switch steps[i*cols+j] {
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

// newTicker counts cells; a unit of progress is 64 of them.
func newTicker(m *progress.Meter) progress.Ticker {
	return progress.Ticker{Meter: m, Every: cellsPerCheck, Unit: 64}
}

// hirschberg aligns a level in linear memory (Hirschberg 1975), as the paper does: it finds where
// the alignment enters the middle row, and aligns both halves. Stretches of at most cells cells go
// to the full matrix.
//
// The columns of the middle row are optimal at several places, of which the rule for ties means
// one. So a cell of the upper half carries the column at which its alignment, chosen by the rule,
// enters the middle row, and one sweep from the end both scores and splits.
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
		q := lv.stretch(p.i0, p.i1, p.j0, p.j1)
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

// split returns the column at which the alignment enters row mid.
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

// carry takes the columns of entry from a row to the one above.
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
