package account

import (
	"context"
	"slices"
	"sync"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// task is a piece of a thread to be split.
type task struct {
	*side
	thread int
	piece
}

// split splits the threads of some sides, several pieces at a time.
func (b *Balance) split(ctx context.Context, sides []*side, m *progress.Meter) error {
	err := progress.Spread(ctx, len(sides), func(k int) error {
		return b.findWay(ctx, sides[k])
	})
	if err != nil {
		return err
	}
	var tasks []task
	for _, d := range sides {
		tasks = slices.Grow(tasks, len(d.trace.Threads))
		for t := range d.trace.Threads {
			for p := range d.pieces(t) {
				tasks = append(tasks, task{d, t, p})
			}
		}
	}
	return b.splitAll(ctx, tasks, m)
}

// adder adds up what one goroutine splits, by side: threads that are part of the totals, and those
// that are not.
type adder [2][2]space

// adders are those of all goroutines.
type adders struct {
	mu   sync.Mutex
	list []*adder
}

func (a *adders) add() *adder {
	own := &adder{}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.list = append(a.list, own)
	return own
}

// splitAll splits pieces of threads and adds them up. It begins with the largest, so that in the
// end no processor waits long for another. Each goroutine adds up all that it splits by itself:
// where there are thousands of threads, each has a few calls of many functions, and a list of parts
// for each would have nearly as many parts as there are calls.
func (b *Balance) splitAll(ctx context.Context, tasks []task, m *progress.Meter) error {
	order := progress.LargestFirst(len(tasks), func(k int) int { return tasks[k].calls() })
	spent := make([][Kinds]int64, len(tasks))
	var kept [][]entry
	if b.keep {
		kept = make([][]entry, len(tasks))
	}
	var all adders
	err := progress.SpreadEach(ctx, len(order), func() func(k int) error {
		own := all.add()
		return func(k int) error {
			at := order[k]
			of := &tasks[at]
			th := &b.Threads[of.Side][of.thread]
			to := &own[of.Side][toInt(th.Counts)]
			spent[at] = of.side.addUp(to, of.thread, of.piece, b.ways[of.Side][of.thread])
			if b.keep {
				kept[at] = to.sumUp()
				to.clear()
			}
			return m.Add(ctx, int64(of.calls()))
		}
	})
	if err != nil {
		return err
	}
	b.beginCells(&all)
	for k := range tasks {
		th := &b.Threads[tasks[k].Side][tasks[k].thread]
		for kind, ns := range spent[k] {
			th.Ns[kind] += ns
		}
		if b.keep {
			b.addEntries(tasks[k].Side, slices.Values(kept[k]), th.Counts)
			th.entries = append(th.entries, kept[k]...)
		}
	}
	for _, own := range all.list {
		for sd := range own {
			for counts := range own[sd] {
				b.addEntries(pair.Side(sd), own[sd][counts].entries, counts == 1)
			}
		}
	}
	return nil
}

// threadsOf returns the threads of a side, not split yet.
func (b *Balance) threadsOf(sd pair.Side) []Thread {
	most, of := worstOf(b.Pair), b.Pair.Trace(sd).Threads
	list := make([]Thread, len(of))
	for k, th := range of {
		list[k].Counts = rank(th) <= most && b.Pair.SampleTypeOf(sd, k) == b.sampleType
		list[k].StartNs, list[k].EndNs = th.Span()
	}
	return list
}

// findWay finds the threads of a side, its elapsed time, the clock of each thread, and how long the
// way goes along none.
func (b *Balance) findWay(ctx context.Context, d *side) error {
	threads := b.threadsOf(d.Side)
	b.Threads[d.Side] = threads
	way, err := findWay(ctx, d.waits, threads)
	if err != nil {
		return err
	}
	of, nobody := byThread(way, len(threads))
	clocks := make([]clock, len(of))
	for t, way := range of {
		clocks[t] = newClock(way)
	}
	for _, s := range way {
		b.Elapsed[d.Side] += s.to - s.from
	}
	b.ways[d.Side], b.nobody[d.Side] = clocks, nobody
	return nil
}

// rank orders threads by how much they are part of the program.
func rank(th *trace.Thread) int {
	return [...]int{trace.Ordinary: 0, trace.SampleType: 0, trace.AsyncTrack: 1, trace.Samples: 1,
		trace.Runtime: 2, trace.Sums: 3}[th.Kind]
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
