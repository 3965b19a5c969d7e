package progress

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Group is an errgroup.Group whose Wait panics if one of its goroutines has panicked. A panic that
// no goroutine recovers ends the process, and only the goroutine that panics can recover it. So
// whoever compares thousands of pairs, and wants one pair that brings a mistake of the program to
// light to be a failure of that pair alone, could not: the engines work in goroutines of their own.
// All goroutines that look at traces belong to a Group, Queues or Try, since the file that a trace
// is mapped from may be damaged meanwhile (tracefile.Cache.Blame).
//
// The other goroutines are told by the context that they may end. One that waits for the goroutine
// that panicked has to be woken by a deferred call. A zero Group is valid, and has no context.
type Group struct {
	alone  errgroup.Group  // of a zero Group
	group  *errgroup.Group // nil in a zero Group
	caught trap
}

// NewGroup returns a group, and a context that is done once one of its goroutines fails or panics,
// or all are waited for.
func NewGroup(ctx context.Context) (*Group, context.Context) {
	group, under := errgroup.WithContext(ctx)
	return &Group{group: group}, under
}

func (g *Group) all() *errgroup.Group {
	if g.group == nil {
		return &g.alone
	}
	return g.group
}

// SetLimit limits how many goroutines there are at a time.
func (g *Group) SetLimit(n int) { g.all().SetLimit(n) }

// Go calls work in a goroutine, and waits before while there are as many as the limit allows.
func (g *Group) Go(work func() error) {
	g.all().Go(func() error { return g.caught.call(work) })
}

// Do is Go for work that cannot fail.
func (g *Group) Do(work func()) { g.Go(func() error { work(); return nil }) }

// Wait waits for all goroutines and returns the first error, or panics with a *Panic.
func (g *Group) Wait() error {
	err := g.all().Wait()
	g.caught.rethrow()
	return err
}

// Panic is what a goroutine has panicked with.
type Panic struct {
	Value any
	Where string // the function and the line, as package.function (file.go:12)
	Stack []byte
}

// Error says what has happened and where. It is the same whenever it happens again, which a stack
// with its addresses is not.
func (p *Panic) Error() string { return fmt.Sprintf("%v in %s", p.Value, p.Where) }

// String has the stack too: it is what the runtime prints if nobody recovers the panic.
func (p *Panic) String() string { return fmt.Sprintf("%v\n\n%s", p.Value, p.Stack) }

// Caught returns the *Panic of a value that recover has returned, in the function that has deferred
// the call of it; nil if there was no panic.
func Caught(value any) *Panic {
	switch p := value.(type) {
	case nil:
		return nil
	case *Panic:
		return p
	}
	return &Panic{value, panicked(), debug.Stack()}
}

// Try calls work, and returns its panic if it has one. A fault on memory that is mapped from a file
// is a panic, too: the file may have been cut, or its disk fail. By default it ends the process.
func Try(work func()) (p *Panic) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { p = Caught(recover()) }()
	work()
	return nil
}

// panicked returns where the running panic began.
func panicked() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for begun := false; ; {
		f, more := frames.Next()
		ofRuntime := strings.HasPrefix(f.Function, "runtime.")
		if begun && !ofRuntime {
			return fmt.Sprintf("%s (%s:%d)", f.Function[strings.LastIndexByte(f.Function, '/')+1:],
				filepath.Base(f.File), f.Line)
		}
		begun = begun || f.Function == "runtime.gopanic"
		if !more {
			return "an unknown function"
		}
	}
}

// trap holds the first panic of several goroutines.
type trap struct {
	mu    sync.Mutex
	first *Panic
}

// call calls work. If that panics, the error is the *Panic.
func (t *trap) call(work func() error) (err error) {
	p := Try(func() { err = work() })
	if p == nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.first == nil {
		t.first = p
	}
	return p
}

// rethrow panics if a call did.
func (t *trap) rethrow() {
	t.mu.Lock()
	p := t.first
	t.mu.Unlock()
	if p != nil {
		panic(p)
	}
}
