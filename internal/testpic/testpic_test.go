package testpic

import (
	"image"
	"image/color"
	"image/draw"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/scene"
)

// plain returns a grey picture with a rectangle of another grey.
func plain(w, h int, r image.Rectangle, v uint8) *image.RGBA {
	p := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(p, p.Rect, image.NewUniform(color.Gray{100}), image.Point{}, draw.Src)
	draw.Draw(p, r, image.NewUniform(color.Gray{v}), image.Point{}, draw.Src)
	return p
}

func TestCompare(t *testing.T) {
	want := plain(40, 50, image.Rectangle{}, 0)
	for _, c := range []struct {
		name   string
		margin Margin
		got    *image.RGBA
		d      Difference
		beyond string
	}{
		{"same", Margin{}, want, Difference{}, ""},
		{"within a channel", Margin{Channel: 4}, plain(40, 50, want.Rect, 104),
			Difference{0, 4, 4, ""}, ""},
		{"beyond a channel", Margin{Channel: 3}, plain(40, 50, want.Rect, 96),
			Difference{1, 4, 4, ""}, "100.00 % of the pixels differ"},
		{"few pixels", Margin{Channel: 3, Share: 0.01}, plain(40, 50, image.Rect(2, 3, 6, 8), 200),
			Difference{0.01, 100, 100 * 20.0 / 256, ""}, ""},
		{"one pixel more", Margin{Channel: 3, Share: 0.01}, plain(40, 50, image.Rect(2, 3, 5, 10), 200),
			Difference{0.0105, 100, 100 * 21.0 / 256, ""}, "1.05 % of the pixels differ"},
		{"a tile", Margin{Channel: 3, Share: 1, Tile: 7}, plain(40, 50, image.Rect(17, 33, 21, 38), 200),
			Difference{0.01, 100, 100 * 20.0 / 256, ""}, "around (16,32)-(32,48) R is off by 7.8"},
		{"a tile at the border", Margin{Tile: 7, Share: 1}, plain(40, 50, image.Rect(36, 48, 37, 49), 200),
			Difference{0.0005, 100, 100.0 / 16, ""}, ""},
		{"another size", Margin{}, plain(50, 40, image.Rectangle{}, 0), Difference{},
			"the size is (50,40), want (40,50)"},
	} {
		c.d.Beyond = c.beyond
		if d := c.margin.Compare(c.got, want); d != c.d {
			t.Errorf("%s: %+v, want %+v", c.name, d, c.d)
		}
	}
}

// failing is a test that takes down whether it failed.
type failing struct {
	testing.TB
	dir, said string
}

func (f *failing) Helper()               {}
func (f *failing) ArtifactDir() string   { return f.dir }
func (f *failing) Errorf(string, ...any) { f.said = "error" }

// TestGolden holds that a written picture compares as equal, one that differs fails and is kept, and
// that channels are rounded.
func TestGolden(t *testing.T) {
	t.Chdir(t.TempDir())
	m, name := Margin{Channel: 4, Step: 8}, "sub/one"
	p := plain(20, 20, image.Rect(3, 3, 9, 9), 205)
	*update = true
	m.Golden(t, name, p)
	*update = false
	m.Golden(t, name, p)
	if v := Read(t, "testdata/sub/one.png").RGBAAt(4, 4).R; v != 208 {
		t.Errorf("stored %d, want 208", v)
	}
	f := &failing{t, t.TempDir(), ""}
	m.Golden(f, name, plain(20, 20, image.Rect(3, 3, 9, 9), 214))
	if _, err := os.Stat(filepath.Join(f.dir, name+".png")); err != nil || f.said == "" {
		t.Errorf("a picture that differs: said %q, %v", f.said, err)
	}
}

// TestRounded holds that rounding does not leave the range of a channel.
func TestRounded(t *testing.T) {
	for _, c := range [][2]uint8{{0, 0}, {3, 0}, {4, 8}, {251, 248}, {252, 255}, {255, 255}} {
		p := Margin{Step: 8}.Rounded(plain(1, 1, image.Rect(0, 0, 1, 1), c[0]))
		if got := p.RGBAAt(0, 0); got.R != c[1] || got.A != 255 {
			t.Errorf("%d is rounded to %v, want %d", c[0], got, c[1])
		}
	}
}

// TestScene holds that a scene is drawn on its ground.
func TestScene(t *testing.T) {
	s := &scene.Scene{Size: geom.Size{W: 10, H: 8}}
	red, blue := color.NRGBA{200, 0, 0, 255}, color.NRGBA{0, 0, 200, 255}
	s.Layer(geom.Rect{}).Fill(geom.Rect{X0: 2, Y0: 1, X1: 5, Y1: 4}, red)
	p := Scene(t, Renderer(t), s, 1, blue)
	if p.Rect.Size() != image.Pt(10, 8) || p.RGBAAt(2, 1) != color.RGBA(red) ||
		p.RGBAAt(5, 4) != color.RGBA(blue) {
		t.Errorf("%v: %v and %v", p.Rect, p.RGBAAt(2, 1), p.RGBAAt(5, 4))
	}
}

// TestReadNothing holds that a golden picture that is missing says how to write it.
func TestReadNothing(t *testing.T) {
	f := &fatal{TB: t}
	func() {
		defer func() { _ = recover() }()
		Read(f, filepath.Join(t.TempDir(), "none.png"))
	}()
	if !strings.Contains(f.said, "-update") {
		t.Errorf("said %q", f.said)
	}
}

// fatal is a test whose end is caught.
type fatal struct {
	testing.TB
	said string
}

func (f *fatal) Helper() {}

func (f *fatal) Fatalf(format string, args ...any) {
	f.said = format
	panic(f.said)
}
