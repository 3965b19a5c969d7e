package aggregate

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"
)

// cancelled is a context that is done once it has been asked so many times.
type cancelled struct {
	context.Context
	left atomic.Int64
}

func after(times int64) *cancelled {
	c := &cancelled{Context: context.Background()}
	c.left.Store(times)
	return c
}

func (c *cancelled) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancelAtAnyMoment: measuring, searching and the curve end with the context's error wherever
// they are cancelled, and no inner node is visited without what is below it.
func TestCancelAtAnyMoment(t *testing.T) {
	s := randomTable(rand.New(rand.NewPCG(1, 2)), 40, 10, 3)
	for n := int64(0); ; n++ {
		q, err := Measure(after(n), s, Sum)
		if err == nil {
			break
		}
		if q != nil || !errors.Is(err, context.Canceled) {
			t.Fatalf("cancelled after %d looks: %v, %v", n, q, err)
		}
	}
	q, err := Measure(t.Context(), s, Sum)
	if err != nil {
		t.Fatal(err)
	}
	for n := int64(0); ; n++ {
		if _, err := q.Best(after(n), .5); err == nil {
			break
		} else if !errors.Is(err, context.Canceled) {
			t.Fatalf("cancelled after %d looks: %v", n, err)
		}
	}
	if _, err := NewCurve(after(3), q); !errors.Is(err, context.Canceled) {
		t.Errorf("a curve that is cancelled: %v", err)
	}
}

// TestMissing: what may be missing shrinks with each step, and nothing is missing at the end.
func TestMissing(t *testing.T) {
	q, err := Measure(t.Context(), randomTable(rand.New(rand.NewPCG(3, 4)), 12, 10, 3), Sum)
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCurve(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	last := c.Missing()
	if last <= 0 || last > 2+1e-9 {
		t.Errorf("at first %v is missing", last)
	}
	for {
		more, err := c.Step(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		now := c.Missing()
		if now > last+1e-9 {
			t.Errorf("%v is missing after %v", now, last)
		}
		if last = now; !more {
			break
		}
	}
	if last != 0 || !c.Whole() {
		t.Errorf("at the end %v is missing", last)
	}
}
