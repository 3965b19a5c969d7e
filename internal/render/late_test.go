package render_test

import (
	"image"
	"strconv"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/render"
	"diptych/internal/scene"
	"diptych/internal/testpic"
)

// TestFirstFrameWaitsForNothing: depths come with what needs them, tubes or a second frame.
func TestFirstFrameWaitsForNothing(t *testing.T) {
	testpic.Renderer(t) // makes the context
	o := offscreen(t, image.Pt(120, 90))
	plain := &scene.Scene{Size: geom.Size{W: 120, H: 90}}
	plain.Layer(geom.Rect{}).Quads = []scene.Quad{{Rect: geom.Rect{X1: 9, Y1: 9}, Fill: red}}
	tubes := &scene.Scene{Size: plain.Size}
	tube(tubes.Layer(geom.Rect{}), 9, 9, red, pt(10, 10), pt(40, 40), pt(60, 40), pt(100, 80))
	for _, c := range []struct {
		name   string
		frames []*scene.Scene
		depths bool
		tubes  bool
	}{
		{"quads", []*scene.Scene{plain}, false, false},
		{"a second frame", []*scene.Scene{plain, plain}, true, false},
		{"tubes", []*scene.Scene{tubes}, true, true}, // for a canvas they are like quads
	} {
		r := newRenderer(t)
		if c.tubes && r.ByCPU() {
			c.depths, c.tubes = false, false
		}
		s := shower{t, r}
		for _, f := range c.frames {
			s.show(o, frameOf(f))
		}
		if depths, tubes := r.HasDepths(), r.HasTubes(); depths != c.depths || tubes != c.tubes {
			t.Errorf("%s: depths %v, tubes %v", c.name, depths, tubes)
		}
	}
}

// newRenderer returns a renderer that has drawn nothing.
func newRenderer(t *testing.T) *render.Renderer {
	t.Helper()
	r, err := render.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Release)
	return r
}

// counter is a Type of texts of one size; it notes what it writes, and what of that does not fit.
type counter struct {
	size            image.Point
	written, beyond int
}

func (c *counter) Room(*scene.Text) (size, inset image.Point) { return c.size, image.Point{} }

func (c *counter) Place(*scene.Text) image.Point { return image.Point{} }

func (c *counter) Write(t render.Target, texts []*scene.Text, at []image.Point) error {
	c.written += len(texts)
	for _, p := range at {
		if !(image.Rectangle{Min: p, Max: p.Add(c.size)}).In(image.Rectangle{Max: t.Size}) {
			c.beyond++
		}
	}
	return nil
}

// TestAtlasGrows: what does not fit into the first atlas has room in the next, in which all texts of
// a frame stay.
func TestAtlasGrows(t *testing.T) {
	testpic.Renderer(t) // makes the context
	o := offscreen(t, image.Pt(120, 90))
	for _, c := range []struct {
		texts, height int
		first         int // texts that two frames write
	}{
		{200, 20, 200},       // all fit
		{400, 20, 400 + 240}, // the first 240 fill the first atlas, and are lost with it
		{20, 300, 20},        // none fits
		{1100, 20, 2200},     // the larger one holds 1,020, and begins anew
	} {
		r := newRenderer(t)
		s := shower{t, r}
		sc := &scene.Scene{Size: geom.Size{W: 120, H: 90}}
		l := sc.Layer(geom.Rect{})
		for i := range c.texts {
			l.Write(scene.Text{Rect: geom.Rect{X1: 50, Y1: 20}, Size: 12, Text: strconv.Itoa(i), Fill: red})
		}
		y := &counter{size: image.Pt(100, c.height)}
		for range 2 {
			f := frameOf(sc)
			f.Type = y
			r.Forget()
			s.show(o, f)
		}
		if y.written != c.first || y.beyond > 0 {
			t.Errorf("%d texts %d px high: %d were written, want %d; %d beyond the atlas",
				c.texts, c.height, y.written, c.first, y.beyond)
		}
	}
}
