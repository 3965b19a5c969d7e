package aggregate

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// ticks is how many calls are counted between two reports.
const ticks = 1 << 18

// stateOf returns the state of a call, given that of the call around it, None if there is none. It
// is asked for calls in order: first those around the first call of the range, then each call of
// the range.
type stateOf func(call int, around int32) int32

// pass is one thread to be passed over: its calls from..to−1 begin within the borders.
type pass struct {
	side     pair.Side
	index    int
	th       *trace.Thread
	states   stateOf
	borders  []int64
	from, to int
	cells    []Cell
}

func newPass(s pair.Side, index int, th *trace.Thread, states stateOf, borders []int64) *pass {
	p := &pass{side: s, index: index, th: th, states: states, borders: borders}
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
func run(ctx context.Context, work []*pass, states int, meter *progress.Meter,
	done func(p *pass, cells []Cell)) error {
	by := progress.LargestFirst(len(work), func(i int) int { return work[i].calls() })
	var next atomic.Int64
	var mu sync.Mutex
	var failed error
	var all sync.WaitGroup
	for range min(progress.Processors(), len(by)) {
		all.Go(func() {
			s := slicer{ns: make([]int64, states),
				ticker: progress.Ticker{Meter: meter, Every: ticks}}
			for k := int(next.Add(1)) - 1; k < len(by); k = int(next.Add(1)) - 1 {
				p := work[by[k]]
				if err := s.thread(ctx, p); err != nil {
					mu.Lock()
					failed = cmp.Or(failed, err)
					mu.Unlock()
					return
				}
				done(p, s.cells)
			}
		})
	}
	all.Wait()
	return cmp.Or(failed, ctx.Err())
}

// slicer cuts the calls of a thread into states and timeslices. It adds values in order of time, so
// it keeps the sums of one timeslice only.
type slicer struct {
	p       *pass
	slice   int
	ns      []int64 // by state, of the slice
	touched []int32 // the states that are not 0
	open    []frame // the calls around the one that is looked at
	around  []int32 // the calls around the first of the range, innermost first
	now     int64   // until when time has been counted
	cells   []Cell  // of the thread, by slice, then by state
	ticker  progress.Ticker
}

type frame struct{ call, state int32 }

func (s *slicer) thread(ctx context.Context, p *pass) error {
	s.p, s.slice, s.now, s.cells = p, 0, p.borders[0], s.cells[:0]
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
	p.states = nil
	return nil
}

// enter opens a call and those around it. Calls that have ended before the range do no harm: no
// time is counted for them.
func (s *slicer) enter(call int) {
	s.around = s.around[:0]
	for ; call >= 0; call = int(s.p.th.Parent(call)) {
		s.around = append(s.around, int32(call))
	}
	s.open = s.open[:0]
	for _, call := range slices.Backward(s.around) {
		s.push(int(call))
	}
}

// push opens a call inside those that are open.
func (s *slicer) push(call int) {
	around := int32(None)
	if n := len(s.open); n > 0 {
		around = s.open[n-1].state
	}
	s.open = append(s.open, frame{int32(call), s.p.states(call, around)})
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
		end := s.p.borders[s.slice+1]
		if end <= s.now {
			s.flush()
			s.slice++
			continue
		}
		end = min(end, at)
		s.add(state, end-s.now)
		s.now = end
	}
}

func (s *slicer) add(state int32, ns int64) {
	if state == None {
		return
	}
	if s.ns[state] == 0 {
		s.touched = append(s.touched, state)
	}
	s.ns[state] += ns
}

// flush writes what was counted in the slice.
func (s *slicer) flush() {
	if len(s.touched) > 1 {
		slices.Sort(s.touched)
	}
	for _, k := range s.touched {
		s.cells = append(s.cells, Cell{uint32(s.slice), uint32(k), s.ns[k]})
		s.ns[k] = 0
	}
	s.touched = s.touched[:0]
}
