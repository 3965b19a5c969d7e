package session

import (
	"context"
	"testing"

	"diptych/internal/align"
	"diptych/internal/geom"
	"diptych/internal/pair"
)

// TestLockByAlignmentShowsThePartner checks that fitting a call on one side shows the call it is
// paired with on the other.
func TestLockByAlignmentShowsThePartner(t *testing.T) {
	s := compared(t)
	s.SetLock(ByAlignment, pair.A)
	s.Settle(context.Background())
	a := s.State().Aligned
	if a == nil || a.Shown == nil {
		t.Fatalf("aligned is %+v", a)
	}
	r, checked := s.State().Shown().Result, 0
	for i, j := range r.Partner[pair.A] {
		x, y := r.Threads[pair.A], r.Threads[pair.B]
		if j == align.None || x.Dur(i) < minFocus || y.Dur(int(j)) < minFocus {
			continue
		}
		s.SetFocus(pair.A, geom.Span{Start: float64(x.Start(i)), End: float64(x.End(i))})
		got := s.State().Sides[pair.B].Focus
		if got.Start > float64(y.Start(int(j))) || got.End < float64(y.End(int(j)))-1 {
			t.Fatalf("call %d is paired with %d at [%d, %d], shown is %v", i, j, y.Start(int(j)), y.End(int(j)), got)
		}
		checked++
	}
	if checked < 10 {
		t.Errorf("only %d pairs were checked", checked)
	}
}

// TestAlignmentFollowsThePair checks that a new pairing is aligned anew, and nothing without one.
func TestAlignmentFollowsThePair(t *testing.T) {
	s := compared(t)
	first := s.State().Aligned
	if first == nil || len(first.Results) == 0 {
		t.Fatal("the traces are not aligned")
	}
	s.Swap()
	if s.State().Aligned != nil {
		t.Error("the alignment of the sides as they were stays")
	}
	s.Settle(context.Background())
	if now := s.State().Aligned; now == nil || now.Pair != s.State().Pair {
		t.Error("the swapped sides are not aligned")
	}
	s.Close()
	if s.State().Aligned != nil {
		t.Error("closed traces are aligned")
	}
}
