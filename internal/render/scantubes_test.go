package render_test

import (
	"bytes"
	"image"
	"image/color"
	"math"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/render"
	"diptych/internal/scene"
	"diptych/internal/testpic"
	"diptych/internal/testtrace"
)

// A scanner draws what the programs draw, on both kinds of framebuffer.
func TestScannedAsByPrograms(t *testing.T) {
	scenes := map[string]*scene.Scene{"bundle": on(white, small(2000))}
	for name, sheet := range sheets {
		for shade, c := range themes {
			scenes[name+"/"+shade] = on(c.ground, sheet(c))
		}
	}
	r := testpic.Renderer(t)
	for name, s := range scenes {
		for _, f := range framebuffers {
			o, err := f.make(image.Pt(int(s.Size.W), int(s.Size.H)))
			if err != nil {
				t.Fatal(err)
			}
			r.Scan(true)
			got := testpic.SceneOn(t, r, o, s, 1, white)
			r.Scan(false)
			d := testpic.Shapes.Compare(got, testpic.SceneOn(t, r, o, s, 1, white))
			o.Release()
			if t.Log(name, f.name, d); d.Beyond != "" {
				t.Error(name, f.name, d.Beyond)
			}
		}
	}
}

// randomTubes draws a scene of w × h px with tubes that cross, some of them level or upside down.
func randomTubes(rt *rapid.T, w, h float32) *scene.Tubes {
	s, l := tubes(w, h)
	l.Tubes.Lambda, l.Tubes.Morph = rapid.Float32Range(0, 1).Draw(rt, "lambda"), 1
	l.Tubes.Spine = rapid.SampledFrom([]float32{0, .4}).Draw(rt, "spine")
	x, y := rapid.Float32Range(-9, w+9), rapid.Float32Range(-9, h+9)
	width, share := rapid.Float32Range(0, w/3), rapid.Float32Range(0, 1)
	for range rapid.IntRange(1, 12).Draw(rt, "tubes") {
		var course []geom.Point
		for range rapid.IntRange(2, 5).Draw(rt, "knots") {
			course = append(course, pt(x.Draw(rt, "x"), y.Draw(rt, "y")))
		}
		if course[0] == course[1] {
			course[1].X++
		}
		fill := color.NRGBA{rapid.Byte().Draw(rt, "r"), 90, rapid.Byte().Draw(rt, "b"), 255}
		fill.A = rapid.SampledFrom([]uint8{255, 255, 90}).Draw(rt, "a")
		b := tube(l, width.Draw(rt, "w0"), width.Draw(rt, "w1"), fill, course...)
		b.Z0, b.Z1 = share.Draw(rt, "z0"), share.Draw(rt, "z1")
		b.Gloss = rapid.SampledFrom([]float32{0, .7}).Draw(rt, "gloss")
	}
	return &s.Layers[0].Tubes
}

// No pixel depends on vectors, nor on the rectangle in which it is drawn.
func TestScanIsExact(t *testing.T) {
	testtrace.Checks(t, 100)
	rapid.Check(t, func(rt *rapid.T) {
		const w, h = 90, 60
		b, linear := randomTubes(rt, w, h), rapid.Bool().Draw(rt, "linear")
		whole := image.Rect(0, 0, w, h)
		want := render.ScanPixels(b, whole, linear, true)
		if !bytes.Equal(render.ScanPixels(b, whole, linear, false), want) {
			rt.Fatal("vectors draw otherwise")
		}
		part := image.Rect(rapid.IntRange(0, 40).Draw(rt, "left"), rapid.IntRange(0, 30).Draw(rt, "top"),
			rapid.IntRange(41, w).Draw(rt, "right"), rapid.IntRange(31, h).Draw(rt, "bottom"))
		got, row := render.ScanPixels(b, part, linear, false), 4*part.Dx()
		for y := range part.Dy() {
			at := 4 * ((part.Min.Y+y)*w + part.Min.X)
			if !bytes.Equal(got[y*row:(y+1)*row], want[at:at+row]) {
				rt.Fatalf("row %d of %v differs from that of the whole", y, part)
			}
		}
	})
}

// Tubes whose coordinates are no numbers, or far too large, do no harm.
func TestScanOddNumbers(t *testing.T) {
	odd := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 3e38, -3e38}
	for _, v := range odd {
		for k := range 7 {
			_, l := tubes(40, 30)
			tube(l, 9, 5, red, pt(10, 2), pt(14, 12), pt(20, 28)).Z1 = .5
			tube(l, 9, 5, red, pt(30, 2), pt(4, 12), pt(9, 28))
			b, n := &l.Tubes.Tubes[1], l.Tubes.Knots[3:]
			*[]*float32{&n[0].X, &n[0].Y, &n[1].X, &n[1].Y, &n[1].At, &b.W0, &b.Z0}[k] = v
			for _, plain := range []bool{true, false} {
				render.ScanPixels(&l.Tubes, image.Rect(0, 0, 40, 30), true, plain)
			}
		}
	}
}
