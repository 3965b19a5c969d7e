package gotrace

import (
	"strconv"
	"strings"

	xtrace "golang.org/x/exp/trace"

	"diptych/internal/trace"
)

// goroutine is a thread that is being written. Its calls from the outside in:
//
//	root    the start function, over the goroutine's life
//	shown   frames of the last stack, and regions among them (stack.go)
//	state   a leaf while it does not run
//
// Calls are begun and ended in time order. The end of a frame, and a state, are only known later
// than they happen; they are written then. Nothing else happens on the goroutine in between.
type goroutine struct {
	l      *loader
	number xtrace.GoID
	id     string
	thread *trace.ThreadBuilder

	born  int64
	root  trace.FuncID
	ref   trace.Ref // of the root
	begun bool      // the root is written, for its function is known
	early []state   // states that ended before that
	shown []shown
	known int64 // until when the shown frames are known to be on the stack
	idle  bool  // state is open
	state state
}

// state is a time in which a goroutine does not run.
type state struct {
	kind     xtrace.GoState
	fn       trace.FuncID
	at, end  int64
	released bool
	release  trace.Ref // what ended a wait, if released
}

// goroutine returns the goroutine with the given id. One not heard of before is as old as the
// trace.
func (l *loader) goroutine(id xtrace.GoID) *goroutine {
	r := &l.recent[uint64(id)%recentCount]
	if *r != nil && (*r).number == id {
		return *r
	}
	if g := l.goroutines[id]; g != nil {
		*r = g
		return g
	}
	return l.create(id, l.born)
}

// recentCount is how many goroutines are found without looking into the map of all.
const recentCount = 1 << 12

func (l *loader) create(id xtrace.GoID, born int64) *goroutine {
	name := strconv.FormatInt(int64(id), 10)
	g := &goroutine{l: l, number: id, id: name, thread: l.b.Thread(name, -1), born: born, known: born}
	l.b.Holds(goroutineBytes)
	l.goroutines[id], l.recent[uint64(id)%recentCount], l.found = g, g, true
	return g
}

// transition changes the state of a goroutine.
func (l *loader) transition(e *xtrace.Event, t *xtrace.StateTransition) {
	id := t.Resource.Goroutine()
	switch from, to := t.Goroutine(); {
	case from == xtrace.GoNotExist:
		l.sampled(e)
		g := l.create(id, l.now)
		if fns := l.stacks.functions(t.Stack); len(fns) > 0 {
			g.begin(fns[0])
		}
		g.enter(to, t.Reason, l.now)
	case to == xtrace.GoNotExist:
		l.goroutine(id).end(l.now)
		delete(l.goroutines, id)
		l.recent[uint64(id)%recentCount] = nil
	case from == xtrace.GoUndetermined || from == to:
		l.status(l.goroutine(id), to, e.Stack())
	case from == xtrace.GoWaiting && to == xtrace.GoRunnable:
		l.wake(e, l.goroutine(id))
	default:
		g := l.goroutine(id)
		if !g.idle {
			g.showStack(l.now, l.stacks.functions(t.Stack))
		}
		g.enter(to, t.Reason, l.now)
	}
}

// status takes the statement of each generation on the state a goroutine is in. The first one holds
// from when the goroutine was born: had there been a transition before, it would have been
// recorded.
func (l *loader) status(g *goroutine, to xtrace.GoState, stack xtrace.Stack) {
	fns := l.stacks.functions(stack)
	switch {
	case g.idle && g.state.kind == to, !g.idle && to == xtrace.GoRunning && g.begun:
		if !g.begun && len(fns) > 0 {
			g.begin(fns[0])
		}
	case to == xtrace.GoRunning:
		g.enter(to, "", l.now)
		g.showStack(l.now, fns)
	default:
		at := g.known // the stack of a goroutine that does not run stands still
		if g.idle {
			at = l.now
		}
		g.showStack(at, fns)
		g.enter(to, "", at)
	}
}

// enter ends the state a goroutine is in and begins another.
func (g *goroutine) enter(to xtrace.GoState, reason string, at int64) {
	g.leave(at)
	if to == xtrace.GoRunning || to == xtrace.GoNotExist {
		return
	}
	g.idle, g.state = true, state{kind: to, fn: g.l.fns.state(to, reason), at: at}
}

// leave ends the state a goroutine is in, if it is in one.
func (g *goroutine) leave(at int64) {
	if !g.idle {
		return
	}
	g.idle, g.state.end = false, at
	if !g.begun {
		g.early = append(g.early, g.state)
		return
	}
	g.write(g.state)
}

// write adds the leaf of a state that has ended.
func (g *goroutine) write(s state) trace.Ref {
	ref := g.thread.Begin(s.at, s.fn)
	g.thread.End(s.end)
	g.known = s.end
	if s.kind == xtrace.GoWaiting {
		g.thread.Block(ref, trace.Wait)
	}
	if s.released {
		g.l.b.Ended(ref, s.release, s.end)
	}
	return ref
}

// begin names the goroutine by its start function, the outermost of a stack, and writes the states
// that had to wait for that name.
func (g *goroutine) begin(start trace.FuncID) {
	g.root, g.begun = start, true
	name := g.l.b.FunctionName(start)
	g.thread.SetName(name + " · " + g.id)
	g.thread.SetRole(name, true)
	if ofRuntime(name) {
		g.thread.SetKind(trace.Runtime)
	}
	g.ref = g.thread.Begin(g.born, start)
	for _, s := range g.early {
		g.write(s)
	}
	g.early = nil
}

// ofRuntime reports whether goroutines that start in a function are the runtime's or the tracer's
// own. runtime.main runs the program.
func ofRuntime(start string) bool {
	return start != "runtime.main" &&
		(strings.HasPrefix(start, "runtime.") || strings.HasPrefix(start, "runtime/trace."))
}

// beginUnknown begins a goroutine that acts, or ends, before any stack was seen.
func (g *goroutine) beginUnknown() {
	if !g.begun {
		g.begin(g.l.fns.named("goroutine", trace.Routine))
	}
}

// end closes the goroutine's calls.
func (g *goroutine) end(at int64) {
	g.beginUnknown()
	g.leave(at)
	g.showStack(at, nil)
	g.abandon(at)
	g.thread.End(at)
}

// cut closes the calls of a goroutine that outlives the trace. That is no fault of the recording,
// but the ends are not recorded ones.
func (g *goroutine) cut(at int64) {
	g.beginUnknown()
	if g.idle {
		g.idle, g.state.end = false, at
		g.thread.Flag(g.write(g.state), trace.Unclosed)
	}
	g.thread.Flag(g.ref, trace.Unclosed)
	g.end(at)
}

// A waiting goroutine is made runnable by another goroutine. That moment becomes a zero-length call
// on the other goroutine, and is the release of the wait. Timers, the network poller and returns
// from system calls make goroutines runnable without one; their releases are on a thread named
// runtime, so that every wait has its release.

// wake ends the wait of g.
func (l *loader) wake(e *xtrace.Event, g *goroutine) {
	a := l.actor(e.Goroutine())
	if a != l.runtime {
		a.showStack(l.now, l.stacks.functions(e.Stack()))
		a.beginUnknown()
	}
	ref := a.thread.Begin(l.now, l.fns.unblocked())
	a.thread.End(l.now)
	a.thread.Block(ref, trace.Release)
	if g.idle && g.state.kind == xtrace.GoWaiting {
		g.state.released, g.state.release = true, ref
	}
	g.enter(xtrace.GoRunnable, "", l.now)
}

// actor returns the goroutine that acts, or the runtime where there is none or it does not run.
func (l *loader) actor(id xtrace.GoID) *goroutine {
	if id != xtrace.NoGoroutine {
		if g := l.goroutine(id); !g.idle {
			return g
		}
	}
	if l.runtime == nil {
		l.runtime = &goroutine{l: l, begun: true, thread: l.b.Thread("runtime", -1)}
		l.runtime.thread.SetKind(trace.Runtime)
	}
	return l.runtime
}
