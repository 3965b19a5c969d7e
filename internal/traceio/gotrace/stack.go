package gotrace

import (
	"slices"

	xtrace "golang.org/x/exp/trace"

	"diptych/internal/trace"
	"diptych/internal/traceio/qualified"
)

// functions names what is called.
type functions struct {
	b      *trace.Builder
	states map[stateKey]trace.FuncID
}

type stateKey struct {
	state  xtrace.GoState
	reason string
}

// state returns the function that stands for a state a goroutine entered for the given reason. Only
// waits go by their reasons.
func (f *functions) state(s xtrace.GoState, reason string) trace.FuncID {
	key := stateKey{s, reason}
	if fn, ok := f.states[key]; ok {
		return fn
	}
	name := "blocked"
	switch {
	case s == xtrace.GoSyscall:
		name = "syscall"
	case s == xtrace.GoRunnable:
		name = "runnable"
	case reason != "":
		name += ": " + reason
	}
	if f.states == nil {
		f.states = map[stateKey]trace.FuncID{}
	}
	f.states[key] = f.named(name, trace.State)
	return f.states[key]
}

// named returns the function that stands for a state, a task or an event.
func (f *functions) named(name string, kind trace.FuncKind) trace.FuncID {
	return f.b.Function(trace.Function{Name: name, Kind: kind})
}

// region returns the function that stands for a user region begun in a function of the given
// package.
func (f *functions) region(name, pkg string) trace.FuncID {
	return f.b.Function(trace.Function{Name: name, Package: pkg, Kind: trace.Region})
}

// routine returns the function of a stack frame. Line is where it begins, where that is known.
func (f *functions) routine(name, file string, line int32) trace.FuncID {
	return f.b.Function(trace.Function{
		Name: name, Package: qualified.Package(name), File: file, Line: line})
}

// stacks turns the reader's stacks into functions, outermost first, and remembers those of one
// generation.
type stacks struct {
	fns   *functions
	guard *guard
	known map[xtrace.Stack][]trace.FuncID

	frames []xtrace.StackFrame // of the stack at hand
}

func (s *stacks) forget() { s.known = map[xtrace.Stack][]trace.FuncID{} }

// of returns the functions of a stack; the caller must not change them.
func (s *stacks) of(stack xtrace.Stack) []trace.FuncID {
	if stack == xtrace.NoStack {
		return nil
	}
	fns, ok := s.known[stack]
	if ok {
		return fns
	}
	s.frames = s.frames[:0]
	s.guard.run(func() { s.frames = slices.AppendSeq(s.frames, stack.Frames()) })
	for _, f := range s.frames {
		fns = append(fns, s.fns.routine(f.Func, f.File, 0))
	}
	fns = s.own(fns)
	slices.Reverse(fns)
	if s.known == nil {
		s.forget()
	}
	s.known[stack] = fns
	return fns
}

// own drops the frames that start every goroutine from a stack, innermost first: those of CPU
// samples have them, those of other events do not.
func (s *stacks) own(fns []trace.FuncID) []trace.FuncID {
	for _, starter := range []string{"runtime.goexit", "runtime.main"} {
		n := len(fns) - 1
		if n < 0 || s.fns.b.FunctionName(fns[n]) != starter {
			break
		}
		fns = fns[:n]
	}
	return fns
}
