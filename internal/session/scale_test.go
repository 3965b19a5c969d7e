package session

import (
	"testing"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/trace"
	"diptych/internal/traceio/text/texttest"
)

// lasting is a trace with a call of so many ns, and an asynchronous track until the end.
func lasting(t *testing.T, call, end string) *trace.Trace {
	return texttest.Parse(t, "thread 1 name=main\n  0+"+call+" run\nthread 2 name=span async\n  0+"+end+" frame\n")
}

// TestFirstView: both sides begin at one scale unless one is four times as long as the other, and
// time after the last call of a thread is left out.
func TestFirstView(t *testing.T) {
	for name, c := range map[string]struct {
		calls, ends [2]string
		want        [2]float64
		common      bool
	}{
		"equal":       {[2]string{"1000", "1000"}, [2]string{"1000", "1000"}, [2]float64{1000, 1000}, true},
		"unequal":     {[2]string{"1000", "3000"}, [2]string{"1000", "3000"}, [2]float64{3000, 3000}, true},
		"far apart":   {[2]string{"1000", "5000"}, [2]string{"1000", "5000"}, [2]float64{1000, 5000}, false},
		"empty tails": {[2]string{"1000", "2000"}, [2]string{"4000", "4000"}, [2]float64{2040, 2040}, true},
	} {
		s := New(func() {})
		for side := range c.calls {
			s.Put(pair.Side(side), name, lasting(t, c.calls[side], c.ends[side]))
		}
		s.Settle(t.Context())
		st := s.State()
		for side, want := range c.want {
			if got := st.Sides[side].Focus; got != (geom.Span{End: want}) {
				t.Errorf("%s: side %d shows %v, want %g", name, side, got, want)
			}
		}
		if st.Common != c.common || st.SameScale() != c.common {
			t.Errorf("%s: at one scale: %v", name, st.SameScale())
		}
		s.ToggleScale()
		if st = s.State(); st.SameScale() == c.common && c.calls[0] != c.calls[1] && name != "empty tails" {
			t.Errorf("%s: the key does not change the scales", name)
		}
		if s.ShowAll(); s.State().Sides[0].Focus.End < s.State().Sides[0].Extent() {
			t.Errorf("%s: not all is shown", name)
		}
	}
}

// TestAlignmentLeavesTheScale: a look at the alignment, where each side shows what is paired with the
// other's calls, leaves both at one scale, and what the user has zoomed to.
func TestAlignmentLeavesTheScale(t *testing.T) {
	s := New(func() {})
	s.Put(pair.A, "a", lasting(t, "3000", "3000"))
	s.Put(pair.B, "b", lasting(t, "1000", "1000"))
	s.Settle(t.Context())
	look := func() [2]geom.Span {
		s.SetView(Alignment)
		s.Settle(t.Context())
		seen := s.State().foci()
		s.SetView(Matches)
		return seen
	}
	was := s.State().foci()
	if seen := look(); seen == was || s.State().foci() != was {
		t.Errorf("%v are shown, %v beside the alignment, and %v after it", was, seen, s.State().foci())
	}
	s.SetFocus(pair.A, geom.Span{Start: 100, End: 900})
	was = s.State().foci()
	if seen := look(); seen == was || s.State().foci() != was {
		t.Errorf("%v are shown, %v beside the alignment, and %v after it", was, seen, s.State().foci())
	}
}

// TestCallsOfOneSideBesideTheAlignment: where B alone has calls, no time of A is paired with them. The
// alignment shows that; the other views show A around that moment, also once the user has moved.
func TestCallsOfOneSideBesideTheAlignment(t *testing.T) {
	s := New(func() {})
	s.Put(pair.A, "a", texttest.Parse(t, "thread 1\n  0+1000 run\n  1000+9000 walk\n"))
	s.Put(pair.B, "b", texttest.Parse(t, "thread 1\n  0+1000 run\n  1000+5000 new\n  6000+4000 walk\n"))
	s.Settle(t.Context())
	s.Select(Target{OK: true, Side: pair.B, Ref: trace.CallRef{Call: 1}})
	for side := range 2 {
		s.SetFocus(pair.Side(side), geom.Span{Start: 500, End: 6500})
	}
	was := s.State().foci()
	s.SetView(Alignment)
	s.Settle(t.Context())
	s.SetFocus(pair.B, geom.Span{Start: 2000, End: 5000})
	if got := s.State().Sides[pair.A].Focus; got.Len() > minFocus {
		t.Errorf("beside the alignment of calls that only B has, A shows %v", got)
	}
	s.SetView(Matches)
	if got := s.State().Sides[pair.A].Focus; got.Len() != 3000 || !got.Contains(1000) {
		t.Errorf("after the alignment, A shows %v while B shows 3000 ns of calls that A lacks", got)
	}
	s.SetLock(ByAlignment, pair.B)
	s.SetFocus(pair.B, geom.Span{Start: 2000, End: 4000})
	if got := s.State().Sides[pair.A].Focus; got.Len() != 2000 || !got.Contains(1000) {
		t.Errorf("locked by alignment, A shows %v while B shows 2000 ns of calls that A lacks", got)
	}
	s.SetLock(Free, pair.B)
	for side := range 2 {
		s.SetFocus(pair.Side(side), was[side])
	}
	s.SetView(Alignment)
	if s.SetView(Matches); s.State().foci() != was {
		t.Errorf("after a look at the alignment %v are shown, not %v", s.State().foci(), was)
	}
}

// TestQuietThreadsFold: threads are shown by how busy they are on either side, and what is near-idle
// only when it is asked for.
func TestQuietThreadsFold(t *testing.T) {
	const text = "thread 1 name=idle\n  0+10 poll\nthread 2 name=some\n  0+3000 f\n" +
		"thread 3 name=busy\n  0+9000 f\nthread 4 name=waiter\n  0+9990 run\n    5+9980 sem_wait wait=s\n"
	s := New(func() {})
	s.Put(pair.A, "a", texttest.Parse(t, text))
	s.Put(pair.B, "b", texttest.Parse(t, text))
	s.Settle(t.Context())
	s.ShowProcess(true)
	shows := func(want ...string) {
		t.Helper()
		st := s.State()
		for side, tracks := range st.Tracks {
			for k, th := range tracks {
				if got := st.Sides[side].Trace.Threads[th].Name; k >= len(want) || got != want[k] {
					t.Errorf("side %d, track %d is %s, want %q", side, k, got, want)
				}
			}
			if len(tracks) != len(want) || st.Quiet[side] != 2 {
				t.Errorf("side %d has %d tracks and %d near-idle ones", side, len(tracks), st.Quiet[side])
			}
		}
	}
	shows("busy", "some")
	s.ToggleQuiet()
	shows("busy", "some", "idle", "waiter")
	s.ToggleQuiet()
	shows("busy", "some")
}

// TestSavedFocusWins: a session that is opened again shows what it showed when it was saved, at the
// scale that it had, rather than what a pair shows first.
func TestSavedFocusWins(t *testing.T) {
	s := New(func() {})
	for side, end := range []string{"1000", "3000"} {
		s.Put(pair.Side(side), "x", lasting(t, end, end))
	}
	s.Settle(t.Context())
	first := s.State().foci()
	for _, c := range []struct {
		name   string
		change func()
	}{
		{"a part of both", func() {
			s.SetFocus(pair.A, geom.Span{Start: 500, End: 2500})
			s.SetFocus(pair.B, geom.Span{Start: 100, End: 400})
		}},
		{"the other scale", s.ToggleScale},
		{"that scale once more", s.ToggleScale},
	} {
		c.change()
		was := s.State()
		now := reopenedFrom(t, s, was.traces()).State()
		if now.foci() != was.foci() || now.Common != was.Common {
			t.Errorf("%s: %v with one scale %v became %v, %v", c.name, was.foci(), was.Common, now.foci(), now.Common)
		}
		if now.foci() == first {
			t.Errorf("%s: shows what it did at first", c.name)
		}
	}
}

// TestRangesEndWithTheTrace: at one scale there is room to show beyond the shorter trace, but what
// is selected there is none of it; so it does not depend on the scale afterwards.
func TestRangesEndWithTheTrace(t *testing.T) {
	s := New(func() {})
	s.Put(pair.A, "a", lasting(t, "3000", "3000"))
	s.Put(pair.B, "b", lasting(t, "1000", "1000"))
	s.Settle(t.Context())
	if !s.State().Common {
		t.Fatal("the sides are not at one scale")
	}
	for side, want := range [][2]float64{{2500, 1000}, {1000, 1000}} {
		s.SelectRange(pair.Side(side), geom.Span{End: 2500})
		if r := s.State().Range; r.Span.End != want[0] || r.Across.End != want[1] {
			t.Errorf("side %d: selected %v, across %v, want ends %v", side, r.Span, r.Across, want)
		}
	}
}
