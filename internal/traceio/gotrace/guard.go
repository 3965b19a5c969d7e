package gotrace

import (
	"fmt"
	"io"
)

// guard runs calls of the library that decodes traces. The library is written for intact traces and
// panics on some damaged ones; the guard turns such a panic into a fault of the trace. A panic of
// our own code is a defect and passes through. Inside a guarded call, the only code of ours is the
// stream that the library reads.
type guard struct {
	fault   error // what the library panicked with
	reading bool  // the library reads from us
}

// run reports whether the call returned.
func (g *guard) run(call func()) (ok bool) {
	defer func() {
		if ok {
			return
		}
		p := recover()
		if g.reading {
			panic(p)
		}
		g.fault = fmt.Errorf("broken trace: %v", p)
	}()
	call()
	return true
}

// ask returns what a method of an event returns, and whether it did.
func ask[T any](g *guard, method func() T) (v T, ok bool) {
	ok = g.run(func() { v = method() })
	return v, ok
}

// stream is what the library reads from; it tells the guard when our code runs.
type stream struct {
	io.Reader
	guard *guard
}

func (s stream) Read(p []byte) (int, error) {
	s.guard.reading = true
	n, err := s.Reader.Read(p)
	s.guard.reading = false
	return n, err
}
