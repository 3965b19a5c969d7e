package align

import (
	"context"
	"sync"
)

// The engine Auto: each level in the cheapest way, and most distinct ones once.
//
// A level is a pair of classes, so it is the same wherever two calls of these classes are paired,
// and identical classes are not aligned at all. What is known of levels is kept by their size:
//
//   - If the callees on both sides are of the same functions in the same order, they are paired in
//     order, since no other alignment has a penalty of 0. That is most levels: those above the
//     calls in which two runs differ. Single callees are a pair too, since two gaps cost more.
//   - Of other levels of up to smallCells cells, each goroutine keeps the last ones. They are soon
//     aligned again, and a program that repeats itself has few of them at a time.
//   - Larger ones are aligned once for all goroutines, and kept.

const (
	sameCallees = 64      // the longest level that is compared each time
	smallCells  = 1 << 10 // the largest level that is not shared
)

func classPair(x, y uint32) uint64 { return uint64(x)<<32 | uint64(y) }

// autoSolve is the solver of the engine Auto.
func autoSolve(ctx context.Context, p *placer, at partners) ([]run, error) {
	if p.c.fn[at.x] == p.c.fn[at.y] {
		if s := p.inOrder(at.x, at.y, p.space.runs); len(s.runs) > 0 {
			p.ties.addLevel(s.full, false)
			p.space.runs = s.runs
			return s.runs, nil
		}
	}
	s, err := p.solved(ctx, at.x, at.y)
	switch {
	case err != nil:
		return nil, err
	case s.apart && p.forced.forces(at.a, at.b):
		forced, err := p.c.newLevel(at.x, at.y, p.w.o, p.space).solve(ctx, p.w.m, nil)
		if err != nil {
			return nil, err
		}
		s = &forced
	case s.apart:
		return nil, nil
	}
	return p.decide(ctx, at, s)
}

// inOrder returns the alignment of a level whose callees are paired in order (see above), in the
// memory of runs. It has no runs if that is not so, or if there are many callees.
func (p *placer) inOrder(x, y uint32, runs []run) solved {
	n := p.c.inOrder(x, y)
	if n == 0 {
		return solved{runs: runs[:0]}
	}
	return solved{full: int64(n)*int64(n) <= p.w.o.TieCells, runs: append(runs[:0], run{0, 0, int32(n)})}
}

func (t *classTable) inOrder(x, y uint32) int {
	a, b := t.callees(x), t.callees(y)
	switch {
	case len(a) != len(b) || len(a) > sameCallees:
		return 0
	case len(a) == 1:
		return 1
	}
	for k, c := range a {
		if d := b[k]; c != d && t.fn[c] != t.fn[d] {
			return 0
		}
	}
	return len(a)
}

// recentLevel is a small level that a goroutine has aligned, or nothing if the pair is 0: class 0
// has no callees.
type recentLevel struct {
	pair uint64
	solved
}

// solved returns the alignment of a level, or that it is not aligned. It holds until the next one
// is asked for.
func (p *placer) solved(ctx context.Context, x, y uint32) (*solved, error) {
	key := classPair(x, y)
	if int64(len(p.c.callees(x)))*int64(len(p.c.callees(y))) > smallCells {
		return p.w.large.solved(ctx, key, func() (solved, error) { return p.solveAnew(ctx, x, y, nil) })
	}
	r := &p.space.recent[mix(key)&uint64(len(p.space.recent)-1)]
	if r.pair == key {
		return &r.solved, nil
	}
	r.pair = 0
	r.forget(p.space)
	var err error
	if r.solved, err = p.solveAnew(ctx, x, y, r.runs[:0]); err != nil {
		return nil, err
	}
	r.pair = key
	return &r.solved, nil
}

// solveAnew aligns a level. It may use the memory of runs.
func (p *placer) solveAnew(ctx context.Context, x, y uint32, runs []run) (solved, error) {
	if p.c.fn[x] != p.c.fn[y] && !p.w.below.alike(x, y) {
		return solved{apart: true, runs: runs}, nil
	}
	if s := p.inOrder(x, y, runs); len(s.runs) > 0 {
		return s, nil
	}
	return p.c.newLevel(x, y, p.w.o, p.space).solve(ctx, p.w.m, runs)
}

// forget gives back the room of a level's pockets.
func (s *solved) forget(space *workspace) {
	for k := range s.pockets {
		space.room.Add(int64(len(s.pockets[k].options)))
	}
}

// largeLevels are the levels that all goroutines share.
type largeLevels struct {
	mu sync.Mutex
	of map[uint64]*largeLevel // by classPair
}

type largeLevel struct {
	done chan struct{} // closed when the rest is known
	solved
	err error
}

// solved returns the alignment of a level. The first goroutine that asks for it has it solved, and
// others wait.
func (l *largeLevels) solved(ctx context.Context, key uint64, solve func() (solved, error)) (
	*solved, error) {
	l.mu.Lock()
	level, ok := l.of[key]
	if !ok {
		level = &largeLevel{done: make(chan struct{})}
		l.of[key] = level
	}
	l.mu.Unlock()
	if !ok {
		level.solved, level.err = solve()
		close(level.done)
	}
	select {
	case <-level.done:
		return &level.solved, level.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
