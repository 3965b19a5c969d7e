package align

import (
	"context"

	"diptych/internal/progress"
)

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
		q := lv.part(p.i0, p.i1, p.j0, p.j1)
		var err error
		if p.i1-p.i0 == 1 || q.cells() <= cells {
			if runs, err = q.needleman(ctx, m, runs, p.i0, p.j0); err != nil {
				return nil, err
			}
			continue
		}
		mid := (p.i0 + p.i1) / 2
		at, err := q.split(ctx, m, mid-p.i0)
		if err != nil {
			return nil, err
		}
		todo = append(todo, part{mid, p.i1, p.j0 + at, p.j1}, part{p.i0, mid, p.j0, p.j0 + at})
	}
	return runs, nil
}

// split returns the column at which the alignment enters row mid.
func (lv *level) split(ctx context.Context, m *progress.Meter, mid int) (int, error) {
	cols := len(lv.b)
	below, row := lv.lastRow(), make([]int64, cols+1)
	steps := make([]step, cols)
	enters := make([]int32, cols+1)
	for j := range enters {
		enters[j] = int32(j)
	}
	t := newTicker(m)
	for i := len(lv.a) - 1; i >= 0; i-- {
		lv.row(i, 0, cols, below, row, steps)
		below, row = row, below
		if i < mid {
			carry(enters, steps)
		}
		if err := t.Add(ctx, int64(cols)); err != nil {
			return 0, err
		}
	}
	return int(enters[0]), t.Flush(ctx)
}

// carry takes the columns of entry from a row to the one above.
func carry(enters []int32, steps []step) {
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
