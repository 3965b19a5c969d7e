package session

import (
	"context"
	"testing"
	"time"

	"diptych/internal/geom"
	"diptych/internal/pair"
)

// frames calls Animate every 16 ms from begin on until nothing moves, and after each frame see.
func frames(s *Session, begin time.Time, see func(after time.Duration)) {
	for after := time.Duration(0); s.Animate(begin.Add(after)); after += 16 * time.Millisecond {
		see(after)
	}
}

func TestGlideEndsAtItsTarget(t *testing.T) {
	s := opened(t)
	steps := len(s.history.steps)
	to := [2]geom.Span{{Start: 100, End: 300}, {Start: 700, End: 720}}
	s.glideTo(map[pair.Side]geom.Span{pair.A: to[0], pair.B: to[1]})
	last := s.State().Sides[pair.B].Focus
	n := 0
	frames(s, time.Unix(7, 0), func(after time.Duration) {
		now := s.State().Sides[pair.B].Focus
		if now.Start < last.Start || now.End > last.End || now == last && after > 0 {
			t.Errorf("after %v: B goes from %v to %v on its way to %v", after, last, now, to[1])
		}
		last = now
		n++
		if after > glideTime {
			t.Fatalf("still moving after %v", after)
		}
	})
	for side, want := range to {
		if got := s.State().Sides[side].Focus; got != want {
			t.Errorf("side %d ends at %v, want %v", side, got, want)
		}
	}
	if n < 10 || s.Animating() || len(s.history.steps) != steps+1 {
		t.Errorf("%d frames, animating %v, %d steps of history", n, s.Animating(),
			len(s.history.steps)-steps)
	}
}

func TestGlideLetsGoOfASideThatIsMoved(t *testing.T) {
	s := opened(t)
	s.glideTo(map[pair.Side]geom.Span{pair.A: {Start: 100, End: 300}, pair.B: {Start: 600, End: 700}})
	began := time.Unix(7, 0)
	s.Animate(began)
	s.Animate(began.Add(50 * time.Millisecond))
	s.SetFocus(pair.A, geom.Span{Start: 800, End: 900})
	frames(s, began.Add(60*time.Millisecond), func(time.Duration) {})
	st := s.State()
	if a := st.Sides[pair.A].Focus; a != (geom.Span{Start: 800, End: 900}) {
		t.Errorf("A was taken to %v", a)
	}
	if b := st.Sides[pair.B].Focus; b != (geom.Span{Start: 600, End: 700}) {
		t.Errorf("B stopped at %v", b)
	}
	s.Back()
	if s.Animating() {
		t.Error("walking back moves by itself")
	}
}

func TestStillNothingGlides(t *testing.T) {
	s := opened(t)
	s.SetStill(true)
	want := geom.Span{Start: 100, End: 300}
	s.glideTo(map[pair.Side]geom.Span{pair.A: want})
	if got := s.State().Sides[pair.A].Focus; got != want || s.Animating() || s.Animate(time.Unix(0, 0)) {
		t.Errorf("shows %v, animating %v", got, s.Animating())
	}
	s.SetStill(false)
	s.glideTo(map[pair.Side]geom.Span{pair.A: {Start: 0, End: 50}})
	s.SetStill(true)
	s.Animate(time.Unix(0, 0))
	if got := s.State().Sides[pair.A].Focus; got != (geom.Span{Start: 0, End: 50}) {
		t.Errorf("shows %v when motion is turned off", got)
	}
}

func TestSettleEndsAGlide(t *testing.T) {
	s := opened(t)
	want := geom.Span{Start: 100, End: 300}
	s.glideTo(map[pair.Side]geom.Span{pair.A: want})
	s.Settle(context.Background())
	if got := s.State().Sides[pair.A].Focus; got != want || s.Animating() {
		t.Errorf("shows %v, animating %v", got, s.Animating())
	}
}

func TestMoving(t *testing.T) {
	s := opened(t)
	now := time.Unix(100, 0)
	s.now = func() time.Time { return now }
	for _, c := range []struct {
		what string
		do   func()
		want bool
	}{
		{"settled", func() { s.Settle(context.Background()) }, false},
		{"focus", func() { s.SetFocus(pair.A, geom.Span{Start: 1, End: 99}) }, true},
		{"time", func() { now = now.Add(restTime) }, false},
		{"tau", func() { s.SetTau(33) }, true},
		{"more time", func() { now = now.Add(restTime - 1) }, true},
		{"rest", func() { now = s.RestAt() }, false},
		{"style", func() { s.SetStyle(func(st *Style) { st.Lambda = 1 }) }, false},
		{"hover", func() { s.SetHover(Target{Side: pair.A, OK: true}) }, false},
		{"scope", func() { s.ShowProcess(true) }, false},
	} {
		if c.do(); s.Moving() != c.want {
			t.Errorf("moving after %s: %v", c.what, s.Moving())
		}
	}
}
