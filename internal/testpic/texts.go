package testpic

import (
	"image"
	"image/color"
	"math"
	"testing"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"

	"diptych/internal/geom"
	"diptych/internal/render"
	"diptych/internal/scene"
	"diptych/internal/typeface"
)

// Figure returns a scene as the window shows it, with its texts, which the interface draws there.
func Figure(t testing.TB, r *render.Renderer, s *scene.Scene, scale float32,
	ground color.NRGBA) *image.RGBA {
	t.Helper()
	m := Scene(t, r, s, scale, ground)
	fonts := [2]*sfnt.Font{}
	for k, data := range [][]byte{typeface.Regular(), typeface.Bold()} {
		var err error
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
func write(t testing.TB, m *image.RGBA, f *sfnt.Font, text *scene.Text) {
	x := text.Rect.X0
	if w := typeface.Width(text.Text, text.Size, text.Bold); text.Align == scene.AlignRight {
		x = text.Rect.X1 - w
	} else if text.Align == scene.AlignCentre {
		x += (text.Rect.W() - w) / 2
	}
	mid := geom.Point{X: (text.Rect.X0 + text.Rect.X1) / 2, Y: (text.Rect.Y0 + text.Rect.Y1) / 2}
	sin, cos := math.Sincos(float64(text.Turn))
	half := (text.Rect.W() + text.Rect.H() + 2*typeface.Width(text.Text, text.Size, text.Bold)) / 2
	box := image.Rect(int(mid.X-half), int(mid.Y-half), int(mid.X+half)+1, int(mid.Y+half)+1)
	box = box.Intersect(m.Rect)
	mid.X, mid.Y, x = mid.X-float32(box.Min.X), mid.Y-float32(box.Min.Y), x-float32(box.Min.X)
	z := vector.NewRasterizer(box.Dx(), box.Dy())
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
	z.Draw(m, box, image.NewUniform(text.Fill), image.Point{})
}
