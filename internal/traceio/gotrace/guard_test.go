package gotrace

import (
	"context"
	"io"
	"testing"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// panics reports whether f panics.
func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}

// TestOwnPanicsPass holds that a defect of ours is not taken for one of the trace: here a panic
// between two events, and one of the stream while the library reads it.
func TestOwnPanicsPass(t *testing.T) {
	for _, data := range recordings(t) {
		broken := source(data)
		broken.Stream = brokenStream{}
		for what, load := range map[string]func() error{
			"between events": func() error {
				ctx := &brokenContext{Context: context.Background()}
				return Load(ctx, source(data), input.Options{}, trace.NewBuilder("gotrace"))
			},
			"of the stream": func() error {
				return Load(context.Background(), broken, input.Options{}, trace.NewBuilder("gotrace"))
			},
		} {
			if !panics(func() { load() }) {
				t.Errorf("a panic %s is hidden", what)
			}
		}
		return
	}
}

// brokenContext panics when it is first asked.
type brokenContext struct {
	context.Context
	asked bool
}

func (c *brokenContext) Err() error {
	if !c.asked {
		c.asked = true
		panic("the context is broken")
	}
	return nil
}

type brokenStream struct{}

func (brokenStream) Read([]byte) (int, error) { panic("the stream is broken") }

// TestLibraryPanicsAreFaults holds that what the library panics with is a fault of the trace.
func TestLibraryPanicsAreFaults(t *testing.T) {
	var g guard
	after := false
	g.run(func() {
		ask(&g, func() int { panic("expected id 7") })
		after = true
	})
	if after || g.inside || g.fault == nil || g.fault.Error() != "broken trace: expected id 7" {
		t.Errorf("after %v, fault %v", after, g.fault)
	}
	g = guard{}
	var r io.Reader = stream{source(nil).Stream, &g}
	g.run(func() { g.call(func() { r.Read(make([]byte, 1)) }) })
	if g.fault != nil || g.inside {
		t.Error("a read that ends well is no fault")
	}
}
