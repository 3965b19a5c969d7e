package wait

import (
	"diptych/internal/huge"
	"diptych/internal/trace"
)

// spent answers dur_x(f) = dur(f) if f is marked x, else the sum over its children (SyncTrace), for
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

// spents are those of all threads for one kind of mark, one after the other.
type spents struct {
	first []int32 // by thread, and one more: its marked calls are [first[t], first[t+1])
	call  []int32
	sum   []int64 // of thread t from first[t]+t on
}

// allocate makes the columns once it is known where those of each thread begin.
func (s *spents) allocate() {
	n := int(s.first[len(s.first)-1])
	s.call, s.sum = huge.Make[int32](n), huge.Make[int64](n+len(s.first))
}

// of returns that of a thread.
func (s *spents) of(t int) spent {
	from, to := int(s.first[t]), int(s.first[t+1])
	return spent{s.call[from:to], s.sum[from+t : to+t+1]}
}

// openMarks are the marked calls around one, by kind less 1, outermost first.
type openMarks [trace.IO][]openMark

type openMark struct {
	at   int   // index in spent.call
	next int32 // the call after its subtree
}

// sum fills what answers for a thread, given its marks and their calls.
func (o *openMarks) sum(of *[trace.IO]spent, marks []trace.Block, calls []blocking) {
	var n [trace.IO]int // calls so far, by kind less 1
	for k := range o {
		o[k] = o[k][:0]
	}
	for i := range marks {
		b, c := &marks[i], &calls[i]
		k := b.Kind - 1
		s, open := &of[k], o[k]
		for len(open) > 0 && open[len(open)-1].next <= b.Call {
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			s.sum[open[len(open)-1].at+1] -= c.dur
		}
		o[k] = append(open, openMark{n[k], c.next})
		s.call[n[k]] = b.Call
		s.sum[n[k]+1] = c.dur
		n[k]++
	}
	for k := range of {
		for i := range of[k].call {
			of[k].sum[i+1] += of[k].sum[i]
		}
	}
}

// in returns the time of the calls [from, to), which are whole subtrees.
func (s *spent) in(from, to int) int64 {
	return s.sum[rank(s.call, int32(to))] - s.sum[rank(s.call, int32(from))]
}

// Spent returns dur_w, dur_r or dur_o of a call, in ns: how long it and what it called waited,
// released or did input and output. Cost is logarithmic in the marked calls.
func (a *Analysis) Spent(thread, call int, kind trace.BlockKind) int64 {
	th := a.Trace.Threads[thread]
	s := a.spent[kind-1].of(thread)
	return s.in(call, th.Next(call))
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
	waits, ios := a.spent[trace.Wait-1].of(thread), a.spent[trace.IO-1].of(thread)
	w, o := waits.in(from, to), ios.in(from, to)
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
