package render_test

import (
	"image"
	"image/color"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/render"
	"diptych/internal/scene"
	"diptych/internal/testpic"
)

// Every shade, with and without round corners, at both usual scales.
func TestShadesGolden(t *testing.T) {
	for name, scale := range map[string]float32{"shades": 1, "shades@2x": 2} {
		t.Run(name, func(t *testing.T) { testpic.Shapes.Golden(t, name, draw(t, shades(scale), scale)) })
	}
}

// Cushions from two pixels wide to wider than the picture, whole and cut, in one colour.
func TestCushionsGolden(t *testing.T) {
	testpic.Shapes.Golden(t, "cushions", draw(t, cushions(), 1))
}

// shades returns a sampler: one column a shade; plain, round, translucent and thin in rows.
func shades(scale float32) *scene.Scene {
	s := &scene.Scene{Size: geom.Size{W: 208 * scale, H: 104 * scale}}
	l := s.Layer(geom.Rect{})
	at := func(col, row, h float32) geom.Rect {
		x, y := (4+34*col)*scale, (4+26*row)*scale
		return geom.Rect{X0: x, Y0: y, X1: x + 30*scale, Y1: y + h*scale}
	}
	translucent := color.NRGBA{0x1C, 0x6E, 0xC4, 100}
	for k := scene.Flat; k <= scene.GradientX; k++ {
		col, line := float32(k), 2*scale
		l.Quads = append(l.Quads,
			scene.Quad{Rect: at(col, 0, 20), Fill: steel, Shade: k, Line: line, U1: 1},
			scene.Quad{Rect: at(col, 1, 20), Fill: steel, Shade: k, Line: line, U1: 1,
				Radius: 6 * scale},
			scene.Quad{Rect: at(col, 2, 20).Offset(0.5, 0.5), Fill: translucent, Shade: k,
				Line: line, U1: 1, Radius: 40 * scale},
			scene.Quad{Rect: at(col, 3, 2.5), Fill: pink, Shade: k, Line: line, U1: 1})
	}
	return s
}

// TestViewFusionGolden draws what the view of code and calls is made of: cushions that multiply the
// cells beneath them, calls whose light comes from the pointer, and dashed borders.
func TestViewFusionGolden(t *testing.T) {
	for name, scale := range map[string]float32{"nested": 1, "nested@2x": 2} {
		t.Run(name, func(t *testing.T) { testpic.Shapes.Golden(t, name, draw(t, nestedCells(scale), scale)) })
	}
}

// nestedCells returns three levels of cells, beside them a call cut at the pointer, its mirror image,
// one to the left of the pointer, and a dashed border.
func nestedCells(scale float32) *scene.Scene {
	s := &scene.Scene{Size: geom.Size{W: 200 * scale, H: 100 * scale}}
	l := s.Layer(geom.Rect{})
	add := func(x0, y0, x1, y1 float32, q scene.Quad) {
		q.Rect = geom.Rect{X0: x0 * scale, Y0: y0 * scale, X1: x1 * scale, Y1: y1 * scale}
		l.Quads = append(l.Quads, q)
	}
	add(0, 0, 100, 50, scene.Quad{Fill: steel, U1: 1})
	add(0, 50, 100, 100, scene.Quad{Fill: pink, U1: 1})
	for d, size := range []float32{100, 50, 25} {
		for i := range 1 << d {
			for k := range 1 << d {
				x, y := float32(i)*size, float32(k)*size
				add(x, y, x+size, y+size, scene.Quad{Shade: scene.Nested, Line: float32(d + 1), U1: 1})
			}
		}
	}
	add(110, 4, 160, 22, scene.Quad{Fill: steel, Shade: scene.Glide, U0: 0, U1: 1})
	add(160, 4, 190, 22, scene.Quad{Fill: steel, Shade: scene.Glide, U0: 1, U1: 0})
	add(110, 28, 160, 46, scene.Quad{Fill: steel, Shade: scene.GlideUp, U0: 0, U1: 1})
	add(160, 28, 190, 46, scene.Quad{Fill: steel, Shade: scene.GlideUp, U0: 1, U1: 0})
	add(110, 52, 190, 70, scene.Quad{Fill: pink, Shade: scene.Glide, U0: .5, U1: 1})
	add(110, 76, 190, 96, scene.Quad{Fill: steel, Shade: scene.Dashed, Line: scale, U1: 1})
	return s
}

// cushions returns rows of neighbours in one colour, each row with cells of one width.
func cushions() *scene.Scene {
	s := &scene.Scene{Size: geom.Size{W: 240, H: 190}}
	l := s.Layer(geom.Rect{})
	y := float32(2)
	for _, w := range []float32{1, 2, 3, 5, 9, 24, 75, 240} {
		for x := float32(0); x < 240; x += w {
			l.Quads = append(l.Quads, scene.Quad{
				Rect: geom.Rect{X0: x, Y0: y, X1: x + w, Y1: y + 18},
				Fill: pink, Shade: scene.Cushion, U1: 1,
			})
		}
		y += 21
	}
	// A call cut at both sides by the viewport keeps the cushion of the whole one.
	for i, u := range []float32{0, 0.25, 0.5, 0.75} {
		x := float32(i) * 60
		l.Quads = append(l.Quads, scene.Quad{
			Rect: geom.Rect{X0: x, Y0: y, X1: x + 60, Y1: y + 18},
			Fill: pink, Shade: scene.CushionUp, U0: u, U1: u + 0.25,
		})
	}
	return s
}

// The programs for plain quads draw the same as the program for all shapes. To make the latter draw
// a quad, the test gives the quad round corners that are too small to be seen.
func TestPlainProgramsAgree(t *testing.T) {
	r := testpic.Renderer(t)
	o, err := render.NewOffscreen(image.Pt(60, 40))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Release()
	worst := 0
	rapid.Check(t, func(rt *rapid.T) {
		coordinate := rapid.IntRange(-5, 65)
		channel := rapid.Byte()
		plain := one(60, 40)
		for range rapid.IntRange(1, 12).Draw(rt, "quads") {
			x, y := float32(coordinate.Draw(rt, "x")), float32(coordinate.Draw(rt, "y"))
			w := float32(rapid.IntRange(1, 70).Draw(rt, "w"))
			h := float32(rapid.IntRange(1, 30).Draw(rt, "h"))
			u := rapid.Float32Range(0, 0.9).Draw(rt, "u")
			plain.Layers[0].Quads = append(plain.Layers[0].Quads, scene.Quad{
				Rect: geom.Rect{X0: x, Y0: y, X1: x + w, Y1: y + h},
				Fill: color.NRGBA{channel.Draw(rt, "r"), channel.Draw(rt, "g"),
					channel.Draw(rt, "b"), channel.Draw(rt, "a")},
				Shade: rapid.SampledFrom([]scene.Shade{
					scene.Flat, scene.Cushion, scene.CushionUp}).Draw(rt, "shade"),
				U0: u, U1: u + 0.1,
			})
		}
		general := one(60, 40, slices.Clone(plain.Layers[0].Quads)...)
		for i := range general.Layers[0].Quads {
			general.Layers[0].Quads[i].Radius = 1e-6
		}
		a := testpic.SceneOn(t, r, o, plain, 1, white)
		b := testpic.SceneOn(t, r, o, general, 1, white)
		d := testpic.Seams.Compare(a, b)
		worst = max(worst, d.Farthest)
		if d.Beyond != "" {
			rt.Fatal(d.Beyond)
		}
	})
	t.Logf("a channel is off by %d at most", worst)
}
