//go:build cgo

package threads

import (
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"

	"diptych/internal/geom"
	"diptych/internal/host"
	"diptych/internal/render"
	"diptych/internal/scene"
	"diptych/internal/typeface"
)

// Rasterisers round edges and shades differently: a pixel counts as different if a channel is off
// by more than channelTolerance, and pixelTolerance is the share of pixels that may be.
const (
	channelTolerance = 8
	pixelTolerance   = .005
)

// open makes a context and a renderer that last as long as the test.
func open(t *testing.T) *render.Renderer {
	t.Helper()
	c, err := host.Headless()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	r, err := render.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Release)
	return r
}

// draw draws a scene as the window does, but for the texts, which are drawn here.
func draw(t *testing.T, r *render.Renderer, s *scene.Scene, ground color.NRGBA) *image.RGBA {
	t.Helper()
	o, err := render.NewOffscreen(image.Pt(int(s.Size.W), int(s.Size.H)))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Release()
	if err := r.Clear(o.Target(1), ground); err != nil {
		t.Fatal(err)
	}
	if err := r.Draw(o.Target(1), s); err != nil {
		t.Fatal(err)
	}
	m, err := o.ReadImage()
	if err != nil {
		t.Fatal(err)
	}
	fonts := [2]*sfnt.Font{}
	for k, data := range [][]byte{typeface.Regular(), typeface.Bold()} {
		if fonts[k], err = sfnt.Parse(data); err != nil {
			t.Fatal(err)
		}
	}
	for k := range s.Layers {
		for i := range s.Layers[k].Texts {
			text := &s.Layers[k].Texts[i]
			f := fonts[0]
			if text.Bold {
				f = fonts[1]
			}
			write(t, m, f, text)
		}
	}
	return m
}

// write draws a text, turned around the middle of its rectangle.
func write(t *testing.T, m *image.RGBA, f *sfnt.Font, text *scene.Text) {
	x := text.Rect.X0
	if w := typeface.Width(text.Text, text.Size, text.Bold); text.Align == scene.AlignRight {
		x = text.Rect.X1 - w
	} else if text.Align == scene.AlignCentre {
		x += (text.Rect.W() - w) / 2
	}
	mid := geom.Point{X: (text.Rect.X0 + text.Rect.X1) / 2, Y: (text.Rect.Y0 + text.Rect.Y1) / 2}
	sin, cos := math.Sincos(float64(text.Turn))
	z := vector.NewRasterizer(m.Rect.Dx(), m.Rect.Dy())
	var buf sfnt.Buffer
	size := fixed.Int26_6(text.Size * 64)
	for _, char := range text.Text {
		at := func(p fixed.Point26_6) (float32, float32) {
			dx, dy := x+float32(p.X)/64-mid.X, text.Size*.35+float32(p.Y)/64
			return mid.X + dx*float32(cos) - dy*float32(sin),
				mid.Y + dx*float32(sin) + dy*float32(cos)
		}
		glyph, err := f.GlyphIndex(&buf, char)
		if err != nil {
			t.Fatal(err)
		}
		outline, err := f.LoadGlyph(&buf, glyph, size, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range outline {
			ax, ay := at(s.Args[0])
			bx, by := at(s.Args[1])
			cx, cy := at(s.Args[2])
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				z.MoveTo(ax, ay)
			case sfnt.SegmentOpLineTo:
				z.LineTo(ax, ay)
			case sfnt.SegmentOpQuadTo:
				z.QuadTo(ax, ay, bx, by)
			case sfnt.SegmentOpCubeTo:
				z.CubeTo(ax, ay, bx, by, cx, cy)
			}
		}
		x += typeface.Width(string(char), text.Size, text.Bold)
	}
	z.Draw(m, m.Rect, image.NewUniform(text.Fill), image.Point{})
}

// golden compares a picture with the one of that name under testdata.
func golden(t *testing.T, name string, m *image.RGBA) {
	t.Helper()
	path := filepath.Join("testdata", name+".png")
	if *update {
		save(t, path, m)
		return
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatalf("%v; run the test with -update", err)
	}
	defer f.Close()
	want, err := png.Decode(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if share := differing(m, want); share > pixelTolerance {
		got := filepath.Join(t.ArtifactDir(), name+".png")
		save(t, got, m)
		t.Errorf("%s: %.2f %% of the pixels differ; the picture is in %s", path, 100*share, got)
	}
}

// differing returns the share of pixels in which two pictures differ.
func differing(a *image.RGBA, b image.Image) float64 {
	if a.Bounds() != b.Bounds() {
		return 1
	}
	n := 0
	for y := range a.Rect.Dy() {
		for x := range a.Rect.Dx() {
			p := a.RGBAAt(x, y)
			red, green, blue, _ := b.At(x, y).RGBA()
			if far(p.R, red) || far(p.G, green) || far(p.B, blue) {
				n++
			}
		}
	}
	return float64(n) / float64(a.Rect.Dx()*a.Rect.Dy())
}

func far(a uint8, b uint32) bool {
	d := int(a) - int(b>>8)
	return d > channelTolerance || d < -channelTolerance
}

func save(t *testing.T, path string, m image.Image) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, m); err != nil {
		t.Fatal(err)
	}
}
