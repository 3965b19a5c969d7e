package render_test

import (
	"image"
	"math/rand/v2"
	"strconv"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/render"
	"diptych/internal/scene"
	"diptych/internal/testpic"
)

// Whatever the renderer has done, it leaves the state that Yield promises: above all a vertex array
// of which no attribute is enabled, so that nobody draws from buffers that they do not know.
func TestEverythingYields(t *testing.T) {
	s := &shower{t, testpic.Renderer(t)}
	o, err := render.NewOffscreen(image.Pt(120, 90))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Release()
	yields := func(what string) {
		t.Helper()
		if why := s.r.Yielded(); why != "" {
			t.Errorf("%s: %s", what, why)
		}
	}
	yields("new")
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 2))
		f := frameOf(anyScene(random))
		if err := s.r.Clear(o.Target(1), white); err != nil {
			t.Fatal(err)
		}
		yields("clear")
		if err := s.r.Draw(o.Target(1), f.Parts[0].Scene); err != nil {
			t.Fatal(err)
		}
		yields("draw")
		write := writer{check: func() { yields("before texts are written") }}
		f.Type = write
		f.Parts[0].Scene.Layers[0].Write(scene.Text{Rect: geom.Rect{X1: 50, Y1: 20}, Size: 12,
			Text: strconv.FormatUint(seed, 10), Fill: red})
		f.Over = render.Over{Draw: func(render.Target, image.Rectangle) error {
			yields("before what lies over the scenes is drawn")
			return nil
		}}
		s.show(o, f)
		yields("show")
	}
}

// writer is a Type that writes nothing.
type writer struct{ check func() }

func (w writer) Room(*scene.Text) (size, inset image.Point) { return image.Pt(20, 14), image.Pt(1, 1) }

func (w writer) Place(*scene.Text) image.Point { return image.Pt(5, 5) }

func (w writer) Write(render.Target, []*scene.Text, []image.Point) error {
	w.check()
	return nil
}
