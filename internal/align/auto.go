package align

import (
	"context"

	"diptych/internal/progress"
)

// fewCells is the size of a matrix below which the kernel's preparations cost more than keys.
const fewCells = 1 << 12

// auto aligns a level in the way that is predicted to be the cheapest.
func (lv *level) auto(ctx context.Context, m *progress.Meter) ([]run, error) {
	var runs []run
	n := lv.prefix()
	if n > 0 {
		runs = append(runs, run{0, 0, int32(n)})
	}
	rest := lv.part(n, len(lv.a), n, len(lv.b))
	switch {
	case len(rest.a) == 0 || len(rest.b) == 0:
		return runs, nil
	case rest.cells() <= fewCells:
		m.Expect(rest.cells() / 64)
		return rest.needleman(ctx, m, runs, n, n)
	case lv.full:
		return rest.banded(ctx, m, runs, n, n)
	}
	runs, err := rest.bitParallel(ctx, m, runs, n, n)
	lv.broad = rest.broad
	return runs, err
}

// prefix returns how many callees at the front are paired for certain. Where the first of both
// sequences are identical (equal, if ties ignore subtrees), pairing them is as good as any
// alignment by all criteria but the last, since their partners could be exchanged for one another,
// and it pairs earliest. At the end that last criterion may mean other pairs, so no suffix is cut.
func (lv *level) prefix() int {
	a, b := lv.a, lv.b
	if !lv.full {
		a, b = lv.fa, lv.fb
	}
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// bitParallel aligns a level for which the first criterion for ties does not apply.
func (lv *level) bitParallel(ctx context.Context, m *progress.Meter, runs []run, i0, j0 int) ([]run, error) {
	if len(lv.a) == 0 || len(lv.b) == 0 {
		return runs, nil
	}
	s := newSweeper(lv.fa, lv.fb)
	if _, err := s.score(ctx, m); err != nil {
		return nil, err
	}
	t := s.trail(m)
	if err := t.explore(ctx); err != nil {
		return nil, err
	}
	if err := t.count(ctx); err != nil {
		return nil, err
	}
	lv.broad = t.greedy
	return t.walk(runs, i0, j0), nil
}
