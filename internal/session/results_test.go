package session

import (
	"context"
	"testing"

	"diptych/internal/align"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/store"
)

// TestAlignmentIsKept checks that what a session computes is found by the next one, the alignment
// with it.
func TestAlignmentIsKept(t *testing.T) {
	dir := t.TempDir()
	open := func() (*Session, *store.Store) {
		kept := store.At(dir, store.DefaultLimit)
		kept.All = true
		s := New(func() {})
		s.Store = kept
		s.Put(pair.A, "a", grown(t, 1, 200))
		s.Settle(context.Background()) // else what is looked for in A alone may be cancelled
		s.Put(pair.B, "b", grown(t, 2, 200))
		s.Settle(context.Background())
		return s, kept
	}
	first, kept := open()
	if c := kept.Counts(); c.Hits != 0 || c.Stored == 0 {
		t.Fatalf("%+v", c)
	}
	second, again := open()
	if c := again.Counts(); c.Stored != 0 || c.Misses != 0 || c.Hits != kept.Counts().Stored {
		t.Errorf("%+v, stored were %d", c, kept.Counts().Stored)
	}
	p := second.State().Pair
	_, stored, err := again.Alignments(t.Context(), p, p.Threads, align.Options{}, nil)
	if err != nil || !stored {
		t.Errorf("the alignment is stored: %v; %v", stored, err)
	}
	a, b := first.State().Aligned, second.State().Aligned
	for k, r := range a.Results {
		if b.Results[k].Score != r.Score {
			t.Errorf("threads %d: score %d, want %d", k, b.Results[k].Score, r.Score)
		}
	}
}

// TestGradualResultsSettle holds that a result that leads to the next takes one step while a session
// settles, and goes on by itself afterwards.
func TestGradualResultsSettle(t *testing.T) {
	type step struct{ n int }
	steps := Result[step, int]{Slot: "steps", Gradual: true}
	steps.Key = func(st *State) (step, bool) {
		n, _ := steps.Last(st)
		return step{n + 1}, n < 5 // the zero key would ask for nothing
	}
	steps.Find = func(_ context.Context, k step, _ progress.Func) (int, error) { return k.n, nil }
	s := New(func() {})
	s.Register(Kind{View: Matches, Wants: []Wanted{steps.Wanted()}})
	s.SetDark(true) // any change
	s.Settle(context.Background())
	if n, _ := steps.Last(s.State()); n != 1 {
		t.Errorf("settling takes %d steps", n)
	}
	s.SetDark(false)
	for len(s.Jobs()) > 0 {
		s.Drain()
	}
	if n, _ := steps.Last(s.State()); n != 5 {
		t.Errorf("%d steps were taken in the end", n)
	}
}

// TestTwin holds that a twin shows the same, needs no job for it, and goes its own way from there.
func TestTwin(t *testing.T) {
	s := compared(t)
	twin := s.Twin(func() {})
	if a, b := s.State(), twin.State(); a.Pair != b.Pair || a.Aligned != b.Aligned || a.Found != b.Found ||
		a.Aligned.Findings == nil {
		t.Error("the twin lacks what has been computed")
	}
	twin.SetDark(true)
	if n := len(twin.Jobs()); n != 0 {
		t.Errorf("the twin runs %d jobs", n)
	}
	before := s.State().Rev
	twin.SetView(Threads)
	twin.SplitPane(Alignment, false)
	twin.SetFocus(pair.A, geom.Span{Start: 1e6, End: 2e6})
	twin.Settle(t.Context())
	if st := s.State(); st.Rev != before || st.View != Matches || len(st.Layout.Panes()) != 1 || len(st.panes) != 1 ||
		st.Sides[pair.A].Focus != st.Sides[pair.A].Whole() || st.PreparedThreads() != nil {
		t.Error("what happens to the twin shows in the session")
	}
	if twin.Back(); twin.State().Sides[pair.A].Focus != s.State().Sides[pair.A].Focus {
		t.Error("the twin has no step back")
	}
}

// TestWhatIsLeftIsKept goes from one thread to all and back: nothing is looked for again that does
// not depend on the foci or the pointer.
func TestWhatIsLeftIsKept(t *testing.T) {
	s := compared(t)
	s.SetTab("")
	one := s.State().Process
	for _, tau := range []int{usualTau, 70} {
		s.ShowProcess(one)
		s.Settle(t.Context())
		was := s.State().Found
		s.ShowProcess(!one)
		s.Settle(t.Context())
		s.SetTau(tau)
		s.ShowProcess(one)
		now := s.State().Found
		if now == nil || now.Ladder != was.Ladder || now.Repeats != was.Repeats || now.Graph != was.Graph {
			t.Fatalf("τ %d: what was found is not kept: %+v", tau, now)
		}
		if same := now.Rung == was.Rung; same != (tau == usualTau) {
			t.Errorf("τ %d: the bars of the τ before stay: %v", tau, same)
		}
		for _, slot := range []string{compareSlot, repeatsSlot, barsSlot} {
			if s.job(s.slotFor(slot)) != nil {
				t.Errorf("τ %d: %s begins again", tau, slot)
			}
		}
		if again := s.job(s.slotFor(distancesSlot)) != nil; again != (tau != usualTau) {
			t.Errorf("τ %d: shifts are measured again: %v", tau, again)
		}
		s.Settle(t.Context())
		s.checkFound(t)
	}
	s.ShowProcess(!one)
	s.Swap()
	if s.left.found != nil {
		t.Error("what was found for traces that are gone is kept")
	}
}

// TestLeavingAnUnfinishedComparison checks that what was being looked for is looked for on return.
func TestLeavingAnUnfinishedComparison(t *testing.T) {
	s := compared(t)
	one := s.State().Process
	s.ShowProcess(!one)
	drainUntil(t, s, func() bool { return s.State().Found != nil })
	s.ShowProcess(one)
	s.Settle(t.Context())
	s.ShowProcess(!one)
	s.Settle(t.Context())
	s.checkFound(t)
}
