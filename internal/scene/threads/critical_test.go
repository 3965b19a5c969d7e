package threads

import (
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/wait"
)

func pathOf(t failer, a *wait.Analysis) *wait.Path {
	p, err := a.CriticalPath(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestCriticalPathIsDrawn: every stretch that is wide enough is drawn on its thread, over its time,
// and is what is picked there; what is skipped is narrower than a pixel.
func TestCriticalPathIsDrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := someTrace(t)
		st := someState(t, a)
		st.Path, st.Stretch = pathOf(t, a), -1
		v := Build(&st, someSize(t), nil)
		if v.Ring.Outer == 0 {
			return
		}
		drawn := map[int]stretch{}
		for _, s := range v.path {
			drawn[s.segment] = s
		}
		b := builder{st: &st, v: v, dp: 1}
		for k := range st.Path.Segments {
			s := &st.Path.Segments[k]
			place := Nowhere
			for of := Main; of < len(st.Sections); of++ {
				for _, th := range st.section(of).Threads {
					if th == int(s.Thread) {
						place = of
					}
				}
			}
			got, ok := drawn[k]
			if ok && got.place != place {
				t.Fatalf("stretch %d is drawn at place %d, its thread has place %d", k, got.place, place)
			}
			if place == Nowhere || place == Main && v.Stacks.Empty() {
				continue
			}
			view := st.view(place)
			inSight := float64(s.To) > max(view.Start, st.View.Start) &&
				float64(s.From) < min(view.End, st.View.End)
			if inSight && float64(s.To-s.From) > 2*b.finest() && !ok {
				t.Fatalf("stretch %d from %d to %d is not drawn", k, s.From, s.To)
			}
			if !ok || place != Main || got.main.W() < 8 || got.main.Y1 > v.Stacks.Y1+.1 {
				continue
			}
			h := Hit{}
			at := geom.Point{X: (got.main.X0 + got.main.X1) / 2, Y: got.main.Y0 + 1}
			if !v.pickPath(at, &h) || h.Thread != int(s.Thread) {
				t.Fatalf("at stretch %d thread %d is picked", k, h.Thread)
			}
		}
	})
}

// TestUnexplainedWaitsAreHollow: where the path waits for nobody that is known, its line is hollow,
// and the foot says how much that is.
func TestUnexplainedWaitsAreHollow(t *testing.T) {
	s := newSketch()
	main := s.thread("main")
	main.call(0, 100, "main", func() { main.wait(20, 70, "sem_wait", "never posted") })
	s.thread("other").call(0, 90, "run")
	a := s.find(t)
	st := whole(t, a, 0, Options{Idle: true})
	st.Path, st.Stretch = pathOf(t, a), -1
	v := Build(&st, geom.Size{W: 900, H: 700}, nil)
	if st.Path.WaitNs != 50*ms {
		t.Fatalf("%d ns of the path are unexplained", st.Path.WaitNs)
	}
	hollow := geom.Rect{}
	for _, l := range v.Scene.Layers {
		for _, q := range l.Quads {
			if q.Fill == st.Palette.Pane && q.Rect.H() < 2 && q.Rect.Y1 <= v.Stacks.Y1 && q.Rect.W() > 10 {
				hollow = q.Rect
			}
		}
	}
	if x := v.Axis.X(20 * ms); abs(hollow.X0-x) > 1 || abs(hollow.X1-v.Axis.X(70*ms)) > 1 {
		t.Errorf("hollow from %v to %v", hollow.X0, hollow.X1)
	}
	if all := strings.Join(textsOf(v.Scene), "|"); !strings.Contains(all, "critical path") ||
		!strings.Contains(all, "50.0 ms of it unexplained") {
		t.Errorf("it says %q", all)
	}
}
