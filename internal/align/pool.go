package align

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"diptych/internal/progress"
)

// How the engine Auto divides placing among the processors.
//
// As many goroutines as there are processors each take a pair of threads. When there are none left,
// and even where there is only one pair, those without work wait for the others, which then give
// away half of their stacks: the half with the outermost calls, which have the most below them.

// pool is the goroutines of one run and what they have to do.
type pool struct {
	w     *work
	use   func(k int, r *Result) error
	using sync.Mutex

	mu      sync.Mutex
	wake    *sync.Cond
	next    int    // the pair of threads that is begun next
	given   []part // what was given away and not taken yet
	busy    int    // goroutines at work
	waiting int    // goroutines without work
	ended   bool   // one has failed
	wanted  atomic.Int32
}

// part is a part of two threads that is to be placed: all of them if f is nil.
type part struct {
	f     *placing
	k     int
	stack []partners
}

// alignFast aligns all pairs of threads.
func (w *work) alignFast(ctx context.Context, use func(k int, r *Result) error) error {
	s := &pool{w: w, use: use}
	s.wake = sync.NewCond(&s.mu)
	work, ctx := progress.NewGroup(ctx)
	for range progress.Processors() {
		work.Go(func() error {
			space := w.spaces.Get().(*workspace)
			defer w.spaces.Put(space)
			edges := edgeCounter{edges: &directEdges{}}
			for {
				next, ok := s.take()
				if !ok {
					if w.direct != nil {
						w.direct.addEdges(edges.edges)
					}
					return nil
				}
				if err := s.placeAndLeave(ctx, next, space, &edges); err != nil {
					return err
				}
			}
		})
	}
	return work.Wait()
}

// take returns what to place next, or false when nothing is left.
func (s *pool) take() (p part, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		switch n := len(s.given); {
		case s.ended:
			return p, false
		case n > 0:
			p, s.given = s.given[n-1], s.given[:n-1]
		case s.next < len(s.w.pairs):
			p = part{k: s.next}
			s.next++
		case s.busy == 0:
			return p, false
		default:
			s.waiting++
			s.countWanted()
			s.wake.Wait()
			s.waiting--
			continue
		}
		s.busy++
		s.countWanted()
		return p, true
	}
}

// countWanted notes how many goroutines wait for what no other has given away yet.
func (s *pool) countWanted() { s.wanted.Store(int32(s.waiting - len(s.given))) }

// leave notes that a goroutine has done what it took.
func (s *pool) leave(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy--
	s.ended = s.ended || err != nil
	if s.ended || s.busy == 0 {
		s.wake.Broadcast()
	}
}

// errPanicked stands for the failure of a goroutine that has panicked: the others must not wait.
var errPanicked = errors.New("a goroutine has panicked")

// placeAndLeave places a part and notes that a goroutine is without work, even after a panic.
func (s *pool) placeAndLeave(ctx context.Context, next part, space *workspace,
	edges *edgeCounter) (err error) {
	err = errPanicked
	defer func() { s.leave(err) }()
	err = s.place(ctx, next, space, edges)
	return err
}

// place places a part, and hands over the Result if it was the last.
func (s *pool) place(ctx context.Context, next part, space *workspace, edges *edgeCounter) error {
	p := placer{placing: next.f, pool: s, space: space, stack: next.stack, t: newTicker(s.w.m)}
	if next.f == nil {
		var err error
		if p.placing, err = s.w.newPlacing(ctx, next.k, autoSolve, true); err != nil {
			return err
		}
		if err := p.placeThreads(); err != nil {
			return err
		}
	}
	last, err := p.placeAll(ctx)
	if err != nil || !last {
		return err
	}
	p.finish()
	if d := s.w.direct; d != nil && d.seekWrappers {
		d.countEdges(p.placing, edges)
	}
	s.using.Lock()
	defer s.using.Unlock()
	return s.use(p.k, p.r)
}

// shareStack gives half of a placer's stack away if a goroutine waits for it.
func (s *pool) shareStack(p *placer) {
	half := len(p.stack) / 2
	if half == 0 || s.wanted.Load() <= 0 {
		return
	}
	p.mu.Lock()
	p.parts++
	p.mu.Unlock()
	s.mu.Lock()
	s.given = append(s.given, part{f: p.placing, stack: slices.Clone(p.stack[:half])})
	s.countWanted()
	s.mu.Unlock()
	s.wake.Signal()
	p.stack = slices.Delete(p.stack, 0, half)
}
