package icicle

import (
	"image/color"
	"slices"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/scene"

	"pgregory.net/rapid"
)

// TestShapesAreWhatIsDrawn: every quad of a call or run is a shape once, in the order drawn, and
// the shapes' calls are those of the cells.
func TestShapesAreWhatIsDrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlot(t, drawTrace(t))
		p.Header, p.Detail = 0, Lighter
		alone := color.NRGBA{R: 1, G: 2, B: 3, A: 255}
		p.CallFill = func(_, call int) color.NRGBA { return alone }
		p.Emphasis = nil
		var l scene.Layer
		d := p.Draw(&l, nil)
		n := 0
		type key struct{ thread, from, to int }
		var shapes, cells []key
		for c, q := range d.Shapes {
			if q != &d.quads[n] || c.Rect != q.Rect {
				t.Fatalf("shape %d is not quad %d", n, n)
			}
			if (q.Fill == alone) == c.Run {
				t.Fatalf("%+v is filled %v", c, q.Fill)
			}
			n++
			r := c.Rect
			r.X1 = max(r.X1, r.X0+1)
			if k := (key{c.Thread, c.From, c.To}); !r.Intersect(d.View).Empty() &&
				!slices.Contains(shapes, k) {
				shapes = append(shapes, k)
			}
		}
		if n != len(d.quads) {
			t.Fatalf("%d shapes of %d quads", n, len(d.quads))
		}
		for c := range d.Cells {
			cells = append(cells, key{c.Thread, c.From, c.To})
			if (c.Rect == geom.Rect{}) {
				t.Fatal("a cell is nowhere")
			}
		}
		for _, k := range cells {
			if !slices.Contains(shapes, k) {
				t.Fatalf("cell %v has no shape", k)
			}
		}
	})
}
