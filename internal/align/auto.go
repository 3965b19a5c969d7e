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
// One level within the tie budget goes through these steps (solve). Each leaves a region in which
// there is a choice to the next, mostly a small one or none (region.go):
//
//  1. The penalty alone, in a band of diagonals that is widened until no better alignment can lie
//     outside. 2e+1 diagonals around the shortest way cost (m+n)·e, where m·n would be the matrix:
//     little if the sequences are alike.
//  2. The calls that pairs have in common.
//  3. Times are those of calls, not of classes. So what identical callees leave undecided is kept
//     as a pocket, and decided whenever two calls of these classes are placed (decide). Until then
//     a pocket is aligned without times, to find which pairs of callees need aligning next.
//
// A level beyond the tie budget is different (alignLarge). Callees at the front that are of one
// function are paired for certain and taken off; of the rest, what has at most 4,096 cells goes to
// the plain matrix, and anything larger to the bit-parallel kernel (sweep.go, trail.go).
//
// Memory is a byte a cell of the band, and of the pockets that are kept.

// solved is the alignment of a pair of classes.
type solved struct {
	runs        []run
	pockets     []filled // what times may decide otherwise, in order
	full, broad bool
	apart       bool // a different pair whose callees are not aligned
}

// pocketCells is the size up to which the options of a pocket are kept. Those of a larger one are
// found again when they are needed: calls with so many callees are few.
const pocketCells = 1 << 12

// memo holds the pairs of classes that are aligned, or wait for it.
type memo struct {
	w      *work
	mu     sync.Mutex
	wake   *sync.Cond
	solved map[uint64]solved // by classPair
	todo   []uint64
	busy   int // goroutines at work, which may still add to todo
	ended  bool

	late latecomers
}

// latecomers are pairs of classes that were not aligned beforehand, because only times pair these
// callees.
type latecomers struct {
	mu      sync.Mutex // also of work.below, while calls are placed
	solved  map[uint64]solved
	counter *counter
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
		solve := func(ctx context.Context, p *placer, a, b int32) ([]run, error) {
			x, y := p.class(pair.A, a), p.class(pair.B, b)
			if level, ok := s.solved[classPair(x, y)]; !ok || level.apart {
				s.addPair(x, y)
				if err := s.solveAll(ctx); err != nil {
					return nil, err
				}
			}
			level := s.solved[classPair(x, y)]
			return p.decide(ctx, a, b, &level)
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

// placeThreads fills in a result from levels that are aligned.
func (s *memo) placeThreads(ctx context.Context, r *Result) error {
	solve := func(ctx context.Context, p *placer, a, b int32) ([]run, error) {
		x, y := p.class(pair.A, a), p.class(pair.B, b)
		level, ok := s.solved[classPair(x, y)]
		if !ok {
			var err error
			if level, err = s.solveLate(ctx, x, y); err != nil {
				return nil, err
			}
		}
		return p.decide(ctx, a, b, &level)
	}
	return s.w.fillResult(ctx, r, solve, s.descends, true)
}

// descends reports whether the callees of a different pair are aligned.
func (s *memo) descends(x, y uint32) bool {
	if level, ok := s.solved[classPair(x, y)]; ok {
		return !level.apart
	}
	s.late.mu.Lock()
	defer s.late.mu.Unlock()
	return s.w.below.alike(x, y)
}

// solveLate returns the alignment of a pair of classes that was not aligned beforehand.
func (s *memo) solveLate(ctx context.Context, x, y uint32) (level solved, err error) {
	s.late.mu.Lock()
	defer s.late.mu.Unlock()
	k := classPair(x, y)
	level, ok := s.late.solved[k]
	if ok {
		return level, nil
	}
	if s.late.counter == nil {
		s.late.solved, s.late.counter = map[uint64]solved{}, s.w.tallies.newCounter()
	}
	level, err = s.w.c.newLevel(x, y, s.w.o, s.late.counter).solve(ctx, s.w.m)
	s.late.solved[k] = level
	return level, err
}

// addWanted adds a pair of classes to the list, unless it is known or there is nothing to align.
func (s *memo) addWanted(x, y uint32) {
	if x == y || len(s.w.c.callees(x)) == 0 || len(s.w.c.callees(y)) == 0 {
		return
	}
	switch _, ok := s.solved[classPair(x, y)]; {
	case ok:
	case s.w.c.fn[x] != s.w.c.fn[y] && !s.w.below.alike(x, y):
		s.solved[classPair(x, y)] = solved{apart: true}
	default:
		s.addPair(x, y)
	}
}

// addPair adds a pair of classes to the list.
func (s *memo) addPair(x, y uint32) {
	k := classPair(x, y)
	s.solved[k] = solved{}
	s.todo = append(s.todo, k)
}

func (s *memo) solveAll(ctx context.Context) error {
	work, ctx := errgroup.WithContext(ctx)
	for range runtime.GOMAXPROCS(0) {
		work.Go(func() error {
			counter := s.w.tallies.newCounter()
			for {
				k, ok := s.takePair()
				if !ok {
					return nil
				}
				x, y := uint32(k>>32), uint32(k)
				lv := s.w.c.newLevel(x, y, s.w.o, counter)
				level, err := lv.solve(ctx, s.w.m)
				s.putSolved(k, lv, level, err)
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
func (s *memo) putSolved(k uint64, lv *level, level solved, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.wake.Broadcast()
	s.busy--
	s.ended = s.ended || err != nil
	s.solved[k] = level
	for _, r := range level.runs {
		for d := range r.n {
			s.addWanted(lv.a[r.i+d], lv.b[r.j+d])
		}
	}
}

// fewCells is the size of a matrix up to which preparing a band or the kernel costs more than it
// saves.
const fewCells = 1 << 12

// solve aligns a level in the way that should be the cheapest.
func (lv *level) solve(ctx context.Context, m *progress.Meter) (s solved, err error) {
	s.full = lv.full
	if !lv.full {
		s.runs, err = lv.alignLarge(ctx, m)
		s.broad = lv.broad
		return s, err
	}
	f, err := lv.leastPenalty(ctx, m)
	if err != nil {
		return s, err
	}
	s.runs, err = f.refine(nil, func(runs []run, g region, _ []options) ([]run, error) {
		return lv.mostCommon(ctx, m, &s, runs, g)
	})
	return s, err
}

// auto aligns a level by all criteria.
func (lv *level) auto(ctx context.Context, m *progress.Meter) ([]run, error) {
	s, err := lv.solve(ctx, m)
	if err != nil {
		return nil, err
	}
	return lv.decide(ctx, m, &s)
}

// leastPenalty finds all alignments of the least penalty, in bands of diagonals that get wider
// until one is wide enough. An alignment that leaves a band of e further diagonals on each side has
// at least 2·e + 2 gaps more than the difference of the lengths demands, so it is worse than a
// penalty below theirs (Ukkonen 1985).
func (lv *level) leastPenalty(ctx context.Context, m *progress.Meter) (filled, error) {
	shift := len(lv.b) - len(lv.a)
	wide := max(shift, -shift)
	for e := 8; lv.cells() > fewCells; {
		from, to := min(0, shift)-e, max(0, shift)+e
		if 2*(to-from) >= len(lv.b) {
			break
		}
		f, err := lv.fill(ctx, m, lv.band(from, to), byPenalty)
		penalty := f.key >> lv.shift
		if err != nil || penalty < 2*int64(wide+2*e+2) {
			return f, err
		}
		enough := int(penalty/2-int64(wide)-2)/2 + 1
		if e *= 4; e >= enough/2 {
			e = enough
		}
	}
	return lv.fill(ctx, m, lv.whole(), byPenalty)
}

// mostCommon aligns a region by what pairs have in common, and appends the pairs. It notes the
// pockets that are left.
func (lv *level) mostCommon(ctx context.Context, m *progress.Meter, s *solved, runs []run,
	g region) ([]run, error) {
	f, err := lv.comparing(g).fill(ctx, m, g, byCommon)
	if err != nil {
		return nil, err
	}
	return f.refine(runs, func(runs []run, g region, o []options) ([]run, error) {
		pocket := filled{region: g, options: o}
		runs = lv.choose(runs, &pocket)
		if lv.holdsIdentical(&pocket) {
			if len(o) > pocketCells {
				pocket.options = nil
			}
			s.pockets = append(s.pockets, pocket)
		}
		return runs, nil
	})
}

// comparing returns the level with what callees of a region have in common.
func (lv *level) comparing(g region) *level {
	q, last := *lv, g.last()
	q.shares = lv.counter.shares(lv.a[g.i:last.i], lv.b[g.lo[0]:last.j])
	q.offset = [2]int{-g.i, -int(g.lo[0])}
	return &q
}

// holdsIdentical reports whether a best path of a region may pair identical callees.
func (lv *level) holdsIdentical(f *filled) bool {
	at := 0
	for r, lo := range f.lo {
		var row []options
		row, at = f.row(r, at)
		for k, o := range row {
			if o.has(pairUp) && lv.a[f.i+r] == lv.b[int(lo)+k] {
				return true
			}
		}
	}
	return false
}

// decide returns the alignment of two calls of the classes that were aligned, whose callees took
// the level's times.
func (lv *level) decide(ctx context.Context, m *progress.Meter, s *solved) (runs []run, err error) {
	if len(s.pockets) == 0 || !lv.timed() {
		return s.runs, nil
	}
	next := int32(0) // of A, not yet taken over
	for _, p := range s.pockets {
		runs = appendStretch(runs, s.runs, next, int32(p.i))
		if p.options == nil {
			if p, err = lv.comparing(p.region).fill(ctx, m, p.region, byCommon); err != nil {
				return nil, err
			}
		}
		runs = lv.choose(runs, &p)
		next = p.last().i
	}
	return appendStretch(runs, s.runs, next, int32(len(lv.a))), nil
}

// appendStretch appends the pairs of callees [from, to) of A.
func appendStretch(runs, list []run, from, to int32) []run {
	for _, r := range list {
		lo, hi := max(r.i, from), min(r.i+r.n, to)
		if lo < hi {
			runs = appendRun(runs, run{lo, r.j + lo - r.i, hi - lo})
		}
	}
	return runs
}

// alignLarge aligns a level whose ties go by the last two criteria. If the first callees of both
// sequences are of one function, some optimal alignment pairs them: had they other partners, these
// could be exchanged. It is also the one that pairs earliest. At the end of the sequences the last
// criterion may prefer other pairs, so no suffix is taken off:
//
//	A: x y x    B: x    pairs B's x with the first x of A, not with the last
func (lv *level) alignLarge(ctx context.Context, m *progress.Meter) (runs []run, err error) {
	n := 0
	for n < min(len(lv.fa), len(lv.fb)) && lv.fa[n] == lv.fb[n] {
		n++
	}
	if n > 0 {
		runs = append(runs, run{0, 0, int32(n)})
	}
	rest := lv.sublevel(n, len(lv.a), n, len(lv.b))
	switch {
	case rest.cells() == 0:
		return runs, nil
	case rest.cells() <= fewCells:
		m.Expect(rest.cells() / 64)
		return rest.needleman(ctx, m, runs, n, n)
	}
	runs, err = rest.bitParallel(ctx, m, runs, n, n)
	lv.broad = rest.broad
	return runs, err
}

// bitParallel is alignLarge without its shortcuts. It appends to runs, and counts callees from i0
// and j0.
func (lv *level) bitParallel(ctx context.Context, m *progress.Meter, runs []run, i0, j0 int) ([]run,
	error) {
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
