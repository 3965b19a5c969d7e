package align

import (
	"context"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"diptych/internal/pair"
	"diptych/internal/progress"
)

// The engine Auto: each distinct level once, in the cheapest way.
//
// A level is a pair of classes, so however often two functions are called with the same callees,
// their level is aligned once, and identical classes are not aligned at all. Which levels there
// are is found on the way down from the roots: an aligned level says which pairs of callees need
// aligning next. Several goroutines take pairs from one list. The result does not depend on their
// order.
//
// One level goes through these steps (level.auto):
//
//  1. Callees at the front that are identical are paired for certain, and taken off.
//  2. What is left of at most 4,096 cells goes to the plain matrix (level.go).
//  3. A level within the tie budget is computed by keys, in a band of diagonals that is widened
//     until no better alignment can lie outside (banded).
//  4. A larger one goes to the bit-parallel kernel (sweep.go, trail.go), which ignores identical
//     subtrees and is about sixteen times faster a cell.
//
// A band of 2e+1 diagonals around the shortest way costs (m+n)·e, where m·n would be the matrix:
// little if the sequences are alike. Memory is a byte a cell of the band for step 3.

// solved is the alignment of a pair of classes.
type solved struct {
	runs        []run
	full, broad bool
}

// memo holds the pairs of classes that are aligned, or wait for it.
type memo struct {
	w      *work
	mu     sync.Mutex
	wake   *sync.Cond
	solved map[uint64]solved // by classPair
	todo   []uint64
	busy   int // goroutines at work, which may still add to todo
	ended  bool
}

func classPair(x, y uint32) uint64 { return uint64(x)<<32 | uint64(y) }

// alignFast aligns all pairs of threads.
func (w *work) alignFast(ctx context.Context, use func(k int, r *Result) error) error {
	s := &memo{w: w, solved: map[uint64]solved{}}
	s.wake = sync.NewCond(&s.mu)
	for _, tp := range w.pairs {
		a, b := w.index(tp, pair.A), w.index(tp, pair.B)
		if a >= 0 && b >= 0 && w.forced[tp] == nil {
			s.addWanted(w.c.root[pair.A][a], w.c.root[pair.B][b])
		}
	}
	if err := s.solveAll(ctx); err != nil {
		return err
	}
	var using sync.Mutex
	work, inner := errgroup.WithContext(ctx)
	work.SetLimit(runtime.GOMAXPROCS(0))
	for k, tp := range w.pairs {
		if w.forced[tp] != nil {
			continue
		}
		work.Go(func() error {
			r := w.result(tp)
			if err := s.placeThreads(inner, r); err != nil {
				return err
			}
			using.Lock()
			defer using.Unlock()
			return use(k, r)
		})
	}
	if err := work.Wait(); err != nil {
		return err
	}
	return s.alignAnchored(ctx, use)
}

// alignAnchored aligns the pairs of threads that have anchors. Levels with forced pairs are no
// pairs of classes; which levels lie below them is found only when these are placed.
func (s *memo) alignAnchored(ctx context.Context, use func(k int, r *Result) error) error {
	for k, tp := range s.w.pairs {
		if s.w.forced[tp] == nil {
			continue
		}
		r := s.w.result(tp)
		solve := func(ctx context.Context, x, y uint32) ([]run, error) {
			if s.addWanted(x, y); len(s.todo) > 0 {
				if err := s.solveAll(ctx); err != nil {
					return nil, err
				}
			}
			level := s.solved[classPair(x, y)]
			r.Ties.addLevel(level.full, level.broad)
			return level.runs, nil
		}
		if err := s.w.fillResult(ctx, r, solve, s.w.below.alike, true); err != nil {
			return err
		}
		if err := use(k, r); err != nil {
			return err
		}
	}
	return nil
}

// placeThreads fills in a result from levels that are all aligned.
func (s *memo) placeThreads(ctx context.Context, r *Result) error {
	known := func(_ context.Context, x, y uint32) ([]run, error) {
		level := s.solved[classPair(x, y)]
		r.Ties.addLevel(level.full, level.broad)
		return level.runs, nil
	}
	descend := func(x, y uint32) bool { _, ok := s.solved[classPair(x, y)]; return ok }
	return s.w.fillResult(ctx, r, known, descend, true)
}

// addWanted adds a pair of classes to the list, unless it is known or there is nothing to align.
func (s *memo) addWanted(x, y uint32) {
	if x == y || len(s.w.c.callees(x)) == 0 || len(s.w.c.callees(y)) == 0 {
		return
	}
	k := classPair(x, y)
	if _, ok := s.solved[k]; !ok {
		s.solved[k] = solved{}
		s.todo = append(s.todo, k)
	}
}

func (s *memo) solveAll(ctx context.Context) error {
	work, ctx := errgroup.WithContext(ctx)
	for range runtime.GOMAXPROCS(0) {
		work.Go(func() error {
			for {
				k, ok := s.takePair()
				if !ok {
					return nil
				}
				x, y := uint32(k>>32), uint32(k)
				lv := s.w.c.newLevel(x, y, s.w.o)
				runs, err := lv.auto(ctx, s.w.m)
				s.putSolved(k, lv, runs, err)
				if err != nil {
					return err
				}
			}
		})
	}
	return work.Wait()
}

// takePair returns a pair to align, or false when there are none left.
func (s *memo) takePair() (uint64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.todo) == 0 && s.busy > 0 && !s.ended {
		s.wake.Wait()
	}
	if len(s.todo) == 0 || s.ended {
		return 0, false
	}
	k := s.todo[len(s.todo)-1]
	s.todo = s.todo[:len(s.todo)-1]
	s.busy++
	return k, true
}

// putSolved notes the alignment of a pair, and adds the pairs of callees that are to be aligned
// next.
func (s *memo) putSolved(k uint64, lv *level, runs []run, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.wake.Broadcast()
	s.busy--
	s.ended = s.ended || err != nil
	s.solved[k] = solved{runs, lv.full, lv.broad}
	for _, r := range runs {
		for d := range r.n {
			x, y := lv.a[r.i+d], lv.b[r.j+d]
			if x != y && (lv.fa[r.i+d] == lv.fb[r.j+d] || s.w.below.alike(x, y)) {
				s.addWanted(x, y)
			}
		}
	}
}

// fewCells is the size of a matrix up to which preparing a band or the kernel costs more than it
// saves.
const fewCells = 1 << 12

// auto aligns a level in the way that should be the cheapest.
func (lv *level) auto(ctx context.Context, m *progress.Meter) ([]run, error) {
	var runs []run
	n := lv.prefix()
	if n > 0 {
		runs = append(runs, run{0, 0, int32(n)})
	}
	rest := lv.sublevel(n, len(lv.a), n, len(lv.b))
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

// prefix returns how many callees at the front are paired for certain. If the first callees of
// both sequences are identical (of one function, where ties ignore subtrees), some optimal
// alignment pairs them: had they other partners, these could be exchanged. It is also the one that
// pairs earliest. At the end of the sequences the last criterion may prefer other pairs, so no
// suffix is taken off:
//
//	A: x y x    B: x    pairs B's x with the first x of A, not with the last
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

// bitParallel aligns a level whose ties ignore identical subtrees.
func (lv *level) bitParallel(ctx context.Context, m *progress.Meter, runs []run, i0, j0 int) ([]run,
	error) {
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
	if err := t.countEqual(ctx); err != nil {
		return nil, err
	}
	lv.broad = t.greedy
	return t.follow(runs, i0, j0), nil
}

// beyond is a key that is worse than that of any alignment.
const beyond = int64(1) << 62

// banded aligns a level by keys, in bands of diagonals that get wider until one is wide enough. An
// alignment that leaves a band of e further diagonals on each side has at least 2·e + 2 gaps more
// than the difference of the lengths demands, so it is worse than a penalty below theirs (Ukkonen
// 1985).
func (lv *level) banded(ctx context.Context, m *progress.Meter, runs []run, i0, j0 int) ([]run,
	error) {
	rows, cols := len(lv.a), len(lv.b)
	shift := cols - rows
	wide := max(shift, -shift)
	for e := 8; ; {
		from, to := min(0, shift)-e, max(0, shift)+e
		if 2*(to-from) >= cols {
			m.Expect(lv.cells() / 64)
			return lv.needleman(ctx, m, runs, i0, j0)
		}
		steps, penalty, err := lv.fillBand(ctx, m, from, to)
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

// fillBand computes the diagonals column − row of [from, to]. It returns the steps, to−from for
// each row, and the penalty.
func (lv *level) fillBand(ctx context.Context, m *progress.Meter, from, to int) ([]step, int64,
	error) {
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
		lv.fillRow(i, lo, hi, below, row, steps[i*width:])
		below, row = row, below
		if err := t.Add(ctx, int64(hi-lo)); err != nil {
			return nil, 0, err
		}
	}
	return steps, lv.key.penalty(below[0]), t.Flush(ctx)
}
