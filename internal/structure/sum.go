package structure

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// ticks is how many calls are summed up between two reports.
const ticks = 1 << 18

// sum sums up the calls of all threads, one pass a thread, several threads at a time; of a profile
// of several sample types, those of the default.
func (t *Tree) sum(ctx context.Context, report progress.Func) error {
	meter := progress.NewMeter(report, ticks)
	var work []job
	for s := range t.cells {
		for i, cells := range t.cells[s] {
			if cells == nil || t.Pair.SampleTypeOf(pair.Side(s), i) != t.Pair.SampleTypes()[0] {
				continue
			}
			th := t.Pair.Trace(pair.Side(s)).Threads[i]
			work = append(work, job{pair.Side(s), th, cells})
			meter.Expect(int64(th.Len()))
		}
		if t.Pair.Trace(pair.Side(s)) != nil {
			t.Sums[s] = noSums(len(t.Nodes))
		}
	}
	if err := t.run(ctx, work, meter); err != nil {
		return err
	}
	t.countCalls()
	for s := range t.Sums {
		t.gather(t.Sums[s])
	}
	meter.Finish()
	return ctx.Err()
}

// job is one thread to be summed up.
type job struct {
	side  pair.Side
	th    *trace.Thread
	cells Cells
}

// run works the jobs off, and adds what each worker found.
func (t *Tree) run(ctx context.Context, work []job, meter *progress.Meter) error {
	order := progress.LargestFirst(len(work), func(i int) int { return work[i].th.Len() })
	var mu sync.Mutex
	var workers []*worker
	err := progress.SpreadEach(ctx, len(order), func() func(int) error {
		w := &worker{nodes: t.Nodes, until: make([]int64, len(t.Nodes)),
			ticker: progress.Ticker{Meter: meter, Every: ticks}}
		mu.Lock()
		workers = append(workers, w)
		mu.Unlock()
		return func(k int) error { return w.work(ctx, work[order[k]]) }
	})
	for _, w := range workers {
		err = cmp.Or(err, w.ticker.Flush(ctx))
		for s := range w.sums {
			for i := range w.sums[s] {
				t.Sums[s][i].add(&w.sums[s][i])
			}
		}
	}
	return err
}

func noSums(n int) []Sum { return slices.Repeat([]Sum{{First: None}}, n) }

// add adds another thread's calls of the same node.
func (m *Sum) add(o *Sum) {
	m.Total += o.Total
	if o.Calls == 0 {
		return
	}
	if m.Calls == 0 {
		m.First = math.MaxInt64
	}
	m.Calls += o.Calls
	m.Counted += o.Counted
	m.Self += o.Self
	m.Aside += o.Aside
	m.MaxDepth = max(m.MaxDepth, o.MaxDepth)
	m.First = min(m.First, o.First)
}

// gather completes the sums: calls, self time, depth and first start are known of functions and add
// up to those of what is around them. Totals are known of all nodes already.
func (t *Tree) gather(sums []Sum) {
	for i := len(sums) - 1; i > 0; i-- {
		total := sums[t.Nodes[i].Parent].Total
		up := &sums[t.Nodes[i].Parent]
		up.add(&sums[i])
		up.Total = total
	}
}

// worker sums up threads, one after the other.
type worker struct {
	nodes []Node
	sums  [2][]Sum // of functions; Total of all nodes
	cells []int32  // of the present thread, by function
	of    any      // the key of whose they are

	// until is, by node, where the subtree of the outermost call under the node ends, counted over
	// all calls that the worker has seen: calls before that point are inside of that call.
	until  []int64
	seen   int64
	ticker progress.Ticker
}

// work sums up one thread.
func (w *worker) work(ctx context.Context, j job) error {
	if w.sums[j.side] == nil {
		w.sums[j.side] = noSums(len(w.nodes))
	}
	if key := j.cells.Key(); key != w.of {
		w.cells, w.of = j.cells.flat(w.cells), key
	}
	for from := 0; from < j.th.Len(); from += ticks {
		to := min(from+ticks, j.th.Len())
		w.thread(j, from, to)
		if !j.th.Runs() {
			w.aside(j, from, to)
		}
		if err := w.ticker.Add(ctx, int64(to-from)); err != nil {
			return err
		}
	}
	w.seen += int64(j.th.Len())
	return nil
}

// aside notes the self time of some calls as that of a thread that does not run.
func (w *worker) aside(j job, from, to int) {
	sums, th := w.sums[j.side], j.th
	for i := from; i < to; i++ {
		dur := th.Dur(i)
		sums[w.cells[th.Fn[i]]].Aside += dur
		if p := th.Parent(i); p >= 0 {
			sums[w.cells[th.Fn[p]]].Aside -= dur
		}
	}
}

// thread sums up some calls of a thread.
func (w *worker) thread(j job, from, to int) {
	sums, th, nodes, cells := w.sums[j.side], j.th, w.nodes, w.cells
	for i := from; i < to; i++ {
		node, dur := cells[th.Fn[i]], th.Dur(i)
		s := &sums[node]
		if s.Calls == 0 || th.Start(i) < s.First {
			s.First = th.Start(i)
		}
		s.Calls++
		s.Self += dur
		s.MaxDepth = max(s.MaxDepth, int32(th.Depth(i))+1)
		if p := th.Parent(i); p >= 0 {
			sums[cells[th.Fn[p]]].Self -= dur
		}
		// If a node has an outer call, so have all nodes above it.
		at := w.seen + int64(i)
		for n := node; n >= 0 && w.until[n] <= at; n = nodes[n].Parent {
			w.until[n] = at + int64(th.Size(i))
			sums[n].Total += dur
		}
	}
}
