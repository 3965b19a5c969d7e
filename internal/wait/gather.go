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

// The calls that block lie apart from each other in the columns of their thread, and to fetch one
// from there takes longer than most of what is done with it. So all is read at once that any step
// needs: what stays of it are the columns of Waits and Releases, how much time each kind of mark
// takes (spent), and how objects are used.

// blocking is a call that is marked as blocking.
type blocking struct {
	start, dur int64 // ns
	next       int32 // the call after its subtree
	fn         trace.FuncID
	caller     uint32 // function that calls it, plus 1; 0 if none does
	unclosed   bool
}

func (b *blocking) end() int64 { return b.start + b.dur }

// use is how a thread uses an object: in which function, by whom called, for what kind of
// operation, and as which of the objects of the call.
type use struct {
	object trace.ObjectID
	fn     trace.FuncID
	caller uint32 // as in blocking
	kind   trace.BlockKind
	place  uint8
}

// gap is idle time that was a wait: ns before a root call.
type gap struct {
	call int32
	ns   int64
}

// gaps returns the gaps of each thread that the recording says were waits, in pre-order.
func (a *Analysis) gaps() [][]gap {
	out := make([][]gap, len(a.Trace.Threads))
	for i := range a.Trace.Correspondences {
		if c := &a.Trace.Correspondences[i]; c.Idle > 0 {
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
	threads := a.Trace.Threads
	a.Waits.first, a.Releases.first = make([]int32, len(threads)+1), make([]int32, len(threads)+1)
	marks := make([][trace.IO + 1]int32, len(threads)) // by kind
	gaps := a.gaps()
	for t, th := range threads {
		n := &marks[t]
		for i := range th.Blocks {
			n[th.Blocks[i].Kind]++
		}
		a.Waits.first[t+1] = a.Waits.first[t] + n[trace.Wait] + int32(len(gaps[t]))
		a.Releases.first[t+1] = a.Releases.first[t] + n[trace.Release]
		m.Expect(int64(len(th.Blocks)) + int64(n[trace.Wait]))
	}
	a.Waits.allocate(int(a.Waits.first[len(threads)]))
	a.Releases.allocate(int(a.Releases.first[len(threads)]))
	a.spent, a.Threads = make([][3]spent, len(threads)), make([]ThreadTotal, len(threads))
	a.uses, a.blocking = make([][]use, len(threads)), make([][]blocking, len(threads))
	spaces := sync.Pool{New: func() any { return &uses{} }}
	return progress.Spread(ctx, len(threads), func(t int) error {
		th := threads[t]
		a.Threads[t].StartNs, a.Threads[t].EndNs = th.Span()
		a.blocking[t] = readBlocking(th)
		a.gatherThread(int32(t), gaps[t])
		u := spaces.Get().(*uses)
		a.uses[t] = u.of(th, a.blocking[t])
		spaces.Put(u)
		for k := range a.spent[t] {
			a.spent[t][k] = newSpent(th.Blocks, a.blocking[t], trace.BlockKind(k+1), marks[t][k+1])
		}
		return m.Add(ctx, int64(len(th.Blocks)))
	})
}

// readBlocking returns the call of each mark of a thread.
func readBlocking(th *trace.Thread) []blocking {
	list, flagged := make([]blocking, len(th.Blocks)), th.Flagged()
	for i := range list {
		c := int(th.Blocks[i].Call)
		if i > 0 && c == int(th.Blocks[i-1].Call) {
			list[i] = list[i-1]
			continue
		}
		b := &list[i]
		b.start, b.dur, b.next, b.fn = th.Start(c), th.Dur(c), int32(th.Next(c)), th.Fn[c]
		if up := th.Parent(c); up >= 0 {
			b.caller = uint32(th.Fn[up]) + 1
		}
		b.unclosed = flagged && th.Flags(c)&trace.Unclosed != 0
	}
	return list
}

// uses finds how threads use objects, one thread after the other in the same memory.
type uses struct{ sites, operations, known pair.Numbers }

// of returns how a thread uses objects, each way once.
func (u *uses) of(th *trace.Thread, calls []blocking) (list []use) {
	for _, numbers := range []*pair.Numbers{&u.sites, &u.operations, &u.known} {
		numbers.Clear()
	}
	for i := range th.Blocks {
		b, c := &th.Blocks[i], &calls[i]
		if b.Objects.Len() == 0 {
			continue
		}
		site := u.sites.Of(pair.KeyOf(c.caller, uint32(c.fn)))
		for k, o := range th.ObjectsIn(b.Objects) {
			how := u.operations.Of(pair.KeyOf(uint32(site), uint32(b.Kind)<<8|uint32(uint8(k))))
			if int(u.known.Of(pair.KeyOf(uint32(how), uint32(o)))) == len(list) {
				list = append(list, use{o, c.fn, c.caller, b.Kind, uint8(k)})
			}
		}
	}
	return list
}

func (w *Waits) allocate(n int) {
	w.Thread, w.Call, w.Fn = make([]int32, n), make([]int32, n), make([]trace.FuncID, n)
	w.Start, w.End, w.At = make([]int64, n), make([]int64, n), make([]int64, n)
	w.objects, w.On = make([]trace.ObjectSpan, n), make([]trace.ObjectID, n)
	w.Outer, w.Count, w.How = make([]int32, n), make([]uint32, n), make([]How, n)
	w.By, w.Idle, w.endless = make([]trace.CallRef, n), make([]bool, n), make([]bool, n)
}

func (r *Releases) allocate(n int) {
	r.Thread, r.Call = make([]int32, n), make([]int32, n)
	r.At, r.objects = make([]int64, n), make([]trace.ObjectSpan, n)
}

func (a *Analysis) gatherThread(t int32, gaps []gap) {
	var (
		th     = a.Trace.Threads[t]
		ws, rs = &a.Waits, &a.Releases
		w, r   = ws.first[t], rs.first[t]
		outer  int32 // the last outermost wait
		within int   // the end of its subtree
	)
	addWait := func(call int32, fn trace.FuncID, objects trace.ObjectSpan, start, end int64) {
		ws.Thread[w], ws.Call[w], ws.Fn[w], ws.objects[w] = t, call, fn, objects
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
			addWait(gaps[0].call, th.Fn[c], trace.ObjectSpan{}, start-gaps[0].ns, start)
		}
	}
	for i := range th.Blocks {
		b, c := &th.Blocks[i], &a.blocking[t][i]
		addGaps(b.Call)
		switch b.Kind {
		case trace.Wait:
			if int(b.Call) >= within {
				outer, within = w, int(c.next)
			}
			ws.endless[w] = c.unclosed && c.end() == a.Threads[t].EndNs
			addWait(b.Call, c.fn, b.Objects, c.start, c.end())
			ws.Outer[w-1] = outer
		case trace.Release:
			rs.Thread[r], rs.Call[r], rs.objects[r] = t, b.Call, b.Objects
			rs.At[r] = c.start
			r++
		}
	}
	addGaps(int32(th.Len()))
}
