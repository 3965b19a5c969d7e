package wait

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"diptych/internal/huge"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// The calls that block lie apart from each other in the columns of their thread, and to fetch one
// from there takes longer than most of what is done with it. So all that any step needs is read at
// once, thread by thread. What stays are the columns of Waits and Releases, how much time each kind
// of mark takes (spent), and what is added up by object. There can be 10,000
// threads with a handful of such calls each: columns are one slice for all threads, and whatever a
// thread is looked at with is used for the next one again.

// blocking is a call that is marked as blocking.
type blocking struct {
	start, dur int64 // ns
	next       int32 // the call after its subtree
	fn         trace.FuncID
	unclosed   bool
}

func (b *blocking) end() int64 { return b.start + b.dur }

// gap is idle time that was a wait: ns before a root call.
type gap struct {
	call int32
	ns   int64
}

// gaps returns the gaps of each thread that the recording says were waits, in pre-order; nil if
// there are none.
func (a *Analysis) gaps() (out [][]gap) {
	for i := range a.Trace.Correspondences {
		c := &a.Trace.Correspondences[i]
		if c.Idle > 0 && out == nil {
			out = make([][]gap, len(a.Trace.Threads))
		}
		if c.Idle > 0 {
			out[c.Wait.Thread] = append(out[c.Wait.Thread], gap{c.Wait.Call, c.Idle})
		}
	}
	for t, list := range out {
		slices.SortFunc(list, func(x, y gap) int {
			return cmp.Or(cmp.Compare(x.call, y.call), cmp.Compare(x.ns, y.ns))
		})
		// Several things may have arrived in one gap.
		out[t] = slices.CompactFunc(list, func(x, y gap) bool { return x.call == y.call })
	}
	return out
}

// gather reads the blocking calls of all threads.
func (a *Analysis) gather(ctx context.Context, m *progress.Meter) error {
	threads, gaps := a.Trace.Threads, a.gaps()
	lists, most := a.allocate(gaps, m)
	var mu sync.Mutex
	var all []*gatherer
	if err := progress.SpreadEach(ctx, len(threads), func() func(int) error {
		g := &gatherer{Analysis: a, lists: lists, calls: huge.Make[blocking](most),
			objects: newObjectSums(a.Trace)}
		mu.Lock()
		all = append(all, g)
		mu.Unlock()
		return func(t int) error {
			own := []gap(nil)
			if gaps != nil {
				own = gaps[t]
			}
			g.gatherThread(t, own)
			return m.Add(ctx, int64(len(threads[t].Blocks)))
		}
	}); err != nil {
		return err
	}
	if len(all) == 0 { // there are no threads
		a.Objects = newObjectSums(a.Trace).totals
		return nil
	}
	a.Objects = all[0].objects.totals
	for _, g := range all[1:] {
		for o := range a.Objects {
			a.Objects[o].plus(&g.objects.totals[o])
		}
	}
	return nil
}

// allocate makes the columns that hold something for each blocking call, and finds where those of
// each thread begin; also where the objects of its waits do, and of its releases. most is how many
// such calls a thread has at most.
func (a *Analysis) allocate(gaps [][]gap, m *progress.Meter) (lists [][2]uint32, most int) {
	threads := a.Trace.Threads
	for k := range a.spent {
		a.spent[k].first = make([]int32, len(threads)+1)
	}
	a.Waits.first = make([]int32, len(threads)+1)
	blocks, waits := 0, int32(0)
	lists = make([][2]uint32, len(threads))
	var objects [trace.IO + 1]uint32 // by kind, of the threads so far
	for t, th := range threads {
		lists[t] = [2]uint32{objects[trace.Wait], objects[trace.Release]}
		var n [trace.IO + 1]int32
		for i := range th.Blocks {
			b := &th.Blocks[i]
			n[b.Kind]++
			objects[b.Kind] += uint32(b.Objects.Len())
		}
		for k := range a.spent {
			a.spent[k].first[t+1] = a.spent[k].first[t] + n[k+1]
		}
		waits += n[trace.Wait]
		if gaps != nil {
			waits += int32(len(gaps[t]))
		}
		a.Waits.first[t+1] = waits
		blocks += len(th.Blocks) + int(n[trace.Wait])
		most = max(most, len(th.Blocks))
	}
	m.Expect(int64(blocks))
	for k := range a.spent {
		a.spent[k].allocate()
	}
	a.Releases.first = a.spent[trace.Release-1].first
	a.Waits.allocate(int(waits), objects[trace.Wait])
	a.Releases.allocate(int(a.Releases.first[len(threads)]), objects[trace.Release])
	a.Threads = make([]ThreadTotal, len(threads))
	return lists, most
}

// gatherer gathers one thread after the other.
type gatherer struct {
	*Analysis
	lists   [][2]uint32 // by thread: see allocate
	calls   []blocking  // of each mark of the thread
	open    openMarks
	objects *objectSums
}

func (g *gatherer) gatherThread(t int, gaps []gap) {
	th := g.Trace.Threads[t]
	g.Threads[t].StartNs, g.Threads[t].EndNs = th.Span()
	g.readBlocking(th)
	g.gatherMarks(int32(t), gaps)
	var spent [len(g.spent)]spent
	for k := range spent {
		spent[k] = g.spent[k].of(t)
	}
	g.open.sum(&spent, th.Blocks, g.calls)
	if g.Counts(t) {
		g.objects.add(g.Trace, t, g.calls)
	}
}

// readBlocking reads the call of each mark of a thread.
func (g *gatherer) readBlocking(th *trace.Thread) {
	g.calls = g.calls[:len(th.Blocks)]
	list, flagged := g.calls, th.Flagged()
	for i := range list {
		c := int(th.Blocks[i].Call)
		if i > 0 && c == int(th.Blocks[i-1].Call) {
			list[i] = list[i-1]
			continue
		}
		b := &list[i]
		*b = blocking{start: th.Start(c), dur: th.Dur(c), next: int32(th.Next(c)), fn: th.Fn[c],
			unclosed: flagged && th.Flags(c)&trace.Unclosed != 0}
	}
}

func (w *Waits) allocate(n int, objects uint32) {
	w.Thread, w.Call, w.Fn = huge.Make[int32](n), huge.Make[int32](n), huge.Make[trace.FuncID](n)
	w.Start, w.End, w.At = huge.Make[int64](n), huge.Make[int64](n), huge.Make[int64](n)
	w.objects, w.On = makeObjectLists(n, objects), huge.Make[trace.ObjectID](n)
	w.Outer, w.Count, w.How = huge.Make[int32](n), huge.Make[uint32](n), huge.Make[How](n)
	w.By, w.Idle, w.unclosed = huge.Make[trace.CallRef](n), huge.Make[bool](n), huge.Make[bool](n)
}

func (r *Releases) allocate(n int, objects uint32) {
	r.Thread, r.Call = huge.Make[int32](n), huge.Make[int32](n)
	r.At, r.objects = huge.Make[int64](n), makeObjectLists(n, objects)
}

// gatherMarks writes the waits and releases of a thread.
func (g *gatherer) gatherMarks(t int32, gaps []gap) {
	var (
		th     = g.Trace.Threads[t]
		ws, rs = &g.Waits, &g.Releases
		w, r   = ws.first[t], rs.first[t]
		lists  = g.lists[t]
		outer  int32 // the last outermost wait
		within int   // the end of its subtree
	)
	addWait := func(call int32, fn trace.FuncID, start, end int64) {
		ws.Thread[w], ws.Call[w], ws.Fn[w], ws.objects.first[w] = t, call, fn, lists[0]
		ws.Start[w], ws.End[w] = start, end
		ws.By[w], ws.On[w] = nobody, trace.NoObject
		ws.Outer[w] = w
		w++
	}
	addGaps := func(to int32) {
		for ; len(gaps) > 0 && gaps[0].call <= to; gaps = gaps[1:] {
			c := int(gaps[0].call)
			start := th.Start(c)
			ws.Idle[w] = true
			addWait(gaps[0].call, th.Fn[c], start-gaps[0].ns, start)
		}
	}
	for i := range th.Blocks {
		b, c := &th.Blocks[i], &g.calls[i]
		addGaps(b.Call)
		switch b.Kind {
		case trace.Wait:
			if int(b.Call) >= within {
				outer, within = w, int(c.next)
			}
			ws.unclosed[w] = c.unclosed
			addWait(b.Call, c.fn, c.start, c.end())
			ws.Outer[w-1] = outer
			lists[0] += uint32(copy(ws.objects.list[lists[0]:], th.ObjectsIn(b.Objects)))
		case trace.Release:
			rs.Thread[r], rs.Call[r], rs.objects.first[r] = t, b.Call, lists[1]
			rs.At[r] = c.start
			lists[1] += uint32(copy(rs.objects.list[lists[1]:], th.ObjectsIn(b.Objects)))
			r++
		}
	}
	addGaps(int32(th.Len()))
}
