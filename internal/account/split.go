package account

import (
	"context"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// task is a piece of a thread to be split.
type task struct {
	*side
	thread int
	piece
	way     clock
	entries []entry
}

// split splits the threads of some sides, several pieces at a time.
func (b *Balance) split(ctx context.Context, sides []*side, m *progress.Meter) error {
	most := worstOf(b.Pair)
	counts := func(th *trace.Thread) bool { return rank(th) <= most }
	ways := [2][]clock{} // by side and thread
	err := progress.Spread(ctx, len(sides), func(k int) (err error) {
		d := sides[k]
		ways[d.Side], b.nobody[d.Side], err = d.findClocks(ctx, counts)
		return err
	})
	if err != nil {
		return err
	}
	var tasks []task
	for _, d := range sides {
		b.Elapsed[d.Side], b.Threads[d.Side] = d.trace.Duration, make([]Thread, len(d.trace.Threads))
		for t, th := range d.trace.Threads {
			b.Threads[d.Side][t] = newThread(th, counts(th))
			for _, p := range d.pieces(t) {
				tasks = append(tasks, task{side: d, thread: t, piece: p, way: ways[d.Side][t]})
			}
		}
	}
	return b.splitAll(ctx, tasks, m)
}

// splitAll splits pieces of threads and adds them up. It begins with the largest, so that in the
// end no processor waits long for another. While one adds up what was split, the others go on.
func (b *Balance) splitAll(ctx context.Context, tasks []task, m *progress.Meter) error {
	b.beginCells()
	order := progress.LargestFirst(len(tasks), func(k int) int { return tasks[k].calls() })
	sums := progress.NewOrder(len(tasks), func(k int) { b.sumUpPiece(&tasks[order[k]]) })
	return progress.Spread(ctx, len(order), func(k int) error {
		of := &tasks[order[k]]
		of.entries = of.side.split(of.thread, of.piece, of.way)
		sums.Done(k)
		return m.Add(ctx, int64(of.calls()))
	})
}

// findClocks returns the clock of each thread of a side, and how long the way goes along none.
func (d *side) findClocks(ctx context.Context, counts func(*trace.Thread) bool) (clocks []clock,
	nobody int64, err error) {
	way, err := findWay(ctx, d.waits, counts)
	if err != nil {
		return nil, 0, err
	}
	of, nobody := byThread(way, len(d.trace.Threads))
	clocks = make([]clock, len(of))
	for t, way := range of {
		clocks[t] = newClock(way)
	}
	return clocks, nobody, nil
}

// newThread returns a thread of whose time nothing is known but when it begins and ends.
func newThread(th *trace.Thread, counts bool) Thread {
	t := Thread{Counts: counts}
	t.StartNs, t.EndNs = th.Span()
	return t
}

// rank orders threads by how much they are part of the program.
func rank(th *trace.Thread) int {
	return [...]int{trace.Ordinary: 0, trace.AsyncTrack: 1, trace.Runtime: 2, trace.Sums: 3}[th.Kind]
}

// worstOf returns the rank up to which threads count: as far as is needed for a side to have any.
func worstOf(p *pair.Pair) int {
	worst := 0
	for _, t := range []*trace.Trace{p.A, p.B} {
		if t == nil {
			continue
		}
		best, some := rank(&trace.Thread{Kind: trace.Sums}), false
		for _, th := range t.Threads {
			if th.Len() > 0 {
				best, some = min(best, rank(th)), true
			}
		}
		if some {
			worst = max(worst, best)
		}
	}
	return worst
}
