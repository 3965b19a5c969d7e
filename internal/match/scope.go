package match

import (
	"math"
	"slices"
	"sort"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Scope says which calls are compared: those of one pair of threads, or those of all threads.
type Scope struct {
	Process bool
	Threads pair.ThreadPair // used if Process is false; −1 for no thread
}

// Process is the scope of all threads.
func Process() Scope { return Scope{Process: true} }

// Threads is the scope of thread a of A and thread b of B.
func Threads(a, b int) Scope { return Scope{Threads: pair.ThreadPair{A: a, B: b}} }

// Calls are one side's calls in a scope. A call's index counts on from thread to thread: with
// threads of 3 and 2 calls, the calls of the second thread have indices 3 and 4.
type Calls struct {
	Threads []*trace.Thread
	First   []int // by thread: the index of its first call; then the number of all calls
}

func (s Scope) calls(p *pair.Pair, side pair.Side) Calls {
	c := Calls{First: []int{0}}
	t := p.Trace(side)
	switch {
	case t == nil:
	case s.Process:
		c.Threads = t.Threads
	case s.Threads.On(side) >= 0:
		i := s.Threads.On(side)
		c.Threads = t.Threads[i : i+1]
	}
	for i, th := range c.Threads {
		c.First = append(c.First, c.First[i]+th.Len())
	}
	return c
}

// Len returns the number of calls.
func (c *Calls) Len() int { return c.First[len(c.Threads)] }

// At returns where call i is: its thread, as an index into Threads, and its number there.
func (c *Calls) At(i int) (thread, call int) {
	thread = sort.SearchInts(c.First, i+1) - 1
	return thread, i - c.First[thread]
}

// Start returns the start of call i in ns.
func (c *Calls) Start(i int) int64 {
	thread, call := c.At(i)
	return c.Threads[thread].Start(call)
}

// Next returns the index after the last call in the subtree of call i.
func (c *Calls) Next(i int) int {
	thread, call := c.At(i)
	return i + int(c.Threads[thread].Size(call))
}

// Window is a part of a trace, in ns: the calls that intersect [From, To], borders included, and
// last at least Least. If a call is in a window, so are all its callers.
type Window struct{ From, To, Least int64 }

// Everything is the window of all calls.
var Everything = Window{From: math.MinInt64, To: math.MaxInt64}

// shareCovered returns how much of the window the time [start, end] covers, 0 to 1. A window of one
// moment is covered by every time that contains it.
func (w Window) shareCovered(start, end int64) float64 {
	from, to := max(start, w.From), min(end, w.To)
	if from > to {
		return 0
	}
	if w.To == w.From {
		return 1
	}
	return (float64(to) - float64(from)) / (float64(w.To) - float64(w.From))
}

// view is the calls of one thread that are in a window. Calls that begin in the window follow each
// other in pre-order. Calls that begin before it and reach into it are a stack, since of two
// siblings that begin before the window the first has ended by then.
type view struct {
	*trace.Thread
	before   []int // the stack, outermost first
	from, to int   // calls that begin in the window
	least    int64
}

// viewOf finds the calls of a thread that are in the window. Cost is the logarithm of the number of
// calls, plus the depth of the stack.
func (w Window) viewOf(th *trace.Thread) view {
	v := view{Thread: th, least: w.Least}
	if w.From > w.To {
		return v
	}
	v.from = sort.Search(th.Len(), func(i int) bool { return th.Start(i) >= w.From })
	v.to = sort.Search(th.Len(), func(i int) bool { return th.Start(i) > w.To })
	for i := v.from - 1; i >= 0; i = int(th.Parent(i)) {
		if th.End(i) >= w.From && th.Dur(i) >= w.Least {
			v.before = append(v.before, i)
		}
	}
	slices.Reverse(v.before)
	return v
}

// nextCall returns the first call from i on that is in the window, or the number of all calls. If a
// call is too short, its whole subtree is skipped.
func (v *view) nextCall(i int) int {
	if i < v.from {
		if k := sort.SearchInts(v.before, i); k < len(v.before) {
			return v.before[k]
		}
		i = v.from
	}
	for i < v.to && v.Dur(i) < v.least {
		i = v.NextWide(v.Next(i), v.to, float64(v.least))
	}
	if i < v.to {
		return i
	}
	return v.Len()
}

// Caller returns the caller of call i, or −1.
func (c *Calls) Caller(i int) int {
	thread, call := c.At(i)
	if p := c.Threads[thread].Parent(call); p >= 0 {
		return c.First[thread] + int(p)
	}
	return none
}

// span returns the start and the length of call i in ns.
func (c *Calls) span(i int) (start, length float64) {
	thread, call := c.At(i)
	th := c.Threads[thread]
	return float64(th.Start(call)), float64(th.Dur(call))
}
