package render_test

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"os"
	"slices"
	"strings"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/render"
	"diptych/internal/scene"
	"diptych/internal/testpic"
)

var (
	white = color.NRGBA{255, 255, 255, 255}
	steel = color.NRGBA{0x87, 0xA4, 0xC3, 255}
	pink  = color.NRGBA{0xF4, 0xC8, 0xD5, 255}
)

// framebuffers are the two kinds of target there are: one encodes to sRGB by itself, one does not.
var framebuffers = []struct {
	name string
	make func(image.Point) (*render.Offscreen, error)
}{
	{"encoding", render.NewOffscreen},
	{"plain", render.NewOffscreenPlain},
}

// draw draws s at scale on a white framebuffer of its size.
func draw(t *testing.T, s *scene.Scene, scale float32) *image.RGBA {
	t.Helper()
	return testpic.Scene(t, testpic.Renderer(t), s, scale, white)
}

// one returns a scene of w × h px with one layer that holds the quads.
func one(w, h float32, quads ...scene.Quad) *scene.Scene {
	s := &scene.Scene{Size: geom.Size{W: w, H: h}}
	s.Layer(geom.Rect{}).Quads = quads
	return s
}

// The rasteriser is the one that the environment asks for: make test runs these tests with two.
// That the variable is read here keeps go test from taking the results of one for those of the
// other.
func TestRasteriser(t *testing.T) {
	testpic.Renderer(t)
	got, want := render.Rasteriser(), os.Getenv("GALLIUM_DRIVER")
	t.Log(got)
	software := strings.Contains(got, "llvmpipe") || strings.Contains(got, "softpipe")
	if software && !strings.Contains(got, want) {
		t.Errorf("%s draws, not %s", got, want)
	}
}

// A fill reads back as the colour that was named, whatever the framebuffer does to colours.
func TestColourReadsBack(t *testing.T) {
	for _, f := range framebuffers {
		t.Run(f.name, func(t *testing.T) {
			r := testpic.Renderer(t)
			o, err := f.make(image.Pt(16, 16))
			if err != nil {
				t.Fatal(err)
			}
			defer o.Release()
			for v := 0; v < 256; v += 5 {
				grey := color.NRGBA{uint8(v), uint8(255 - v), uint8(v / 2), 255}
				if err := r.Clear(o.Target(1), grey); err != nil {
					t.Fatal(err)
				}
				expect(t, o, grey)
				fill := one(16, 16, scene.Quad{Rect: geom.Rect{X1: 16, Y1: 16}, Fill: steel, U1: 1})
				expectDrawn(t, r, o, fill, steel)
				fill.Layers[0].Quads[0].Fill = grey
				expectDrawn(t, r, o, fill, grey)
			}
		})
	}
}

func expectDrawn(
	t *testing.T, r *render.Renderer, o *render.Offscreen, s *scene.Scene, c color.NRGBA,
) {
	t.Helper()
	if err := r.Draw(o.Target(1), s); err != nil {
		t.Fatal(err)
	}
	expect(t, o, c)
}

func expect(t *testing.T, o *render.Offscreen, want color.NRGBA) {
	t.Helper()
	m, err := o.ReadImage()
	if err != nil {
		t.Fatal(err)
	}
	if got := m.RGBAAt(8, 8); got != color.RGBA(want) {
		t.Errorf("pixel is %v, want %v", got, want)
	}
}

// A cushion looks the same on both kinds of framebuffer.
func TestCushionOnBothFramebuffers(t *testing.T) {
	r := testpic.Renderer(t)
	s := one(64, 20, scene.Quad{Rect: geom.Rect{X1: 64, Y1: 20}, Fill: pink,
		Shade: scene.Cushion, U1: 1})
	var shown []*image.RGBA
	for _, f := range framebuffers {
		o, err := f.make(image.Pt(64, 20))
		if err != nil {
			t.Fatal(err)
		}
		shown = append(shown, testpic.SceneOn(t, r, o, s, 1, white))
		o.Release()
	}
	if d := testpic.Equal.Compare(shown[0], shown[1]); d.Beyond != "" {
		t.Error(d.Beyond)
	}
}

// A quad too narrow for a pixel still fills exactly one column, wherever it lies.
func TestOnePixelMinimum(t *testing.T) {
	r := testpic.Renderer(t)
	for _, x := range []float32{3, 3.2, 3.49, 3.5, 3.51, 3.99} {
		for _, w := range []float32{0, 0.001, 0.3, 0.999} {
			rect := geom.Rect{X0: x, Y0: 2, X1: x + w, Y1: 2.01}
			s := one(8, 6, scene.Quad{Rect: rect, Fill: steel, U1: 1})
			m := testpic.Scene(t, r, s, 1, white)
			if n := count(m, steel); n != 1 {
				t.Errorf("a quad at x = %v, %v px wide, fills %d pixels, want 1", x, w, n)
			}
		}
	}
}

func count(m *image.RGBA, c color.NRGBA) int {
	n := 0
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			if m.RGBAAt(x, y) == color.RGBA(c) {
				n++
			}
		}
	}
	return n
}

// Neighbours that share a border at any fraction of a pixel leave no gap and do not overlap.
func TestNeighboursTile(t *testing.T) {
	var quads []scene.Quad
	half := color.NRGBA{A: 128}
	for x := float32(0.37); x < 60; x += 3.71 {
		quads = append(quads,
			scene.Quad{Rect: geom.Rect{X0: x, Y0: 0, X1: x + 3.71, Y1: 4}, Fill: half, U1: 1})
	}
	m := draw(t, one(56, 4, quads...), 1)
	want := m.RGBAAt(10, 2)
	for x := 1; x < 56; x++ {
		if got := m.RGBAAt(x, 2); got != want {
			t.Errorf("pixel %d is %v, want %v", x, got, want)
		}
	}
}

// A view draws at its place in the framebuffer, and nowhere outside its rectangle.
func TestViewsAndClips(t *testing.T) {
	tests := []struct {
		name  string
		view  image.Rectangle // in the framebuffer
		layer geom.Rect       // clip within the view
		want  image.Rectangle // what is filled
	}{
		{"whole", image.Rect(0, 0, 40, 30), geom.Rect{}, image.Rect(0, 0, 40, 30)},
		{"part", image.Rect(5, 10, 25, 20), geom.Rect{}, image.Rect(5, 10, 25, 20)},
		{"layer", image.Rect(5, 10, 25, 20), geom.Rect{X0: 2, Y0: 3, X1: 6, Y1: 90},
			image.Rect(7, 13, 11, 20)},
		{"cut", image.Rect(-5, -10, 25, 20), geom.Rect{X0: 2, Y0: 3, X1: 8, Y1: 14},
			image.Rect(0, 0, 3, 4)},
		{"outside", image.Rect(50, 50, 60, 60), geom.Rect{}, image.Rectangle{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := testpic.Renderer(t)
			o, err := render.NewOffscreen(image.Pt(40, 30))
			if err != nil {
				t.Fatal(err)
			}
			defer o.Release()
			if err := r.Clear(o.Target(1), white); err != nil {
				t.Fatal(err)
			}
			s := &scene.Scene{Size: geom.Size{W: 100, H: 100}}
			s.Layer(test.layer).Fill(geom.Rect{X0: -50, Y0: -50, X1: 200, Y1: 200}, steel)
			if err := r.Draw(o.Target(1).At(test.view), s); err != nil {
				t.Fatal(err)
			}
			m, err := o.ReadImage()
			if err != nil {
				t.Fatal(err)
			}
			if got := filled(m, steel); got != test.want {
				t.Errorf("filled %v, want %v", got, test.want)
			}
		})
	}
}

// filled returns the smallest rectangle that holds all pixels of colour c.
func filled(m *image.RGBA, c color.NRGBA) image.Rectangle {
	var r image.Rectangle
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			if m.RGBAAt(x, y) == color.RGBA(c) {
				r = r.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return r
}

func TestClearWithinClip(t *testing.T) {
	r := testpic.Renderer(t)
	o, err := render.NewOffscreen(image.Pt(20, 20))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Release()
	area := image.Rect(3, 4, 11, 9)
	for _, err := range []error{
		r.Clear(o.Target(1), white), r.Clear(o.Target(1).At(area), steel),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	m, err := o.ReadImage()
	if err != nil {
		t.Fatal(err)
	}
	if got := filled(m, steel); got != area {
		t.Errorf("cleared %v, want %v", got, area)
	}
}

func TestOffscreenSize(t *testing.T) {
	testpic.Renderer(t)
	for _, size := range []image.Point{{}, {10, 0}, {-1, 5}, {1 << 20, 1}} {
		if o, err := render.NewOffscreen(size); err == nil {
			o.Release()
			t.Errorf("size %v: no error", size)
		}
	}
}

// BenchmarkDraw tells what a scene of so many cells costs on a 1600 × 1000 framebuffer.
func BenchmarkDraw(b *testing.B) {
	for _, n := range []int{1_000, 20_000, 50_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := testpic.Renderer(b)
			o, err := render.NewOffscreen(image.Pt(1600, 1000))
			if err != nil {
				b.Fatal(err)
			}
			defer o.Release()
			s := cells(n)
			for b.Loop() {
				if err := r.Draw(o.Target(1), s); err != nil {
					b.Fatal(err)
				}
				render.Finish()
			}
		})
	}
}

// cells returns n cushions that tile 1600 × 1000 px in rows of 20 px.
func cells(n int) *scene.Scene {
	s := &scene.Scene{Size: geom.Size{W: 1600, H: 1000}}
	l := s.Layer(geom.Rect{})
	const rows = 50
	w := 1600 / (float32(n) / rows)
	for i := range n {
		x, y := float32(i/rows)*w, float32(i%rows)*20
		l.Quads = append(l.Quads, scene.Quad{
			Rect:  geom.Rect{X0: x, Y0: y, X1: x + w, Y1: y + 20},
			Fill:  color.NRGBA{uint8(150 + i%97), uint8(150 + i%83), uint8(150 + i%71), 255},
			Shade: scene.Cushion, U1: 1,
		})
	}
	return s
}

// A lost context is told from other errors, whatever else OpenGL reports, and however often.
func TestContextLost(t *testing.T) {
	const lost, other = 0x0507, 0x0500
	r := testpic.Renderer(t)
	o, err := render.NewOffscreen(image.Pt(8, 8))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Release()
	for _, c := range []struct {
		codes []uint32
		fails bool
		lost  bool
	}{
		{nil, false, false}, {[]uint32{other}, true, false}, {[]uint32{lost}, true, true},
		{[]uint32{other, lost}, true, true}, {slices.Repeat([]uint32{lost}, 100), true, true},
	} {
		restore := render.Fail(c.codes...)
		err := r.Clear(o.Target(1), steel)
		restore()
		if (err != nil) != c.fails || errors.Is(err, render.ErrContextLost) != c.lost {
			t.Errorf("%#x: %v", c.codes, err)
		}
		restore = render.Fail(c.codes...)
		err = render.Shown()
		restore()
		if (err != nil) != c.lost || err != nil && !errors.Is(err, render.ErrContextLost) {
			t.Errorf("%#x after a frame: %v", c.codes, err)
		}
	}
	if err := r.Clear(o.Target(1), steel); err != nil {
		t.Errorf("after that: %v", err)
	}
}
