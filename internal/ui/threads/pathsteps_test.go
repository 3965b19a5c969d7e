package threads

import (
	"image"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/scene/threads"
)

// TestTheCriticalPathWalks: by keys, by the buttons above the table of waits and by clicks on the
// picture, from stretch to stretch; each moves the stretch's thread into the middle.
func TestTheCriticalPathWalks(t *testing.T) {
	b := circles(t)
	path := b.State().CriticalPath(pair.A)
	last := len(path.Segments) - 1
	if last < 2 {
		t.Fatalf("a path of %d stretches", last+1)
	}
	at := func(how string, want int) {
		t.Helper()
		st := b.State()
		if got := st.Stretch(pair.A); got != want || !st.WaitStyle.Critical {
			t.Fatalf("%s: stretch %d is shown, want %d; drawn is %v", how, got, want, st.WaitStyle.Critical)
		}
		s := &path.Segments[want]
		if th := st.Pair.Threads[st.Current].On(pair.A); th != int(s.Thread) {
			t.Fatalf("%s: thread %d is in the middle, want %d", how, th, s.Thread)
		}
		if f := st.Sides[pair.A].Focus; !f.Contains(float64(s.From)) || !f.Contains(float64(s.To)) {
			t.Fatalf("%s: %v is in sight of a stretch from %d to %d", how, f, s.From, s.To)
		}
	}
	b.C.S.ShowStretch(pair.A, last)
	b.Settle()
	at("at first", last)
	b.Click("Earlier on the critical path of A")
	b.Settle()
	at("by the button", last-1)
	b.Click("Later on the critical path of A")
	b.Settle()
	at("and back", last)
	b.Move(b.onPath(pair.A, last))
	b.Strike("Shift-K")
	b.Settle()
	at("by the key", last-1)
	b.ClickAt(b.onPath(pair.A, last-1))
	b.Settle()
	at("by a click on what is shown", last-2)
	b.Strike("Shift-U")
	if b.State().WaitStyle.Critical {
		t.Error("the path is still drawn")
	}
}

// onPath returns a point at which a stretch of the critical path is picked.
func (b *bench) onPath(side pair.Side, k int) image.Point {
	b.T.Helper()
	v := b.pane.Shown(side)
	for y := v.Stacks.Y1 - 4; y < v.Stacks.Y1; y++ {
		for x := v.Stacks.X0; x < v.Stacks.X1; x++ {
			if h, ok := v.Pick(geom.Point{X: x, Y: y}); ok && h.Part == threads.OnPath && h.Segment == k {
				return b.on(side, x, y)
			}
		}
	}
	b.T.Fatalf("stretch %d is nowhere on the picture", k)
	return image.Point{}
}
