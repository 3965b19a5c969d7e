package progress

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// TestOrder holds that what follows from pieces of work comes in their order, each once, one at a
// time, and before all of them are waited for.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 100).Draw(t, "n")
		work := rapid.Permutation(numbersBelow(n)).Draw(t, "work")
		var got []int // nothing but the order protects it
		o := NewOrder(n, func(i int) { got = append(got, i) })
		if err := Spread(t.Context(), n, func(i int) error { o.Done(work[i]); return nil }); err != nil {
			t.Fatal(err)
		}
		if len(got) != n {
			t.Fatalf("%d followed from %d", len(got), n)
		}
		for k, i := range got {
			if k != i {
				t.Fatalf("%d follows as number %d", i, k)
			}
		}
	})
}

func numbersBelow(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// caughtOf returns what a function panics with.
func caughtOf(t *testing.T, do func()) (p *Panic) {
	t.Helper()
	defer func() {
		if p = Caught(recover()); p == nil {
			t.Error("it did not panic")
		}
	}()
	do()
	return nil
}

func outOfRange(list []int) int { return list[len(list)] }

// TestPanicsCross has goroutines panic: whoever waits for them panics with the first value, where it
// happened is told, and the others are told to end.
func TestPanicsCross(t *testing.T) {
	for name, do := range map[string]func(){
		"group": func() {
			g, ctx := NewGroup(t.Context())
			g.SetLimit(2)
			g.Go(func() error { <-ctx.Done(); return ctx.Err() })
			g.Go(func() error { outOfRange(nil); return nil })
			_ = g.Wait()
		},
		"spread": func() {
			_ = Spread(t.Context(), 100, func(i int) error { outOfRange(make([]int, i)); return nil })
		},
		"queues": func() {
			q := NewQueues(1)
			q.Add(0, func() { outOfRange(nil) })
			q.Add(0, func() {})
			q.Wait()
		},
	} {
		p := caughtOf(t, do)
		if p == nil {
			continue
		}
		if want := "in progress.outOfRange (order_test.go:"; !strings.Contains(p.Error(), want) ||
			!strings.Contains(p.Error(), "index out of range") {
			t.Errorf("%s: %q, want %q in it", name, p.Error(), want)
		}
		if !strings.Contains(p.String(), "outOfRange") {
			t.Errorf("%s: the stack is missing: %s", name, p.String())
		}
	}
}

// TestGroupFails holds that without a panic a Group is an errgroup.Group.
func TestGroupFails(t *testing.T) {
	broken := errors.New("broken")
	g, ctx := NewGroup(context.Background())
	g.Go(func() error { return broken })
	g.Go(func() error { <-ctx.Done(); return nil })
	if err := g.Wait(); !errors.Is(err, broken) {
		t.Errorf("%v, want %v", err, broken)
	}
}

// TestGroupLimit: no more goroutines run at a time than the limit allows, and all of them do run.
func TestGroupLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, _ := NewGroup(t.Context())
		g.SetLimit(2)
		began := time.Now()
		for range 5 {
			g.Go(func() error { time.Sleep(time.Second); return nil })
		}
		if err := g.Wait(); err != nil || time.Since(began) != 3*time.Second {
			t.Errorf("five seconds of work, two at a time, took %v: %v", time.Since(began), err)
		}
	})
}
