package render_test

import (
	"bytes"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/render"
	"diptych/internal/scene"
	"diptych/internal/testpic"
	"diptych/internal/testtrace"
)

// quadSheets are scenes of quads of all kinds.
func quadSheets() map[string]*scene.Scene {
	return map[string]*scene.Scene{"shades": shades(1), "shades@2x": shades(2), "nested": nestedCells(1),
		"nested@2x": nestedCells(2), "cushions": cushions(), "ramps": ramps(), "large": largeQuads()}
}

// largeQuads returns a card, an outline and a cushion with round corners, so large that only their
// rims are drawn as shapes.
func largeQuads() *scene.Scene {
	s := &scene.Scene{Size: geom.Size{W: 300, H: 200}}
	l := s.Layer(geom.Rect{X0: 2.4, Y0: 3, X1: 290, Y1: 190.6})
	for i, shade := range []scene.Shade{scene.Flat, scene.Outline, scene.Cushion, scene.Dashed} {
		at := float32(20 * i)
		l.Quads = append(l.Quads, scene.Quad{Rect: geom.Rect{X0: at, Y0: at, X1: 200 + at, Y1: 120 + at},
			Fill: color.NRGBA{0x1C, 0x6E, 0xC4, 200}, Shade: shade, Radius: 9, Line: 2, U1: 1})
	}
	return s
}

// A canvas draws what the programs draw, on both kinds of framebuffer.
func TestCanvasAsByPrograms(t *testing.T) {
	r := testpic.Renderer(t)
	byCPU := r.ByCPU()
	defer r.Scan(byCPU)
	scenes := quadSheets()
	scenes["ribbons"], scenes["ribbons@2x"] = ribbons(1), ribbons(2)
	for name, sheet := range arcSheets {
		scenes[name], scenes[name+"@2x"] = sheet(1), sheet(2)
	}
	for name, sheet := range sheets {
		for shade, c := range themes {
			scenes[name+"/"+shade] = on(c.ground, sheet(c))
		}
	}
	for name, s := range scenes {
		for _, b := range framebuffers {
			o, err := b.make(image.Pt(int(s.Size.W), int(s.Size.H)))
			if err != nil {
				t.Fatal(err)
			}
			f := frameOf(s)
			r.Scan(true)
			r.Forget()
			got := (&shower{t, r}).show(o, f)
			r.Scan(false)
			d := testpic.Shapes.Compare(got, testpic.SceneOn(t, r, o, s, 1, white))
			o.Release()
			if t.Log(name, b.name, d); d.Beyond != "" {
				t.Error(name, b.name, d.Beyond)
			}
		}
	}
}

// Whatever primitives a frame has, and whichever parts lie over which, it looks as drawn by programs.
// Left out are tubes, which a scanner draws otherwise where they cross at random, and dashes: of a
// pixel where one begins, programs find by chance whether it is in.
func TestAnyCanvasAsByPrograms(t *testing.T) {
	r := testpic.Renderer(t)
	byCPU := r.ByCPU()
	defer r.Scan(byCPU)
	o := offscreen(t, image.Pt(120, 90))
	testtrace.Checks(t, 60)
	worst := testpic.Difference{}
	rapid.Check(t, func(rt *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		f := frameOf(anyScene(random))
		f.Parts = append(f.Parts, render.Part{Scene: anyScene(random), Area: image.Rect(40, 30, 100, 80)})
		for _, p := range f.Parts {
			for i := range p.Scene.Layers {
				l := &p.Scene.Layers[i]
				l.Tubes.Tubes = nil
				l.Quads = slices.DeleteFunc(l.Quads, func(q scene.Quad) bool { return q.Shade == scene.Dashed })
			}
		}
		s := &shower{rt, r}
		r.Forget()
		r.Scan(true)
		got := s.show(o, f)
		r.Forget()
		r.Scan(false)
		d := testpic.Shapes.Compare(got, s.show(o, f))
		worst.Share, worst.Farthest = max(worst.Share, d.Share), max(worst.Farthest, d.Farthest)
		if d.Beyond != "" {
			rt.Fatal(d, d.Beyond)
		}
	})
	t.Log(worst)
}

// A canvas and programs do not draw quite the same. Where one takes over from the other, all of that
// is drawn anew; and which of them draws a part does not depend on the rectangle that is mended.
func TestCanvasTakesOver(t *testing.T) {
	write := func(s *scene.Scene) {
		s.Layer(geom.Rect{}).Write(scene.Text{Rect: geom.Rect{X1: 9, Y1: 9}, Size: 9, Text: "x", Fill: red})
	}
	sheet := func() *scene.Scene { return nestedCells(.5) }
	r, o := testpic.Renderer(t), offscreen(t, image.Pt(200, 100))
	for name, c := range map[string]struct {
		before, after func(below, above *scene.Scene)
	}{
		"what lay beneath is gone": {func(below, _ *scene.Scene) { write(below) }, nil},
		"only one part changes": {func(below, _ *scene.Scene) { write(below) }, func(below, above *scene.Scene) {
			write(below)
			above.Layer(geom.Rect{}).Fill(geom.Rect{X0: 88, Y0: 30, X1: 97, Y1: 39}, red)
		}},
	} {
		frame := func(change func(below, above *scene.Scene)) *render.Frame {
			below, above := &scene.Scene{Size: geom.Size{W: 120, H: 100}}, sheet()
			if change != nil {
				change(below, above)
			}
			f := frameOf(below)
			f.Parts = append(f.Parts, render.Part{Scene: above, Area: image.Rect(60, 10, 160, 60)})
			f.Type = &counter{size: image.Pt(9, 9)}
			return f
		}
		s := &shower{t, r}
		r.Forget()
		s.show(o, frame(c.before))
		got := s.show(o, frame(c.after))
		r.Forget()
		if !bytes.Equal(got.Pix, s.show(o, frame(c.after)).Pix) {
			t.Errorf("%s: it differs from what is drawn from scratch", name)
		}
	}
}

// No pixel depends on vectors, nor on the rectangle in which it is drawn.
func TestCanvasIsExact(t *testing.T) {
	testtrace.Checks(t, 60)
	rapid.Check(t, func(rt *rapid.T) {
		const w, h = 120, 90
		linear := rapid.Bool().Draw(rt, "linear")
		s := anyScene(rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1)))
		f := frameOf(s)
		want := render.CanvasPixels(f, image.Rect(0, 0, w, h), linear, true)
		if !bytes.Equal(render.CanvasPixels(f, image.Rect(0, 0, w, h), linear, false), want) {
			rt.Fatal("vectors draw otherwise")
		}
		part := image.Rect(rapid.IntRange(0, 40).Draw(rt, "left"), rapid.IntRange(0, 30).Draw(rt, "top"),
			rapid.IntRange(41, w).Draw(rt, "right"), rapid.IntRange(31, h).Draw(rt, "bottom"))
		got, row := render.CanvasPixels(f, part, linear, false), 4*part.Dx()
		for y := range part.Dy() {
			at := 4 * ((h-part.Max.Y+y)*w + part.Min.X)
			if !bytes.Equal(got[y*row:(y+1)*row], want[at:at+row]) {
				rt.Fatalf("row %d of %v differs from that of the whole", y, part)
			}
		}
	})
}

// Every colour is read back as it was named.
func TestCanvasKeepsColours(t *testing.T) {
	for _, linear := range []bool{true, false} {
		for v := range 256 {
			f := frameOf(&scene.Scene{Size: geom.Size{W: 9, H: 1}})
			f.Ground = color.NRGBA{uint8(v), uint8(v), uint8(v), 255}
			for i, got := range render.CanvasPixels(f, image.Rect(0, 0, 9, 1), linear, false) {
				if i%4 < 3 && int(got) != v {
					t.Fatalf("linear %v: %d is drawn as %d", linear, v, got)
				}
			}
		}
	}
}

// Quads whose coordinates are no numbers, or far too large, do no harm.
func TestCanvasOddNumbers(t *testing.T) {
	odd := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 3e38, -3e38, 0}
	for _, v := range odd {
		for k := range 8 {
			for shade := scene.Flat; shade <= scene.Nested; shade++ {
				for _, radius := range []float32{0, 4} {
					q := scene.Quad{Rect: geom.Rect{X0: 2, Y0: 3, X1: 90, Y1: 80}, Fill: red, Shade: shade,
						Radius: radius, Line: 2, U1: 1}
					*[]*float32{&q.Rect.X0, &q.Rect.Y0, &q.Rect.X1, &q.Rect.Y1, &q.U0, &q.U1, &q.Line,
						&q.Radius}[k] = v
					render.CanvasPixels(frameOf(one(100, 90, q)), image.Rect(0, 0, 100, 90), true, false)
				}
			}
		}
	}
}
