package threads

import (
	"testing"

	"diptych/internal/geom"
	"diptych/internal/wait"
)

// TestStatesAreDrawn: the strip of the focus thread shows its states in their colours and heights
// over their times, and the graph how many threads wait.
func TestStatesAreDrawn(t *testing.T) {
	s := newSketch()
	main := s.thread("main")
	main.call(0, 80, "main", func() {
		main.wait(20, 40, "sem_wait", "sem")
		main.io(50, 60, "read", "file")
	})
	other := s.thread("other")
	other.call(0, 100, "run", func() { other.release(39, "sem_post", "sem") })
	st := whole(t, s.find(t), 0, Options{})
	v := Build(&st, geom.Size{W: 1024, H: 800}, nil)
	w := st.Palette.Waits()
	at := func(t float64) (h float32, of wait.State) {
		x := v.Axis.X(t * ms)
		for _, l := range v.Scene.Layers {
			for _, q := range l.Quads {
				if l.Clip != v.Strip || q.Rect.X0 > x || q.Rect.X1 < x || q.Rect.H() < 1 {
					continue
				}
				h = q.Rect.H()
				switch q.Fill {
				case st.Palette.Active():
					of = wait.Running
				case w.Waiting(1):
					of = wait.Blocked
				case w.Operating(1):
					of = wait.InIO
				}
			}
		}
		return h, of
	}
	for ms, want := range map[float64]wait.State{10: wait.Running, 30: wait.Blocked, 55: wait.InIO} {
		if h, of := at(ms); of != want || abs(h-stateStrip*stateHeights[want]) > .1 {
			t.Errorf("at %v ms it is %s, %v px high", ms, of, h)
		}
	}
	if h, _ := at(90); h != 0 {
		t.Errorf("where the thread has ended, it is %v px high", h)
	}
	p := geom.Point{X: v.Axis.X(30 * ms), Y: v.Graph.Y0 + 3}
	if h, ok := v.Pick(p); !ok || h.Part != OnStates {
		t.Errorf("at the graph %+v is picked", h)
	} else if n, focus, _ := v.StatesAt(h.At); n != [wait.NumStates]int{wait.Running: 1, wait.Blocked: 1} ||
		focus != wait.Blocked {
		t.Errorf("at 30 ms: %v, the focus thread is %s", n, focus)
	}
}

// TestGraphTextsStandWhereTheyHideLess: what the graph says stands at its right end, or at its left
// one or between them if fewer threads do it there.
func TestGraphTextsStandWhereTheyHideLess(t *testing.T) {
	for _, tt := range []struct {
		waits     [][2]float64
		from, end float32 // of the graph
	}{
		{[][2]float64{{0, 50}}, .5, 1},
		{[][2]float64{{50, 100}}, 0, .5},
		{[][2]float64{{0, 40}, {60, 100}}, .4, .6},
	} {
		s := newSketch()
		main, post := s.thread("main"), s.thread("post")
		main.call(0, 100, "main", func() {
			for _, w := range tt.waits {
				main.wait(w[0], w[1], "sem_wait", "sem")
			}
		})
		post.call(0, 100, "run", func() {
			for _, w := range tt.waits {
				post.release(w[1]-1, "sem_post", "sem")
			}
		})
		st := whole(t, s.find(t), 0, Options{})
		v := Build(&st, geom.Size{W: 1400, H: 800}, nil)
		found := false
		for _, l := range v.Scene.Layers {
			for _, x := range l.Texts {
				if x.Text == "waiting, up to 1" {
					g := v.Graph
					if found = true; x.Rect.X0 < g.X0+tt.from*g.W() || x.Rect.X1 > g.X0+tt.end*g.W() {
						t.Errorf("waits %v: the text is at %v of %v", tt.waits, x.Rect, g)
					}
				}
			}
		}
		if !found {
			t.Error("the graph says nothing")
		}
	}
}
