package align

import (
	"context"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"diptych/internal/pair"
)

// The fast engine aligns each pair of distinct classes once, wherever and however often it occurs,
// and identical classes not at all. Which pairs there are is found on the way down from the roots:
// an aligned level says which pairs of callees are to be aligned in turn. Several goroutines take
// pairs from one list; what a pair's alignment is does not depend on when it is found.

// solved is the alignment of a pair of classes.
type solved struct {
	runs        []run
	full, broad bool
}

// memo holds the pairs of classes that are aligned, or to be.
type memo struct {
	w     *work
	mu    sync.Mutex
	wake  *sync.Cond
	of    map[uint64]solved // by classPair
	todo  []uint64
	busy  int // goroutines that may yet add to todo
	ended bool
}

func classPair(x, y uint32) uint64 { return uint64(x)<<32 | uint64(y) }

// fast aligns all pairs of threads.
func (w *work) fast(ctx context.Context, use func(k int, r *Result) error) error {
	s := &memo{w: w, of: map[uint64]solved{}}
	s.wake = sync.NewCond(&s.mu)
	for _, tp := range w.pairs {
		a, b := w.index(tp, pair.A), w.index(tp, pair.B)
		if a >= 0 && b >= 0 && w.forced[tp] == nil {
			s.want(w.c.root[pair.A][a], w.c.root[pair.B][b])
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
			if err := s.place(inner, r); err != nil {
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
	return s.anchored(ctx, use)
}

// anchored aligns the pairs of threads with anchors. Their levels are other than those of classes
// as far as forced pairs reach; what is below is found out when it is met.
func (s *memo) anchored(ctx context.Context, use func(k int, r *Result) error) error {
	for k, tp := range s.w.pairs {
		if s.w.forced[tp] == nil {
			continue
		}
		r := s.w.result(tp)
		solve := func(ctx context.Context, x, y uint32) ([]run, error) {
			if s.want(x, y); len(s.todo) > 0 {
				if err := s.solveAll(ctx); err != nil {
					return nil, err
				}
			}
			level := s.of[classPair(x, y)]
			r.Ties.add(level.full, level.broad)
			return level.runs, nil
		}
		if err := s.w.place(ctx, r, solve, s.w.below.alike, true); err != nil {
			return err
		}
		if err := use(k, r); err != nil {
			return err
		}
	}
	return nil
}

// place fills in a result from what is known by now.
func (s *memo) place(ctx context.Context, r *Result) error {
	known := func(_ context.Context, x, y uint32) ([]run, error) {
		level := s.of[classPair(x, y)]
		r.Ties.add(level.full, level.broad)
		return level.runs, nil
	}
	descend := func(x, y uint32) bool { _, ok := s.of[classPair(x, y)]; return ok }
	return s.w.place(ctx, r, known, descend, true)
}

// want adds a pair to the list unless it is known or there is nothing to align.
func (s *memo) want(x, y uint32) {
	if x == y || len(s.w.c.callees(x)) == 0 || len(s.w.c.callees(y)) == 0 {
		return
	}
	k := classPair(x, y)
	if _, ok := s.of[k]; !ok {
		s.of[k] = solved{}
		s.todo = append(s.todo, k)
	}
}

func (s *memo) solveAll(ctx context.Context) error {
	work, ctx := errgroup.WithContext(ctx)
	for range runtime.GOMAXPROCS(0) {
		work.Go(func() error {
			for {
				k, ok := s.take()
				if !ok {
					return nil
				}
				x, y := uint32(k>>32), uint32(k)
				lv := s.w.c.newLevel(x, y, s.w.o)
				runs, err := lv.auto(ctx, s.w.m)
				s.put(k, lv, runs, err)
				if err != nil {
					return err
				}
			}
		})
	}
	return work.Wait()
}

// take returns a pair to align, or false when there are no more.
func (s *memo) take() (uint64, bool) {
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

// put notes the alignment of a pair and wants the pairs of callees that it pairs.
func (s *memo) put(k uint64, lv *level, runs []run, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.wake.Broadcast()
	s.busy--
	s.ended = s.ended || err != nil
	s.of[k] = solved{runs, lv.full, lv.broad}
	for _, r := range runs {
		for d := range r.n {
			x, y := lv.a[r.i+d], lv.b[r.j+d]
			if x != y && (lv.fa[r.i+d] == lv.fb[r.j+d] || s.w.below.alike(x, y)) {
				s.want(x, y)
			}
		}
	}
}
