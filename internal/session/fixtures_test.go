package session

import (
	"context"
	"math/rand/v2"
	"strconv"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// grown builds a trace of two threads that walk at random through a program of a few functions; the
// deeper a call, the higher its function's number.
func grown(t testing.TB, seed uint64, calls int) *trace.Trace {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	b := trace.NewBuilder("test")
	var fns []trace.FuncID
	for i := range 24 {
		fns = append(fns, b.Function(trace.Function{Name: "f" + strconv.Itoa(i)}))
	}
	process := b.Process("p")
	for _, id := range []string{"1", "2"} {
		th := b.Thread(id, process)
		now, stack := int64(0), []int{}
		for n := 0; n < calls; now += 1 + r.Int64N(20) {
			top := -1
			if len(stack) > 0 {
				top = stack[len(stack)-1]
			}
			if fn := top + 1 + r.IntN(8); fn < len(fns) && (top < 0 || r.IntN(2) == 0) {
				th.Begin(now, fns[fn])
				stack = append(stack, fn)
				n++
			} else {
				th.End(now)
				stack = stack[:len(stack)-1]
			}
		}
		for range stack {
			th.End(now)
			now++
		}
	}
	tr, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// compared returns a settled session with two grown traces.
func compared(t testing.TB) *Session {
	t.Helper()
	s := New(func() {})
	s.Put(pair.A, "a", grown(t, 1, 300))
	s.Put(pair.B, "b", grown(t, 2, 300))
	s.SetTab(GroupsTab)
	s.Settle(context.Background())
	return s
}

// drainUntil applies results as a window does until done, for as long as any test may take.
func drainUntil(t *testing.T, s *Session, done func() bool) {
	t.Helper()
	for !done() {
		if len(s.Jobs()) == 0 {
			t.Fatal("no job is running")
		}
		s.deliver(<-s.results)
	}
}

// grown2 is a small grown trace.
func grown2(seed uint64) *trace.Trace { return grown(panicking{}, seed, 40) }

// panicking stands for a test where a failure to build a fixture is a mistake of the test's own.
type panicking struct{ testing.TB }

func (panicking) Helper()           {}
func (panicking) Fatal(args ...any) { panic(args) }
