package session

import (
	"testing"

	"diptych/internal/geom"
	"diptych/internal/pair"
)

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
