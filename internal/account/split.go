package account

import (
	"cmp"
	"context"
	"slices"

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
	var tasks []task // by side and thread
	for _, d := range sides {
		b.Elapsed[d.Side], b.Threads[d.Side] = d.trace.Duration, make([]Thread, len(d.trace.Threads))
		for t := range d.trace.Threads {
			for _, p := range d.pieces(t) {
				tasks = append(tasks, task{side: d, thread: t, piece: p, way: ways[d.Side][t]})
			}
		}
	}
	if err := splitAll(ctx, tasks, m); err != nil {
		return err
	}
	for len(tasks) > 0 {
		first, n := &tasks[0], 1
		for n < len(tasks) && tasks[n].side == first.side && tasks[n].thread == first.thread {
			n++
		}
		th := first.trace.Threads[first.thread]
		b.Threads[first.Side][first.thread] = threadOf(th, counts(th), tasks[:n])
		tasks = tasks[n:]
	}
	return nil
}

// splitAll splits pieces of threads. It begins with the largest, so that in the end no processor
// waits long for another.
func splitAll(ctx context.Context, tasks []task, m *progress.Meter) error {
	order := make([]*task, len(tasks))
	for k := range tasks {
		order[k] = &tasks[k]
	}
	slices.SortStableFunc(order, func(x, y *task) int { return cmp.Compare(y.calls(), x.calls()) })
	return progress.Spread(ctx, len(order), func(k int) error {
		of := order[k]
		of.entries = of.side.split(of.thread, of.piece, of.way)
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

// threadOf returns the time of a thread, of which all pieces have been split.
func threadOf(th *trace.Thread, counts bool, pieces []task) Thread {
	t := Thread{Counts: counts, entries: pieces[0].entries}
	t.StartNs, t.EndNs = th.Span()
	for _, p := range pieces[1:] {
		t.entries = append(t.entries, p.entries...)
	}
	for i := range t.entries {
		t.Ns[t.entries[i].part.Kind] += t.entries[i].Ns
	}
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
