package gotrace

import (
	"fmt"
	"io"
)

// guard stands around the reading of a trace by the library that decodes it. The library is written
// for intact traces and panics on some damaged ones; the guard turns such a panic into a fault of
// the trace, at which reading ends. A panic of our own code is a defect and passes through. There
// are several calls of the library an event, so each is only marked, which costs next to nothing:
// what is deferred stands around all of them.
type guard struct {
	fault  error // what the library panicked with
	inside bool  // the library runs, and not the stream that it reads from
}

// run has read call the library, each time through call or ask.
func (g *guard) run(read func()) {
	defer func() {
		if g.inside { // which it is only left to be by a panic
			g.inside, g.fault = false, fmt.Errorf("broken trace: %v", recover())
		}
	}()
	read()
}

// call marks a call of the library.
func (g *guard) call(library func()) {
	g.inside = true
	library()
	g.inside = false
}

// ask returns what a method of an event returns.
func ask[T any](g *guard, method func() T) T {
	g.inside = true
	v := method()
	g.inside = false
	return v
}

// stream is what the library reads from; it tells the guard when our code runs.
type stream struct {
	io.Reader
	guard *guard
}

func (s stream) Read(p []byte) (int, error) {
	s.guard.inside = false
	n, err := s.Reader.Read(p)
	s.guard.inside = true
	return n, err
}
