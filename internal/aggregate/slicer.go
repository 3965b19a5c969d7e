package aggregate

import (
	"context"
	"math/bits"
	"slices"
	"sort"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// ticks is how many calls are counted between two reports.
const ticks = 1 << 18

// states tells the states of a thread's calls.
type states struct {
	byFn []int32 // by function, if nothing else matters
	// of returns the state of a call, given that of the call around it, None if there is none. It
	// is asked for calls in order: first those around the first call of the range, then each call
	// of the range.
	of func(call int, around int32) int32
}

// none says that the thread does not count.
func (s *states) none() bool { return s.byFn == nil && s.of == nil }

// pass is one thread to be passed over: its calls from..to−1 begin within the borders.
type pass struct {
	side     pair.Side
	index    int
	th       *trace.Thread
	states   states
	borders  []int64
	from, to int
	cells    []Cell
}

func newPass(s pair.Side, index int, th *trace.Thread, states states, borders []int64) pass {
	p := pass{side: s, index: index, th: th, states: states, borders: borders}
	p.from = startsBefore(th, borders[0])
	p.to = startsBefore(th, borders[len(borders)-1])
	return p
}

// startsBefore returns how many calls start before a time: mostly none or all.
func startsBefore(th *trace.Thread, at int64) int {
	n := th.Len()
	switch {
	case n == 0 || th.Start(0) >= at:
		return 0
	case th.Start(n-1) < at:
		return n
	}
	return sort.Search(n, func(i int) bool { return th.Start(i) >= at })
}

func (p *pass) calls() int { return p.to - p.from }

// run passes over threads, those with most calls first. Done is given the cells of each, which it
// must copy, and may be called by several goroutines.
func run(ctx context.Context, work []pass, states int, meter *progress.Meter,
	done func(p *pass, cells []Cell)) error {
	by := progress.LargestFirst(len(work), func(i int) int { return work[i].calls() })
	return progress.SpreadEach(ctx, len(by), func() func(int) error {
		s := newSlicer(states, progress.Ticker{Meter: meter, Every: ticks})
		return func(k int) error {
			p := &work[by[k]]
			if err := s.thread(ctx, p); err != nil {
				return err
			}
			done(p, s.cells)
			return nil
		}
	})
}

// slicer cuts the calls of a thread into states and timeslices. It adds values in order of time, so
// it keeps the sums of one timeslice only.
type slicer struct {
	p       *pass
	slice   int
	end     int64    // of the slice
	ns      []int64  // by state, of the slice
	some    []uint64 // a bit for each state that is not 0
	touched []int32  // the words of some that are not 0
	open    []frame  // the calls around the one that is looked at
	around  []int32  // the calls around the first of the range, innermost first
	now     int64    // until when time has been counted
	cells   []Cell   // of the thread, by slice, then by state
	ticker  progress.Ticker
}

type frame struct{ call, state int32 }

func newSlicer(states int, ticker progress.Ticker) *slicer {
	return &slicer{ns: make([]int64, states), some: make([]uint64, (states+63)/64), ticker: ticker}
}

func (s *slicer) thread(ctx context.Context, p *pass) error {
	s.p, s.slice, s.now, s.end, s.cells = p, 0, p.borders[0], p.borders[1], s.cells[:0]
	s.enter(p.from - 1)
	for i := p.from; i < p.to; i++ {
		s.close(int(p.th.Depth(i)))
		s.until(p.th.Start(i))
		s.push(i)
		if err := s.ticker.Add(ctx, 1); err != nil {
			return err
		}
	}
	s.close(0)
	s.flush()
	p.states = states{}
	return nil
}

// enter opens a call and those around it. Calls that have ended before the range do no harm: no
// time is counted for them. No call of the thread before is open.
func (s *slicer) enter(call int) {
	s.around = s.around[:0]
	for ; call >= 0; call = int(s.p.th.Parent(call)) {
		s.around = append(s.around, int32(call))
	}
	for _, call := range slices.Backward(s.around) {
		s.push(int(call))
	}
}

// push opens a call inside those that are open.
func (s *slicer) push(call int) {
	if byFn := s.p.states.byFn; byFn != nil {
		s.open = append(s.open, frame{int32(call), byFn[s.p.th.Fn[call]]})
		return
	}
	around := int32(None)
	if n := len(s.open); n > 0 {
		around = s.open[n-1].state
	}
	s.open = append(s.open, frame{int32(call), s.p.states.of(call, around)})
}

// close ends the calls at a stack level and deeper.
func (s *slicer) close(depth int) {
	for len(s.open) > depth {
		s.until(s.p.th.End(int(s.open[len(s.open)-1].call)))
		s.open = s.open[:len(s.open)-1]
	}
}

// until counts the time up to a moment for the innermost call; outside calls it counts for none.
func (s *slicer) until(at int64) {
	at = min(at, s.p.borders[len(s.p.borders)-1])
	if at <= s.now {
		return
	}
	state := int32(None)
	if len(s.open) > 0 {
		state = s.open[len(s.open)-1].state
	}
	for s.now < at {
		if s.end <= s.now {
			s.flush()
			s.slice++
			s.end = s.p.borders[s.slice+1]
			continue
		}
		until := min(s.end, at)
		s.add(state, until-s.now)
		s.now = until
	}
}

func (s *slicer) add(state int32, ns int64) {
	if state == None {
		return
	}
	if s.ns[state] == 0 {
		word := &s.some[state/64]
		if *word == 0 {
			s.touched = append(s.touched, state/64)
		}
		*word |= 1 << (state % 64)
	}
	s.ns[state] += ns
}

// flush writes what was counted in the slice.
func (s *slicer) flush() {
	if len(s.touched) > 1 {
		slices.Sort(s.touched)
	}
	for _, at := range s.touched {
		for ; s.some[at] != 0; s.some[at] &= s.some[at] - 1 {
			k := int(at)*64 + bits.TrailingZeros64(s.some[at])
			s.cells = append(s.cells, Cell{uint32(s.slice), uint32(k), s.ns[k]})
			s.ns[k] = 0
		}
	}
	s.touched = s.touched[:0]
}
