package align

import (
	"context"

	"diptych/internal/progress"
)

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
		lv.row(i, 0, cols, below, row, steps[i*cols:])
		below, row = row, below
		if err := t.Add(ctx, int64(cols)); err != nil {
			return nil, err
		}
	}
	return walk(steps, rows, cols, runs, i0, j0), t.Flush(ctx)
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
func (lv *level) row(i, lo, hi int, below, row []int64, steps []step) {
	cols := hi - lo
	gap, different := lv.key.gap, lv.key.different
	equal, identical := lv.pairs(i)
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
func walk(steps []step, rows, cols int, runs []run, i0, j0 int) []run {
	for i, j := 0, 0; i < rows && j < cols; {
		switch steps[i*cols+j] {
		case pairUp:
			runs = join(runs, run{int32(i0 + i), int32(j0 + j), 1})
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
