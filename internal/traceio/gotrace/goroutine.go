package gotrace

import (
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
//
// Records are gathered and given to the thread many at a time, by the writer.
type goroutine struct {
	l        *loader
	id       string
	thread   *trace.ThreadBuilder
	records  []trace.Brief // that the thread has not been given, and what else it has not
	flags    []flagged
	instants []trace.Instant
	calls    uint32 // begun so far

	born  int64
	root  trace.FuncID
	begun bool    // the root is written, for its function is known
	early []state // what ended before that, states and releases
	seen  *stack  // of the last event that had one, which most likely leads to the next
	shown []trace.FuncID
	known int64    // until when the shown frames are known to be on the stack
	open  []region // those among the shown calls, outermost first
	idle  bool     // state is open
	state state
}

// rootCall is the number of the root among the calls of its goroutine.
const rootCall = 0

// mostEarly is how many calls wait for a goroutine's name at most. If a recording has stacks,
// the first one comes far earlier.
const mostEarly = 64

// state is a time in which a goroutine does not run, or a moment at which it released another one.
type state struct {
	kind     xtrace.GoState
	fn       trace.FuncID
	at, end  int64
	released bool
	release  trace.Ref // what ended a wait, if released
}

// mostRecords is how many records of a goroutine are gathered, and fewRecords how many at first.
const (
	mostRecords = 64
	fewRecords  = 8
)

// add gathers a record.
func (g *goroutine) add(r trace.Brief) {
	if len(g.records) == cap(g.records) {
		g.more()
	}
	g.records = append(g.records, r)
}

// more makes room for records: by more memory, or by giving the thread those that there are.
func (g *goroutine) more() {
	l, n := g.l, cap(g.records)
	switch last := len(l.spare) - 1; {
	case n >= mostRecords:
		g.flush()
	case n == 0 && last >= 0:
		g.records, l.spare = l.spare[last], l.spare[:last]
	default:
		n = max(4*n, fewRecords)
		l.b.Holds(int64(recordBytes * n))
		g.records = append(make([]trace.Brief, 0, n), g.records...)
	}
}

// flush gives the thread what was gathered.
func (g *goroutine) flush() {
	if len(g.records)+len(g.flags)+len(g.instants) > 0 {
		g.hand(false)
	}
}

// finish gives the thread what was gathered, after which there will be no more.
func (g *goroutine) finish() {
	if g.hand(true); cap(g.records) > 0 {
		g.l.spare, g.records = append(g.l.spare, g.records), nil
	}
}

func (g *goroutine) hand(last bool) {
	g.l.writer.hand(g.thread, g.records, g.flags, g.instants, last)
	g.records, g.flags, g.instants = g.records[:0], g.flags[:0], g.instants[:0]
}

// instant marks a moment.
func (g *goroutine) instant(at int64, fn trace.FuncID) {
	g.instants = append(g.instants, trace.Instant{At: at, Fn: fn})
	if len(g.instants) >= mostRecords {
		g.flush()
	}
}

// enterCall begins a call and returns its number.
func (g *goroutine) enterCall(at int64, fn trace.FuncID, f trace.Flags) uint32 {
	g.add(trace.BriefEnter(at, fn, f, 0))
	g.calls++
	return g.calls - 1
}

// leaveCall ends the innermost call that is open.
func (g *goroutine) leaveCall(at int64) { g.add(trace.BriefLeave(at)) }

// leaf adds a call that calls nothing, and returns its number.
func (g *goroutine) leaf(at, end int64, fn trace.FuncID, k trace.BlockKind) uint32 {
	if dur := end - at; uint64(dur) <= trace.LongestLeaf {
		g.add(trace.BriefLeaf(at, uint32(dur), fn, k))
	} else {
		g.add(trace.BriefEnter(at, fn, 0, k))
		g.add(trace.BriefLeave(end))
	}
	g.calls++
	return g.calls - 1
}

// goroutine returns the goroutine with the given id. One not heard of before is as old as the
// trace.
func (l *loader) goroutine(id xtrace.GoID) *goroutine {
	if g := l.goroutines.get(id); g != nil {
		return g
	}
	return l.create(id, l.born)
}

func (l *loader) create(id xtrace.GoID, born int64) *goroutine {
	name := l.names.number(int64(id))
	g := l.fresh()
	*g = goroutine{l: l, id: name, thread: l.b.Thread(name, -1), born: born, known: born,
		early: g.early[:0], shown: g.shown[:0], open: g.open[:0]}
	if old := l.goroutines.get(id); old != nil {
		old.flush()
	}
	if l.goroutines.set(id, g) {
		l.b.Holds(pageBytes)
	}
	l.found = true
	return g
}

// fresh returns room for a goroutine, which may be that of one that is over.
func (l *loader) fresh() *goroutine {
	if last := len(l.over) - 1; last >= 0 {
		g := l.over[last]
		l.over = l.over[:last]
		return g
	}
	l.b.Holds(goroutineBytes)
	return new(goroutine)
}

// change changes the state of a goroutine.
func (l *loader) change(e *xtrace.Event, t *xtrace.StateTransition) {
	from, to := t.Goroutine()
	id := t.Resource.Goroutine()
	if from == xtrace.GoNotExist {
		l.sampled(e)
		l.birth(id, to, t)
		return
	}
	g := l.goroutine(id)
	switch {
	case to == xtrace.GoNotExist:
		g.end(l.now)
		g.finish()
		l.over = append(l.over, g)
		l.goroutines.remove(id)
	case from == xtrace.GoUndetermined || from == to: // no change: it says what the state is
		l.status(g, to, e.Stack())
	case from == xtrace.GoWaiting && to == xtrace.GoRunnable:
		l.wake(e, g)
	default:
		if !g.idle {
			g.showStack(l.now, l.stacks.of(t.Stack, g.seen))
		}
		g.enter(to, t.Reason, l.now)
	}
}

// birth begins a goroutine, which is in a state.
func (l *loader) birth(id xtrace.GoID, state xtrace.GoState, t *xtrace.StateTransition) {
	g := l.create(id, l.now)
	if s := l.stacks.ofBirth(t.Stack); len(s.fns) > 0 {
		g.begin(s.fns[0])
	}
	g.enter(state, t.Reason, l.now)
}

// status takes the statement of each generation on the state a goroutine is in. The first one holds
// from when the goroutine was born: had there been a transition before, it would have been
// recorded.
func (l *loader) status(g *goroutine, to xtrace.GoState, stack xtrace.Stack) {
	s := l.stacks.of(stack, g.seen)
	switch {
	case g.idle && g.state.kind == to, !g.idle && to == xtrace.GoRunning && g.begun:
		if !g.begun && len(s.fns) > 0 {
			g.begin(s.fns[0])
		}
	case to == xtrace.GoRunning:
		g.enter(to, "", l.now)
		g.showStack(l.now, s)
	default:
		at := g.known // the stack of a goroutine that does not run stands still
		if g.idle {
			at = l.now
		}
		g.showStack(at, s)
		g.enter(to, "", at)
	}
}

// enter ends the state a goroutine is in and begins another.
func (g *goroutine) enter(to xtrace.GoState, reason string, at int64) {
	g.leave(at)
	if to == xtrace.GoRunning || to == xtrace.GoNotExist {
		return
	}
	s := &g.state // set in place: to make one and copy it takes far longer
	s.kind, s.fn, s.at, s.end, s.released = to, g.l.fns.state(to, reason), at, 0, false
	g.idle = true
}

// leave ends the state a goroutine is in, if it is in one.
func (g *goroutine) leave(at int64) {
	if !g.idle {
		return
	}
	g.idle, g.state.end = false, at
	g.put(&g.state)
}

// put writes a state that has ended, or has it wait for the goroutine's name. It returns the number
// of its call.
func (g *goroutine) put(s *state) uint32 {
	if len(g.early) == mostEarly {
		g.beginUnknown()
	}
	if g.begun {
		return g.write(s)
	}
	g.early = append(g.early, *s)
	return rootCall + uint32(len(g.early)) // the root is written first, then these
}

// write adds the leaf of a state that has ended, and returns its number.
func (g *goroutine) write(s *state) uint32 {
	kind := trace.BlockKind(0)
	switch s.kind {
	case xtrace.GoWaiting:
		kind = trace.Wait
	case xtrace.GoRunning:
		kind = trace.Release
	}
	call := g.leaf(s.at, s.end, s.fn, kind)
	g.known = s.end
	if s.released {
		g.l.b.Ended(g.thread.Call(call), s.release, s.end)
	}
	return call
}

// begin names the goroutine by its start function, the outermost of a stack, and writes the states
// that had to wait for that name.
func (g *goroutine) begin(start trace.FuncID) {
	g.root, g.begun = start, true
	name := g.l.b.FunctionName(start)
	g.thread.SetName(g.l.names.join(name, " · ", g.id))
	g.thread.SetRole(name, true)
	if ofRuntime(name) {
		g.thread.SetKind(trace.Runtime)
	}
	g.enterCall(g.born, start, 0) // the first: rootCall
	for i := range g.early {
		g.write(&g.early[i])
	}
	g.early = g.early[:0]
}

// ofRuntime reports whether goroutines that start in a function are the runtime's or the tracer's
// own. A few functions of the runtime start what the program does: the main goroutine, a coroutine
// (iter.Pull), and a call from C on a thread that C made.
func ofRuntime(start string) bool {
	switch start {
	case "runtime.main", "runtime.corostart", "runtime.cgocallback":
		return false
	}
	return strings.HasPrefix(start, "runtime.") || strings.HasPrefix(start, "runtime/trace.")
}

// beginUnknown begins a goroutine that has a region, or ends, before any stack was seen.
func (g *goroutine) beginUnknown() {
	if !g.begun {
		g.begin(g.l.fns.named("goroutine", trace.Routine))
	}
}

// end closes the goroutine's calls.
func (g *goroutine) end(at int64) {
	g.beginUnknown()
	g.leave(at)
	g.showStack(at, &noStack)
	g.abandon(at)
	g.leaveCall(at)
}

// cut closes the calls of a goroutine that outlives the trace. That is no fault of the recording,
// but the ends are not recorded ones.
func (g *goroutine) cut(at int64) {
	g.beginUnknown()
	if g.idle {
		g.idle, g.state.end = false, at
		g.flag(g.write(&g.state), trace.Unclosed)
	}
	g.flag(rootCall, trace.Unclosed)
	g.end(at)
	g.flush()
}

// flag marks a call.
func (g *goroutine) flag(call uint32, f trace.Flags) {
	g.flags = append(g.flags, flagged{call, f})
}

// A waiting goroutine is made runnable by another goroutine. That moment becomes a zero-length call
// on the other goroutine, and is the release of the wait. Timers, the network poller and returns
// from system calls make goroutines runnable without one; their releases are on a thread named
// runtime, so that every wait has its release.

// wake ends the wait of g.
func (l *loader) wake(e *xtrace.Event, g *goroutine) {
	a := l.actor(e.Goroutine())
	if a != l.runtime {
		a.showStack(l.now, l.stacks.of(e.Stack(), a.seen))
	}
	call := a.put(&state{kind: xtrace.GoRunning, fn: l.fns.unblocked(), at: l.now, end: l.now})
	if g.idle && g.state.kind == xtrace.GoWaiting {
		g.state.released, g.state.release = true, a.thread.Call(call)
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
