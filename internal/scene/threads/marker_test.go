package threads

import (
	"image/color"
	"math"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/scene"
)

// TestMarkersStayTransparent holds how many markers lie over each other against a count at every
// border, and that together they never hide more than mostCover of what lies beneath.
func TestMarkersStayTransparent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := make([]marker, rapid.IntRange(1, 30).Draw(t, "markers"))
		for k := range list {
			x := float32(rapid.IntRange(0, 20).Draw(t, "x"))
			w := float32(rapid.IntRange(1, 20).Draw(t, "width"))
			list[k] = marker{rect: geom.Rect{X0: x, X1: x + w, Y1: 1},
				stress: stress(rapid.IntRange(int(faded), int(strong)).Draw(t, "stress"))}
		}
		stackMarkers(list)
		over := func(x float32) (n int, cover float64) {
			left := 1.
			for k := range list {
				if r := &list[k].rect; x >= r.X0 && x < r.X1 {
					body, _ := list[k].inks()
					n, left = n+1, left*(1-body)
				}
			}
			return n, 1 - left
		}
		for k := range list {
			deep := 0
			for x := list[k].rect.X0; x < list[k].rect.X1; x++ {
				n, cover := over(x)
				if deep = max(deep, n); cover > mostCover+1e-9 {
					t.Fatalf("at %v, %d markers take %.3f of what lies beneath", x, n, cover)
				}
			}
			if list[k].deep != deep {
				t.Fatalf("marker %d: %d lie over each other, want %d", k, list[k].deep, deep)
			}
		}
	})
}

// TestMarkersTogetherAreAsOpaqueAsTheyAre: stretches that lie over each other are drawn as rectangles
// beside each other, as opaque at each place as the stretches over it are together, or as the most.
func TestMarkersTogetherAreAsOpaqueAsTheyAre(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := make([]tinge, rapid.IntRange(1, 40).Draw(t, "stretches"))
		for k := range list {
			x := float32(rapid.IntRange(0, 20).Draw(t, "x"))
			list[k] = tinge{x, x + float32(rapid.IntRange(1, 20).Draw(t, "width")),
				rapid.Float64Range(.001, .9).Draw(t, "ink")}
		}
		const most = .8
		l := scene.Layer{}
		b := &builder{v: &View{Stacks: geom.Rect{X1: 50, Y1: 9}}}
		b.drawTinges(&l, color.NRGBA{R: 9, A: 0xff}, list, most)
		for x := float32(.5); x < 45; x++ {
			left, got := 1., 0
			for _, s := range list {
				if s.x0 < x && x < s.x1 {
					left *= 1 - s.ink
				}
			}
			for _, q := range l.Quads {
				if q.Rect.X0 < x && x < q.Rect.X1 {
					got += int(q.Fill.A)
				}
			}
			if want := 255 * min(1-left, most); math.Abs(float64(got)-want) > 1.01 {
				t.Fatalf("at %v it is %d, want %.2f", x, got, want)
			}
		}
	})
}

// TestOneMarkerForEachWait: a wait during which one thread released it again and again has one
// marker on that thread, also where every release is drawn.
func TestOneMarkerForEachWait(t *testing.T) {
	s := newSketch()
	main, other := s.thread("main"), s.thread("other")
	main.call(0, 100, "main", func() {
		for at := 10.; at < 90; at += 4 {
			main.release(at, "sem_post", "sem")
		}
	})
	other.call(0, 100, "run", func() { other.wait(5, 95, "sem_wait", "sem") })
	a := s.find(t)
	st := whole(t, a, 0, Options{})
	st.All = true
	v := Build(&st, geom.Size{W: 800, H: 600}, nil)
	if len(v.releases) < 10 {
		t.Fatalf("%d releases are drawn", len(v.releases))
	}
	bodies := 0
	for _, l := range v.Scene.Layers {
		for _, q := range l.Quads {
			if q.Rect.Y0 == v.Stacks.Y0 && q.Rect.Y1 == v.Stacks.Y1 && q.Rect.W() > .8*v.Stacks.W() &&
				q.Fill.A < 0xff && math.Abs(float64(q.Fill.A)/255-markerInks[normal][0]) < .01 {
				bodies++
			}
		}
	}
	if bodies != 1 {
		t.Errorf("the wait has %d markers", bodies)
	}
}
