package gotrace

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	xtrace "golang.org/x/exp/trace"
)

// wakes has one goroutine make another one runnable, and states no stack.
func (s *script) wakes(t *testing.T, at int64, by, id xtrace.GoID) {
	t.Helper()
	e, err := xtrace.MakeEvent(xtrace.EventConfig[xtrace.StateTransition]{
		Time: xtrace.Time(at), Kind: xtrace.EventStateTransition, Goroutine: by,
		Details: xtrace.MakeGoStateTransition(id, xtrace.GoWaiting, xtrace.GoRunnable)})
	if err != nil {
		t.Fatal(err)
	}
	s.l.event(&e)
}

// TestReleaseBeforeTheFirstStack: a goroutine that acts before any of its stacks is seen still gets
// its start function from the first one, unless it does very much without.
func TestReleaseBeforeTheFirstStack(t *testing.T) {
	for waits, want := range map[int]string{
		1:             "a 0-99\n unblock 2-2\n b 90-90\n",
		mostEarly + 1: "goroutine 0-99\n unblock 2-2\n unblock 3-3\n",
	} {
		s := newScript()
		other := s.l.create(2, 0)
		other.begin(s.l.fns.routine("other", "", 0))
		for i := range int64(waits) {
			other.enter(xtrace.GoWaiting, "", 1+i)
			s.wakes(t, 2+i, 1, 2)
		}
		s.l.now = 90
		s.g.showStack(s.l.now, s.stack("ab"))
		for _, g := range []*goroutine{s.g, other} {
			g.end(99)
			g.finish()
		}
		s.l.writer.finish()
		tr, err := s.b.Build(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if got := s.text(tr.Threads[0]); !strings.HasPrefix(got, want) {
			t.Errorf("%d waits: %s", waits, cmp.Diff(want, got))
		}
		if len(tr.Correspondences) != waits {
			t.Errorf("%d waits, %d correspondences", waits, len(tr.Correspondences))
		}
		checkWaits(t, tr)
	}
}
