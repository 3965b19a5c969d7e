package wait

import (
	"diptych/internal/trace"
)

// spent answers dur_x(f) = dur(f) if f is marked x, else the sum over its children (DESIGN §7), for
// the calls of one thread and one kind of mark.
//
// The sum is over the outermost marked calls below f. With net(g) = dur(g) less dur of the marked
// calls right below g, that is Σ net(g) over all marked calls of f's subtree, f included: each but
// the outermost is added once and taken off once. The subtree is a range of indices, so two ranks
// and a column of running sums answer it, and no other call needs an entry.
type spent struct {
	call []int32 // marked, ascending
	sum  []int64 // sum[k] is the net time of the first k calls; one more than call
}

// newSpent looks at the n marks of a kind among those of a thread and their calls.
func newSpent(marks []trace.Block, calls []blocking, kind trace.BlockKind, n int32) spent {
	s := spent{call: make([]int32, 0, n), sum: make([]int64, 1, n+1)}
	type around struct {
		at   int   // index in call
		next int32 // the call after its subtree
	}
	var open []around // the marked calls around
	for i := range marks {
		b, c := &marks[i], &calls[i]
		if b.Kind != kind {
			continue
		}
		for len(open) > 0 && open[len(open)-1].next <= b.Call {
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			s.sum[open[len(open)-1].at+1] -= c.dur
		}
		open = append(open, around{len(s.call), c.next})
		s.call, s.sum = append(s.call, b.Call), append(s.sum, c.dur)
	}
	for k := range s.call {
		s.sum[k+1] += s.sum[k]
	}
	return s
}

// in returns the time of the calls [from, to), which are whole subtrees.
func (s *spent) in(from, to int) int64 {
	return s.sum[rank(s.call, int32(to))] - s.sum[rank(s.call, int32(from))]
}

// Spent returns dur_w, dur_r or dur_o of a call, in ns: how long it and what it called waited,
// released or did input and output. Cost is logarithmic in the marked calls.
func (a *Analysis) Spent(thread, call int, kind trace.BlockKind) int64 {
	th := a.Trace.Threads[thread]
	return a.spent[thread][kind-1].in(call, th.Next(call))
}

// Activity is what a call's blocking time went into most.
type Activity uint8

const (
	Busy      Activity = iota // brown: it neither waited nor did input or output
	Waiting                   // green
	Operating                 // red: input or output
)

// Activity says what colour a call has and the colour's intensity in [0, 1], which is the share of
// its time that it spent waiting, or in input and output. A call that did both is Waiting if it
// waited at least half as long as its input and output took. Calls without duration are Busy.
func (a *Analysis) Activity(thread, call int) (Activity, float64) {
	th := a.Trace.Threads[thread]
	return a.activity(thread, call, th.Next(call), th.Dur(call))
}

// activity looks at the calls [from, to), which are whole subtrees and last dur ns in all.
func (a *Analysis) activity(thread, from, to int, dur int64) (Activity, float64) {
	spent := &a.spent[thread]
	w, o := spent[trace.Wait-1].in(from, to), spent[trace.IO-1].in(from, to)
	switch {
	case w == 0 && o == 0:
		return Busy, 0
	case 2*w < o:
		return Operating, float64(o) / float64(dur)
	}
	return Waiting, float64(w) / float64(dur)
}

// ActivityIn is Activity for a run of siblings including callees, the calls [from, to) of a thread.
// Shares are of the time from the start of the first sibling to the end of the last.
func (a *Analysis) ActivityIn(thread, from, to int) (Activity, float64) {
	if from == to {
		return Busy, 0
	}
	th := a.Trace.Threads[thread]
	last := to - 1
	for th.Parent(last) != th.Parent(from) {
		last = int(th.Parent(last))
	}
	return a.activity(thread, from, to, th.End(last)-th.Start(from))
}
