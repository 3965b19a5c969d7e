package wait

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// ThreadTotal sums up a thread's blocking calls. A wait within a wait adds nothing to the time, and
// neither does input or output within the same.
type ThreadTotal struct {
	StartNs, EndNs       int64 // the first start and the last end of its calls
	WaitNs, IONs         int64
	GapNs                int64  // the part of WaitNs that lies between calls
	OffCPUNs             int64  // without a processor, outside waits and I/O: pre-empted
	Waits, Releases, IOs uint64 // calls
	Released             uint64 // waits that a release, or the end of a thread, ended
	Passed               uint64 // waits that ended without
	Unreleased           uint64 // waits that never ended
}

// Edge is who waited on whom for what: outermost waits of one thread, on one object, that one
// thread ended.
type Edge struct {
	Waiter   int32
	Releaser int32 // −1 if nothing released them
	Object   trace.ObjectID
	Count    uint64
	WaitNs   int64
}

// PairTotal is who waited on whom.
type PairTotal struct {
	Waiter, Releaser int32
	Count            uint64
	WaitNs           int64
}

// total adds up waits by thread, pair and object.
func (a *Analysis) total(ctx context.Context, _ *progress.Meter) error {
	threads := len(a.Trace.Threads)
	a.switches = slices.ContainsFunc(a.Trace.Functions, func(f trace.Function) bool {
		return f.OffCPU()
	})
	var mu sync.Mutex
	var all []*edges
	err := progress.SpreadEach(ctx, threads, func() func(int) error {
		e := &edges{Analysis: a}
		mu.Lock()
		all = append(all, e)
		mu.Unlock()
		return func(t int) error {
			a.totalThread(t)
			if a.Counts(t) {
				e.addThread(t)
			}
			return nil
		}
	})
	if err != nil {
		return err
	}
	for t := range a.Threads {
		if a.Counts(t) {
			a.Ended += a.Threads[t].Released
		} else {
			a.EndedAside += a.Threads[t].Released
		}
	}
	var list []Edge
	var pairs []PairTotal
	for _, e := range all {
		list, pairs = append(list, e.list...), append(pairs, e.pairs...)
	}
	a.Edges = longestFirst(list, func(e *Edge) int64 { return e.WaitNs }, func(x, y Edge) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Waiter, y.Waiter),
			cmp.Compare(x.Releaser, y.Releaser), cmp.Compare(x.Object, y.Object))
	})
	a.Pairs = longestFirst(pairs, func(p *PairTotal) int64 { return p.WaitNs },
		func(x, y PairTotal) int {
			return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Waiter, y.Waiter),
				cmp.Compare(x.Releaser, y.Releaser))
		})
	for i := range a.Edges {
		if e := &a.Edges[i]; e.Object != trace.NoObject {
			a.Objects[e.Object].WaitNs += e.WaitNs
		}
	}
	return ctx.Err()
}

func (a *Analysis) totalThread(t int) {
	th, sum, ws := a.Trace.Threads[t], &a.Threads[t], &a.Waits
	from, to := ws.OnThread(t)
	for w := from; w < to; w++ {
		if ws.Idle[w] {
			sum.GapNs += ws.Dur(w)
		}
	}
	waits, ios := a.spent[trace.Wait-1].of(t), a.spent[trace.IO-1].of(t)
	sum.WaitNs, sum.IONs = waits.in(0, th.Len())+sum.GapNs, ios.in(0, th.Len())
	sum.OffCPUNs = a.preempted(th)
	sum.Waits = uint64(to - from)
	sum.Releases = uint64(a.Releases.first[t+1] - a.Releases.first[t])
	sum.IOs = uint64(len(ios.call))
	for w := from; w < to; w++ {
		switch ws.How[w] {
		case Passed:
			sum.Passed++
		case Unreleased:
			sum.Unreleased++
		default:
			sum.Released++
		}
	}
}

// preempted returns how long a thread had no processor outside calls that wait or do I/O.
func (a *Analysis) preempted(th *trace.Thread) (ns int64) {
	if !a.switches {
		return 0
	}
	marks := th.Blocks
	for i := 0; i < th.Len(); {
		blocks := false
		for ; len(marks) > 0 && int(marks[0].Call) <= i; marks = marks[1:] {
			blocks = blocks || int(marks[0].Call) == i && marks[0].Kind != trace.Release
		}
		if !blocks && a.Trace.FunctionOf(th, i).OffCPU() {
			blocks = true
			ns += th.Dur(i)
		}
		if i++; blocks {
			i = th.Next(i - 1)
		}
	}
	return ns
}

// edges are the edges and pairs of several threads, in no order.
type edges struct {
	*Analysis
	list  []Edge
	pairs []PairTotal

	known, releasers pair.Numbers // of the thread at hand
}

// addThread adds up the outermost waits of a thread.
func (e *edges) addThread(t int) {
	e.known.Clear()
	first := len(e.list)
	from, to := e.Waits.OnThread(t)
	for w := from; w < to; w++ {
		if !e.Waits.Outermost(w) {
			continue
		}
		by, o := e.Waits.By[w].Thread, e.Object(w)
		at := first + int(e.known.Of(pair.KeyOf(uint32(by), uint32(o))))
		if at == len(e.list) {
			e.list = append(e.list, Edge{Waiter: int32(t), Releaser: by, Object: o})
		}
		e.list[at].Count++
		e.list[at].WaitNs += e.Waits.Dur(w)
	}
	e.releasers.Clear()
	before := len(e.pairs)
	for _, x := range e.list[first:] {
		if x.Releaser < 0 {
			continue
		}
		at := before + int(e.releasers.Of(uint64(x.Releaser)))
		if at == len(e.pairs) {
			e.pairs = append(e.pairs, PairTotal{Waiter: x.Waiter, Releaser: x.Releaser})
		}
		e.pairs[at].Count += x.Count
		e.pairs[at].WaitNs += x.WaitNs
	}
}

// Object returns what wait w was for: the first of its objects that was released meanwhile, else
// the first, or NoObject.
func (a *Analysis) Object(w int) trace.ObjectID {
	o := a.Waits.On[w]
	if objects := a.ObjectsOf(w); o == trace.NoObject && len(objects) > 0 {
		return objects[0]
	}
	return o
}
