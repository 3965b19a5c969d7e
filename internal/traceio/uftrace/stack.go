package uftrace

import (
	"diptych/internal/trace"
	"diptych/internal/traceio/spans"
)

// stack keeps the open calls of a task by the depth that the recorder gave them. The depth tells
// what records were lost: a call at the depth of an open one, or above, shows that the open one has
// ended.
type stack struct {
	*task
	find  *resolver
	out   *batch
	open  []frame
	off   bool   // whether the task is off its processor, the innermost call then
	call  uint32 // that call
	began bool   // whether a function was entered or left
	next  int    // index of the next switch
	wraps bool   // whether stacks may be deeper than the 10 bits of a record tell
}

type frame struct {
	addr    uint64
	depth   int32
	routine int32
	call    uint32 // how many calls of the task began before
}

// mostDepth is the greatest depth that a record tells.
const mostDepth = 1<<10 - 1

// roomForAll returns the stack with room for a call of each depth.
func (s *stack) roomForAll() *[mostDepth + 1]frame {
	if cap(s.open) <= mostDepth {
		s.open = append(make([]frame, 0, mostDepth+1), s.open...)
	}
	return (*[mostDepth + 1]frame)(s.open[:mostDepth+1])
}

// enter begins a call and returns its routine.
func (s *stack) enter(at int64, rec record) int32 {
	depth := s.depth(rec, s.top())
	if s.off || s.top() >= depth {
		s.closeFrom(depth, at)
	}
	i := s.find.routine(rec.addr(), at)
	if !s.began && depth == 0 {
		s.started = s.find.routines[i].name
	}
	s.began = true
	s.open = append(s.open, frame{rec.addr(), depth, i, s.out.Begin(at, s.find.number(i))})
	return i
}

// leave ends the call that a record tells the end of, and reports whether there is one.
func (s *stack) leave(at int64, rec record) bool {
	depth := s.depth(rec, s.top())
	s.began = true
	if s.off || s.top() > depth {
		s.closeFrom(depth+1, at)
	}
	if k := len(s.open) - 1; k >= 0 && s.open[k].depth == depth {
		if s.open[k].addr == rec.addr() {
			s.out.End(at)
			s.open = s.open[:k]
			return true
		}
		s.closeFrom(depth, at) // another call stood there when records were lost
	}
	name := s.find.routines[s.find.routine(rec.addr(), at)].name
	s.violate(trace.UnmatchedEnd, 1, "the end of %s at %v closes nothing", name, trace.Since(at))
	return false
}

// top returns the depth of the innermost call, or −1.
func (s *stack) top() int32 {
	if k := len(s.open); k > 0 {
		return s.open[k-1].depth
	}
	return -1
}

// depth returns the depth of a record, where the innermost call has depth top. Deep stacks wrap
// around its 10 bits; then the nearest to the present one is meant.
func (s *stack) depth(rec record, top int32) int32 {
	d := int32(rec.depth())
	if s.wraps {
		here := top + 1
		d = max(here+((d-here+512)&0x3ff)-512, 0)
	}
	return d
}

// closeFrom ends the calls at a depth and deeper. Their ends were lost; they are over by now.
func (s *stack) closeFrom(depth int32, at int64) {
	if s.off {
		s.off = false
		s.unclosed(s.call, at, spans.Switched)
	}
	for k := len(s.open) - 1; k >= 0 && s.open[k].depth >= depth; k-- {
		f := s.open[k]
		s.unclosed(f.call, at, s.find.routines[f.routine].name)
		s.open = s.open[:k]
	}
}

func (s *stack) unclosed(call uint32, at int64, name string) {
	s.out.End(at)
	s.thread.Flag(s.thread.Call(call), trace.Unclosed)
	s.violate(trace.UnmatchedBegin, 1, "%s has no end; it was over at %v", name, trace.Since(at))
}

// passSwitches makes calls of the context switches before a time. Those before the first function
// belong to the loader and the recorder, not to the program, and are left out.
func (s *stack) passSwitches(before int64) {
	for ; s.next < len(s.switches) && s.switches[s.next].at < before; s.next++ {
		if s.began {
			s.pass(s.switches[s.next])
		}
	}
}

func (s *stack) pass(w swtch) {
	switch {
	case w.out:
		if s.off {
			s.unclosed(s.call, w.at, spans.Switched)
		}
		fn := s.find.id(spans.Schedule(w.preempted))
		s.call, s.off = s.out.Begin(w.at, fn), true
	case s.off:
		s.out.End(w.at)
		s.off = false
	default:
		s.violate(trace.UnmatchedEnd, 1, "switched in at %v, but never out", trace.Since(w.at))
	}
}

// finish takes the switches after the last record, as long as calls are open: a task may end while
// it is blocked.
func (s *stack) finish() {
	for ; s.next < len(s.switches) && len(s.open) > 0; s.next++ {
		s.pass(s.switches[s.next])
	}
	s.switches = nil
}
