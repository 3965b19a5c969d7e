package gotrace

import (
	"slices"

	xtrace "golang.org/x/exp/trace"

	"diptych/internal/trace"
	"diptych/internal/traceio/qualified"
)

// functions names what is called.
type functions struct {
	b       *trace.Builder
	states  map[stateKey]trace.FuncID
	latest  [8]latest // by state; most goroutines wait for the reason for which the one before did
	regions [8]latest // by the lengths of their names
	events  [8]latest // what is named otherwise, likewise
	unblock trace.FuncID
	woke    bool // unblock is known
}

type stateKey struct {
	state  xtrace.GoState
	reason string
}

// latest is what was last looked up of a state, or of regions.
type latest struct {
	reason string // or name
	fn     trace.FuncID
	known  bool
}

// state returns the function that stands for a state a goroutine entered for the given reason. Only
// waits go by their reasons.
func (f *functions) state(s xtrace.GoState, reason string) trace.FuncID {
	last := &f.latest[int(s)%len(f.latest)]
	if !last.known || last.reason != reason {
		*last = latest{reason, f.stateOf(s, reason), true}
	}
	return last.fn
}

func (f *functions) stateOf(s xtrace.GoState, reason string) trace.FuncID {
	key := stateKey{s, reason}
	if fn, ok := f.states[key]; ok {
		return fn
	}
	name, off := "blocked", trace.NotOff
	switch {
	case s == xtrace.GoSyscall:
		name = "syscall"
	case s == xtrace.GoRunnable:
		name, off = "runnable", trace.Ready
	case reason != "":
		name += ": " + reason
	}
	if f.states == nil {
		f.states = map[stateKey]trace.FuncID{}
	}
	f.states[key] = f.b.Function(trace.Function{Name: name, Kind: trace.State, Off: off})
	return f.states[key]
}

// unblocked returns the function that stands for making a goroutine runnable.
func (f *functions) unblocked() trace.FuncID {
	if !f.woke {
		f.woke, f.unblock = true, f.named("unblock", trace.Event)
	}
	return f.unblock
}

// named returns the function that stands for a state, a task or an event.
func (f *functions) named(name string, kind trace.FuncKind) trace.FuncID {
	last := &f.events[len(name)%len(f.events)]
	if !last.known || last.reason != name {
		*last = latest{name, f.b.Function(trace.Function{Name: name, Kind: kind}), true}
	}
	return last.fn
}

// region returns the function that stands for a user region begun with the given stack, outermost
// first, or for a task. Its package is that of the function that began the first one.
func (f *functions) region(name string, stack []trace.FuncID) trace.FuncID {
	last := &f.regions[len(name)%len(f.regions)]
	if !last.known || last.reason != name {
		pkg := ""
		if n := len(stack); n > 0 {
			pkg = qualified.Package(f.b.FunctionName(stack[n-1]))
		}
		*last = latest{name, f.b.Function(
			trace.Function{Name: name, Package: pkg, Kind: trace.Region}), true}
	}
	return last.fn
}

// routine returns the function of a stack frame. Line is where it begins, where that is known.
func (f *functions) routine(name, file string, line int32) trace.FuncID {
	return f.b.Function(trace.Function{
		Name: name, Package: qualified.Package(name), File: file, Line: line})
}

// stack is what a stack of the reader shows.
type stack struct {
	key  xtrace.Stack
	fns  []trace.FuncID // outermost first; never changed
	next *stack         // what the goroutine was seen in after it, when that was last asked; or nil
}

// noStack shows nothing.
var noStack stack

// stacks turns the reader's stacks into functions, and remembers those of one generation.
type stacks struct {
	fns   *functions
	guard *guard
	known map[xtrace.Stack]*stack
	at    map[uint64]place // by program counter
	birth *stack           // in which a goroutine last began, or nil

	stacks, places int // that the tables are made for

	frames []xtrace.StackFrame // of the stack at hand
	room   []stack             // for stacks
	steps  []trace.FuncID      // for what they show
}

// Stacks share pieces of memory: so many stacks, and so many functions on them.
const (
	manyStacks = 128
	manySteps  = 1024
)

// place is what a frame was that was met, and its function.
type place struct {
	name, file string
	fn         trace.FuncID
}

// forget has the tables begin anew. They then have room for as much as there was, since generations
// are much alike. What goroutines still hold of the old ones must not keep the reader's tables.
func (s *stacks) forget() {
	for _, known := range s.known {
		known.key, known.next = xtrace.NoStack, nil
	}
	s.stacks, s.places = len(s.known), len(s.at)
	s.known, s.at = nil, nil
}

// fewStacks is how many stacks and places there is room for at first.
const fewStacks = 128

// of returns what a stack shows. Goroutines mostly do the same things in the same order, so after
// the stack that one was seen in last, nil if that is not known, comes the same as before.
func (s *stacks) of(key xtrace.Stack, last *stack) *stack {
	if key == xtrace.NoStack {
		return &noStack
	}
	if last != nil && last.next != nil && last.next.key == key {
		return last.next
	}
	found := s.known[key]
	if found == nil {
		found = s.learn(key)
	}
	if last != nil && last.key != xtrace.NoStack { // of this generation
		last.next = found
	}
	return found
}

// ofBirth returns what the stack shows that a goroutine begins in. Most goroutines begin in that of
// the one before.
func (s *stacks) ofBirth(key xtrace.Stack) *stack {
	if key == xtrace.NoStack {
		return &noStack
	}
	if s.birth == nil || s.birth.key != key {
		s.birth = s.of(key, nil)
	}
	return s.birth
}

// learn looks into a stack that was not met before.
func (s *stacks) learn(key xtrace.Stack) *stack {
	if s.known == nil {
		s.known = make(map[xtrace.Stack]*stack, max(s.stacks, fewStacks))
		s.at = make(map[uint64]place, max(s.places, fewStacks))
	}
	s.guard.call(func() { s.frames = slices.AppendSeq(s.frames[:0], key.Frames()) })
	// The runtime writes one frame without a name for a stack in which it finds none.
	s.frames = slices.DeleteFunc(s.frames, func(f xtrace.StackFrame) bool {
		return f.PC == 0 && f.Func == ""
	})
	n := len(s.frames)
	if n == 0 {
		s.known[key] = &noStack
		return &noStack
	}
	if len(s.steps)+n > cap(s.steps) {
		s.steps = make([]trace.FuncID, 0, max(manySteps, n))
	}
	from := len(s.steps)
	s.steps = s.steps[:from+n]
	fns := s.steps[from : from+n : from+n]
	for i := range s.frames { // innermost first: functions are numbered in the order they are met
		fns[n-1-i] = s.function(&s.frames[i])
	}
	s.fns.b.Holds(int64(stackBytes + frameBytes*n))
	if len(s.room) == cap(s.room) {
		s.room = make([]stack, 0, manyStacks)
	}
	s.room = append(s.room, stack{key: key, fns: s.own(fns)})
	found := &s.room[len(s.room)-1]
	s.known[key] = found
	return found
}

// function returns the function of a frame. In one generation a program counter means one place,
// and its texts are the same memory, so to compare them costs little.
func (s *stacks) function(f *xtrace.StackFrame) trace.FuncID {
	p, ok := s.at[f.PC]
	if !ok || p.name != f.Func || p.file != f.File {
		p = place{f.Func, f.File, s.fns.routine(f.Func, f.File, 0)}
		s.at[f.PC] = p
	}
	return p.fn
}

// own removes from a stack, outermost first, the frames that start every goroutine. Stacks of CPU
// samples have these frames, stacks of other events do not.
func (s *stacks) own(fns []trace.FuncID) []trace.FuncID {
	for _, starter := range []string{"runtime.goexit", "runtime.main"} {
		if len(fns) == 0 || s.fns.b.FunctionName(fns[0]) != starter {
			break
		}
		fns = fns[1:]
	}
	return fns
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
// the region. Events of a region leave out the frame of the function that runs another in a region,
// and later stacks have it: it is the region, not a call inside of it.

// showStack brings the shown frames in line with the stack seen at a moment, or with none if
// nothing is known.
func (g *goroutine) showStack(at int64, s *stack) {
	if g.seen == s && s != &noStack && len(g.open) == 0 && g.begun {
		g.known = at
		return
	}
	frames := s.fns
	if len(frames) > 0 {
		if !g.begun {
			g.begin(frames[0])
		}
		if frames[0] == g.root {
			frames = frames[1:]
		}
	}
	same, fresh, pinned := g.agreed(frames)
	g.closeTo(max(same, pinned), g.known)
	for _, fn := range frames[fresh:] {
		g.enterCall(at, fn, trace.Sampled)
	}
	g.shown = append(g.shown, frames[fresh:]...)
	g.known, g.seen = at, s
}

// agreed returns how many of the shown calls agree with a stack, how many of its frames do with
// them, and how many of the shown calls must stay open anyway: the regions and the frames around
// them.
func (g *goroutine) agreed(frames []trace.FuncID) (same, fresh, pinned int) {
	if n := len(g.open); n > 0 {
		pinned = g.open[n-1].shown + 1
	}
	for same < len(g.shown) && fresh < len(frames) {
		switch fn := g.shown[same]; {
		case fn == regionMark:
			same++
			if g.l.fns.b.FunctionName(frames[fresh]) == withRegion {
				fresh++
			}
		case fn == frames[fresh]:
			same, fresh = same+1, fresh+1
		case same < pinned:
			same = pinned // returned, yet stays open
		default:
			return same, fresh, pinned
		}
	}
	return same, fresh, pinned
}

// closeTo ends the shown calls but for the outermost n.
func (g *goroutine) closeTo(n int, at int64) {
	for range len(g.shown) - n {
		g.leaveCall(at)
	}
	g.shown = g.shown[:min(n, len(g.shown))]
	for k := len(g.open); k > 0 && g.open[k-1].shown >= n; k-- {
		g.open = g.open[:k-1]
	}
}

// sampled takes the stack of an event of a running goroutine. Events that contradict the
// goroutine's state, as CPU samples may, are ignored.
func (l *loader) sampled(e *xtrace.Event) {
	if e.Goroutine() == xtrace.NoGoroutine {
		return
	}
	var last *stack
	g := l.goroutines.get(e.Goroutine())
	if g != nil {
		last = g.seen
	}
	s := l.stacks.of(e.Stack(), last)
	if len(s.fns) == 0 {
		return
	}
	if g == nil {
		g = l.goroutine(e.Goroutine())
	}
	if !g.idle {
		g.showStack(l.now, s)
	}
}
