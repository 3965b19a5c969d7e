package scene

import (
	"image/color"
	"math"
	"testing"

	"diptych/internal/geom"
)

// TestCue: at different scales the bars of two axes stand for the same time, at the end of their
// strips; at one scale, and where there is no room, there is none.
func TestCue(t *testing.T) {
	axis := func(ns float64, x1 float32) geom.Axis { return geom.Axis{Span: geom.Span{End: ns}, X1: x1} }
	ink := color.NRGBA{A: 255}
	for _, c := range []struct {
		name   string
		x, y   geom.Axis
		needed bool
	}{
		{"one scale", axis(1e6, 1000), axis(1e6, 1000), false},
		{"one scale, one pane narrower", axis(1e6, 1000), axis(5e5, 500), false},
		{"a quarter", axis(1e6, 1000), axis(4e6, 1000), true},
		{"the other a quarter", axis(4e6, 1000), axis(1e6, 1000), true},
		{"one pane too narrow", axis(1e6, 300), axis(4e6, 1000), false},
		{"nothing", axis(0, 1000), axis(4e6, 1000), false},
	} {
		cue := NewCue(c.x, c.y, "ns", 11, 1)
		if (cue.Time > 0) != c.needed {
			t.Errorf("%s: stands for %v ns", c.name, cue.Time)
		}
		var wide [2]float64
		for k, a := range []geom.Axis{c.x, c.y} {
			var l Layer
			at := cue.Draw(&l, a, geom.Rect{X1: a.X1, Y1: 20}, ink, ink)
			if at.Empty() == c.needed || c.needed && (at.X1 != a.X1 || len(l.Texts) != 1 || at.X0 < a.X1/2) {
				t.Fatalf("%s: drawn at %v with %d texts", c.name, at, len(l.Texts))
			}
			if c.needed {
				wide[k] = float64(l.Quads[0].Rect.W()) * a.NsPerPx()
			}
		}
		if c.needed && (math.Abs(wide[0]-wide[1]) > .01*cue.Time || math.Abs(wide[0]-cue.Time) > .01*cue.Time) {
			t.Errorf("%s: bars of %v and %v ns stand for %v", c.name, wide[0], wide[1], cue.Time)
		}
	}
}
