package match

import (
	"sort"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Scope says which calls are compared: those of one thread pair, or those of all threads. In the
// latter the threads hang under a virtual root that is itself not a call.
type Scope struct {
	Process bool
	Threads pair.ThreadPair // if not Process; −1 for no thread
}

// Process is the scope of all threads.
func Process() Scope { return Scope{Process: true} }

// Threads is the scope of thread a of A and thread b of B.
func Threads(a, b int) Scope { return Scope{Threads: pair.ThreadPair{A: a, B: b}} }

// Calls are one side's calls in a scope. Their pre-order indices run through the threads in order.
type Calls struct {
	Threads []*trace.Thread
	First   []int // by thread: the index of its first call; last the number of all calls
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

// At returns the thread, as an index into Threads, and the call in it that have index i.
func (c *Calls) At(i int) (thread, call int) {
	thread = sort.SearchInts(c.First, i+1) - 1
	return thread, i - c.First[thread]
}

// Start returns the start of call i in ns.
func (c *Calls) Start(i int) int64 {
	thread, call := c.At(i)
	return c.Threads[thread].Start[call]
}

// Next returns the index after the subtree of call i.
func (c *Calls) Next(i int) int {
	thread, call := c.At(i)
	return i + int(c.Threads[thread].Size[call])
}
