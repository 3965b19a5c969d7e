package render_test

import (
	"bytes"
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

// someQuads draws quads of all programs that lie where they touch, overlap and are alone.
func someQuads(t *rapid.T) []scene.Quad {
	edge := rapid.Custom(func(t *rapid.T) float32 {
		return float32(rapid.IntRange(-24, 520).Draw(t, "eighths")) / 8
	})
	shade := rapid.SampledFrom([]scene.Shade{scene.Flat, scene.Flat, scene.Cushion, scene.Cushion,
		scene.CushionUp, scene.Outline, scene.Nested, scene.Glide})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) scene.Quad {
		x, y := edge.Draw(t, "x"), edge.Draw(t, "y")
		w := float32(rapid.IntRange(0, 160).Draw(t, "w")) / 8
		h := float32(rapid.SampledFrom([]int{1, 4, 12}).Draw(t, "h"))
		c := rapid.Uint32().Draw(t, "colour")
		return scene.Quad{Rect: geom.Rect{X0: x, Y0: y, X1: x + w, Y1: y + h},
			Fill:  color.NRGBA{uint8(c), uint8(c >> 8), uint8(c >> 16), uint8(c >> 24)},
			Shade: shade.Draw(t, "shade"), Line: 1,
			Radius: rapid.SampledFrom([]float32{0, 0, 0, 3}).Draw(t, "radius")}
	}), 1, 40).Draw(t, "quads")
}

// TestOrderLeavesEveryPixel: the picture is that of quads drawn one after the other, each in a layer
// of its own, to the last bit.
func TestOrderLeavesEveryPixel(t *testing.T) {
	r := testpic.Renderer(t)
	o, err := render.NewOffscreen(image.Pt(64, 64))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Release()
	rapid.Check(t, func(rt *rapid.T) {
		quads := someQuads(rt)
		plain := &scene.Scene{Size: geom.Size{W: 64, H: 64}}
		for _, q := range quads {
			l := plain.Layer(geom.Rect{})
			l.Quads = append(l.Quads, q)
		}
		want := testpic.SceneOn(t, r, o, plain, 1, white)
		got := testpic.SceneOn(t, r, o, one(64, 64, quads...), 1, white)
		if !bytes.Equal(want.Pix, got.Pix) {
			rt.Fatal("another picture")
		}
	})
}

// TestOrderKeepsWhatOverlaps: no quad is lost, and of two that share a pixel the first stays ahead.
func TestOrderKeepsWhatOverlaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		quads := someQuads(t)
		for i := range quads {
			quads[i].U1 = float32(i) // its name
		}
		at := make([]int, len(quads))
		got := render.ByProgram(quads, 8)
		for i, q := range got {
			at[int(q.U1)] = i
		}
		if len(got) != len(quads) || len(slices.Compact(slices.Sorted(slices.Values(at)))) != len(at) {
			t.Fatalf("%d quads of %d", len(got), len(quads))
		}
		for i := range quads {
			for k := range quads[:i] {
				if at[k] > at[i] && overlap(quads[k].Rect, quads[i].Rect) {
					t.Fatalf("%v is drawn before %v", quads[i], quads[k])
				}
			}
		}
	})
}

// overlap reports whether two quads, which are at least a pixel wide, both contain the centre of a
// pixel.
func overlap(a, b geom.Rect) bool {
	x0, x1 := max(a.X0, b.X0), min(max(a.X1, a.X0+1), max(b.X1, b.X0+1))
	y0, y1 := max(a.Y0, b.Y0), min(max(a.Y1, a.Y0+1), max(b.Y1, b.Y0+1))
	for y := float32(-8) + .5; y < 90; y++ {
		for x := float32(-8) + .5; x < 100; x++ {
			if x0 <= x && x < x1 && y0 <= y && y < y1 {
				return true
			}
		}
	}
	return false
}

// TestRowsOfCallsTakeFewPrograms: rows in which calls and runs of narrow ones alternate are drawn
// with few changes of program.
func TestRowsOfCallsTakeFewPrograms(t *testing.T) {
	var quads []scene.Quad
	for i := range 2000 {
		x, y := float32(i%200)*7.3, float32(i/200)*18
		shade := scene.Cushion
		if i%3 == 1 {
			shade = scene.Flat
		}
		quads = append(quads, scene.Quad{Rect: geom.Rect{X0: x, Y0: y, X1: x + 7.3, Y1: y + 17},
			Shade: shade})
	}
	was, is := render.Changes(quads), render.Changes(render.ByProgram(quads, 8))
	if is > was/10 {
		t.Errorf("%d changes of %d are left", is, was)
	}
}
