//go:build unix

package growth

import (
	"fmt"
	"slices"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// BenchmarkDealt has the same calls in ever more threads, at the same times: the threads of a pair
// that has 10,000 of them, dealt to fewer. So there are as many classes of calls, as many calls that
// block, and as many objects at all sizes, and what grows is what a thread costs by itself. Only the
// works that ask for no more are measured: alignments of a thread with a thousand roots are others
// than a thousand of one root each.
//
// It begins at 10 threads, since one thread waits for no other, and then some of the work is gone.
func BenchmarkDealt(b *testing.B) {
	var some []work
	for _, w := range works {
		if slices.Contains([]string{"match", "waits", "aggregate", "structure", "scenes"}, w.name) {
			some = append(some, w)
		}
	}
	sizes := []int{10, 100, 1000, 10_000}
	most := sizes[len(sizes)-1]
	whole := simulated(b, *least*8, most).pair
	grown(b, some, sizes, func(threads int) *subject {
		var sides [2]*trace.Trace
		for k, tr := range []*trace.Trace{whole.A, whole.B} {
			sides[k] = deal(b, tr, sizes[0], threads)
		}
		return &subject{pair: pair.New(sides[0], sides[1], pair.Rules{})}
	})
}

// deal moves the threads of a trace to fewer. As many as there are lanes run at the same time, then
// the next ones. For example, with two lanes, threads 0 1 2 3 4 5 run at these times:
//
//	lane 0   0  2  4      to four threads: 0 4, 1 5, 2, 3
//	lane 1   1  3  5      to two threads: 0 2 4, 1 3 5
func deal(b *testing.B, tr *trace.Trace, lanes, threads int) *trace.Trace {
	to := trace.NewBuilder(tr.Format)
	to.Symbols = tr.Symbols
	var fns []trace.FuncID
	for _, f := range tr.Functions {
		fns = append(fns, to.Function(f))
	}
	var objects []trace.ObjectID
	for _, o := range tr.Objects {
		objects = append(objects, to.Object(o.Name))
	}
	process := to.Process("1")
	var own []*trace.ThreadBuilder
	for k := range threads {
		th := to.Thread(fmt.Sprint(k+1), process)
		th.SetName(fmt.Sprintf("thread-%d", k))
		own = append(own, th)
	}
	turn := int64(0) // how long the longest takes
	for _, th := range tr.Threads {
		start, end := th.Span()
		turn = max(turn, end-start+1)
	}
	for i, th := range tr.Threads {
		start, _ := th.Span()
		at := i / lanes
		dealt := own[i%lanes+lanes*(at%(threads/lanes))]
		copyCalls(dealt, th, int64(at)*turn-start, fns, objects)
	}
	out, err := to.Build(ctx)
	if err != nil {
		b.Fatal(err)
	}
	if out.Calls() != tr.Calls() || len(out.Threads) != threads {
		b.Fatalf("%d calls in %d threads, want %d in %d", out.Calls(), len(out.Threads), tr.Calls(),
			threads)
	}
	return out
}

// copyCalls appends the calls of a thread, later by so many ns, with their marks.
func copyCalls(to *trace.ThreadBuilder, th *trace.Thread, later int64, fns []trace.FuncID,
	objects []trace.ObjectID) {
	var open []int
	closeUpTo := func(call int) {
		for len(open) > 0 && th.Next(open[len(open)-1]) <= call {
			to.End(later + th.End(open[len(open)-1]))
			open = open[:len(open)-1]
		}
	}
	for i := range th.Len() {
		closeUpTo(i)
		call := to.Begin(later+th.Start(i), fns[th.Fn[i]])
		for _, mark := range th.BlocksOf(i) {
			var on []trace.ObjectID
			for _, o := range th.ObjectsIn(mark.Objects) {
				on = append(on, objects[o])
			}
			to.Block(call, mark.Kind, on...)
		}
		open = append(open, i)
	}
	closeUpTo(th.Len())
}
