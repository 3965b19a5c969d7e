package align

import (
	"context"

	"diptych/internal/progress"
)

// beyond is a key worse than any alignment's.
const beyond = int64(1) << 62

// banded aligns a level in full matrices of ever wider bands of diagonals, by keys. See sweeper for
// why a band suffices.
func (lv *level) banded(ctx context.Context, m *progress.Meter, runs []run, i0, j0 int) ([]run, error) {
	rows, cols := len(lv.a), len(lv.b)
	shift := cols - rows
	wide := max(shift, -shift)
	for e := 8; ; {
		from, to := min(0, shift)-e, max(0, shift)+e
		if 2*(to-from) >= cols {
			m.Expect(lv.cells() / 64)
			return lv.needleman(ctx, m, runs, i0, j0)
		}
		steps, penalty, err := lv.fill(ctx, m, from, to)
		if err != nil {
			return nil, err
		}
		if penalty < 2*int64(wide+2*e+2) {
			return follow(steps, rows, cols, from, to, runs, i0, j0), nil
		}
		enough := int(penalty/2-int64(wide)-2)/2 + 1
		if e *= 4; e >= enough/2 {
			e = enough
		}
	}
}

// fill computes the diagonals column − row of [from, to], and returns the steps, to−from to a row,
// and the penalty.
func (lv *level) fill(ctx context.Context, m *progress.Meter, from, to int) ([]step, int64, error) {
	rows, cols, width := len(lv.a), len(lv.b), to-from
	steps := make([]step, rows*width)
	below, row := lv.lastRow(), make([]int64, cols+1)
	t := newTicker(m)
	m.Expect(int64(rows*width) / 64)
	for i := rows - 1; i >= 0; i-- {
		lo, hi := max(i+from, 0), min(i+to, cols)
		if i+1+from > 0 { // the row below began one column further
			below[lo] = beyond
		}
		lv.row(i, lo, hi, below, row, steps[i*width:])
		below, row = row, below
		if err := t.Add(ctx, int64(hi-lo)); err != nil {
			return nil, 0, err
		}
	}
	return steps, lv.key.penalty(below[0]), t.Flush(ctx)
}

// follow is walk for the steps of a band.
func follow(steps []step, rows, cols, from, to int, runs []run, i0, j0 int) []run {
	for i, j := 0, 0; i < rows && j < cols; {
		switch steps[i*(to-from)+j-max(i+from, 0)] {
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
