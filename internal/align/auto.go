package align

import (
	"context"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"diptych/internal/pair"
)

// The engine Auto: each distinct level once, in the cheapest way.
//
// A level is a pair of classes, so however often two functions are called with the same callees,
// their level is aligned once, and identical classes are not aligned at all. Which levels there
// are is found on the way down from the roots: an aligned level says which pairs of callees need
// aligning next. Several goroutines take pairs from one list. The result does not depend on their
// order.

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
	mu     sync.Mutex // also of work.below, while calls are placed
	solved map[uint64]solved
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
	if s.late.solved == nil {
		s.late.solved = map[uint64]solved{}
	}
	space := s.w.spaces.Get().(*workspace)
	defer s.w.spaces.Put(space)
	level, err = s.w.c.newLevel(x, y, s.w.o, space).solve(ctx, s.w.m)
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
			space := s.w.spaces.Get().(*workspace)
			defer s.w.spaces.Put(space)
			for {
				k, ok := s.takePair()
				if !ok {
					return nil
				}
				x, y := uint32(k>>32), uint32(k)
				lv := s.w.c.newLevel(x, y, s.w.o, space)
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
