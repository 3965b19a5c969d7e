package gotrace

import (
	xtrace "golang.org/x/exp/trace"

	"diptych/internal/trace"
)

// shown is an open call of a goroutine: a frame of its last stack, or a region.
type shown struct {
	fn     trace.FuncID
	ref    trace.Ref
	region bool
	task   xtrace.TaskID
}

// The stack of a running goroutine is known only at its events. A frame is taken to be one call
// over all consecutive stacks that agree on it and everything outside it, and no more is claimed:
// it begins at the first event that shows it and ends at the last, or when the state that the
// goroutine then entered ends, for what does not run does not return. So time between two events
// belongs to the frames that both have in common, calls that only one event saw have no length, and
// all of them are marked as sampled.
//
// Regions keep their place in the stack: one is begun inside the frames of its event's stack and
// holds those that come after them. A region is never split, so frames around an open region stay
// open; if a stack shows that one of them has returned, the stack's further frames are put inside
// the region.

// settle brings the shown frames in line with the stack seen at a moment, outermost first; nil if
// nothing is known.
func (g *goroutine) settle(at int64, stack []trace.FuncID) {
	if len(stack) > 0 {
		if !g.begun {
			g.begin(stack[0])
		}
		if stack[0] == g.root {
			stack = stack[1:]
		}
	}
	pinned := g.pinned()
	same, fresh := 0, 0
	for same < len(g.shown) && fresh < len(stack) {
		switch s := &g.shown[same]; {
		case s.region:
			same++
		case s.fn == stack[fresh]:
			same, fresh = same+1, fresh+1
		case same < pinned:
			same = pinned // returned, yet stays open
		default:
			g.closeTo(same, g.known)
		}
	}
	g.closeTo(max(same, pinned), g.known)
	for _, fn := range stack[fresh:] {
		ref := g.thread.Begin(at, fn)
		g.thread.Flag(ref, trace.Sampled)
		g.shown = append(g.shown, shown{fn: fn, ref: ref})
	}
	g.known = at
}

// pinned returns how many of the shown calls must stay open: the regions and the frames around
// them.
func (g *goroutine) pinned() int {
	n := len(g.shown)
	for n > 0 && !g.shown[n-1].region {
		n--
	}
	return n
}

// closeTo ends the shown calls but for the outermost n.
func (g *goroutine) closeTo(n int, at int64) {
	for len(g.shown) > n {
		g.thread.End(at)
		g.shown = g.shown[:len(g.shown)-1]
	}
}

// sampled takes the stack of an event of a running goroutine. Events that contradict the
// goroutine's state, as CPU samples may, say nothing.
func (l *loader) sampled(e *xtrace.Event) {
	if e.Goroutine() == xtrace.NoGoroutine {
		return
	}
	if fns := l.stacks.of(e.Stack()); len(fns) > 0 {
		if g := l.goroutine(e.Goroutine()); !g.idle {
			g.settle(l.now, fns)
		}
	}
}
