package render_test

import (
	"image"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/scene"
	"diptych/internal/testpic"
)

// TestBriefFrame: a brief frame is what it would be without the shapes that have no program yet, and
// the next one is whole, also where the shapes lie out of sight. From then on nothing is left out.
func TestBriefFrame(t *testing.T) {
	testpic.Renderer(t) // makes the context
	size := image.Pt(120, 90)
	o := offscreen(t, size)
	ground := func() (*scene.Scene, *scene.Layer) {
		s, l := tubes(120, 90)
		l.Quads = []scene.Quad{{Rect: geom.Rect{X1: 60, Y1: 90}, Fill: red}}
		return s, l
	}
	bare, _ := ground()
	for name, add := range map[string]func(l *scene.Layer){
		"tubes": func(l *scene.Layer) { tube(l, 9, 9, pink, pt(10, 10), pt(40, 40), pt(60, 40), pt(100, 80)) },
		"ribbons": func(l *scene.Layer) {
			edge := func(y float32) [4]geom.Point { return [4]geom.Point{pt(5, y), pt(40, y), pt(70, y), pt(110, y)} }
			l.Ribbons = []scene.Ribbon{{Edges: [2][4]geom.Point{edge(20), edge(60)}, Fill: pink}}
		},
		"arcs": func(l *scene.Layer) {
			l.Arcs = []scene.Arc{{Centre: pt(60, 45), R0: 10, R1: 30, To: 3, Fill: pink}}
		},
		"tubes out of sight": func(l *scene.Layer) { tube(l, 9, 9, pink, pt(10, 910), pt(40, 940), pt(60, 940)) },
	} {
		whole, l := ground()
		add(l)
		fresh := shower{t, newRenderer(t)}
		want := fresh.show(o, frameOf(whole))
		r := newRenderer(t)
		s := shower{t, r}
		first, lacks := (&shower{t, newRenderer(t)}).show(o, frameOf(bare)), true
		if r.ByCPU() {
			first, lacks = want, false // a canvas needs no programs
		}
		for n, c := range []struct {
			scene *scene.Scene
			want  *image.RGBA
			lacks bool
		}{
			{whole, first, lacks},
			{whole, want, false},
			{whole, want, false},
			{bare, (&shower{t, newRenderer(t)}).show(o, frameOf(bare)), false},
			{whole, want, false},
		} {
			f := frameOf(c.scene)
			f.Brief = true
			if d := exact.Compare(s.show(o, f), c.want); d.Beyond != "" || r.Lacks() != c.lacks {
				t.Errorf("%s, frame %d: %v; lacks %v, want %v", name, n, d, r.Lacks(), c.lacks)
			}
		}
	}
}

// TestWarm: what was warmed is lacking in no brief frame, and is drawn as ever.
func TestWarm(t *testing.T) {
	testpic.Renderer(t) // makes the context
	o := offscreen(t, image.Pt(120, 90))
	s, l := tubes(120, 90)
	tube(l, 9, 9, pink, pt(10, 10), pt(40, 40), pt(60, 40), pt(100, 80))
	l.Ribbons = []scene.Ribbon{{Edges: [2][4]geom.Point{
		{pt(5, 20), pt(40, 20), pt(70, 20), pt(110, 20)}, {pt(5, 60), pt(40, 60), pt(70, 60), pt(110, 60)}}, Fill: red}}
	l.Arcs = []scene.Arc{{Centre: pt(60, 45), R0: 10, R1: 30, To: 3, Fill: pink}}
	want := (&shower{t, newRenderer(t)}).show(o, frameOf(s))
	r := newRenderer(t)
	for n := 0; ; n++ {
		more, err := r.Warm()
		if err != nil {
			t.Fatal(err)
		}
		if !more {
			cold := 3
			if r.ByCPU() {
				cold = 0 // a canvas needs no programs
			}
			if n != cold {
				t.Errorf("%d programs were cold, want %d", n, cold)
			}
			break
		}
	}
	f := frameOf(s)
	f.Brief = true
	if d := exact.Compare((&shower{t, r}).show(o, f), want); d.Beyond != "" || r.Lacks() {
		t.Errorf("%v; lacks %v", d, r.Lacks())
	}
}
