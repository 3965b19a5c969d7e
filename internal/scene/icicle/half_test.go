package icicle

import (
	"testing"

	"diptych/internal/geom"
)

// TestAPointIsInTheNearerHalf also where it is beyond both, or where only one is drawn.
func TestAPointIsInTheNearerHalf(t *testing.T) {
	upper := Half{Bounds: geom.Rect{X1: 100, Y1: 40}, Drawing: &Drawing{}}
	lower := Half{Bounds: geom.Rect{X1: 100, Y0: 60, Y1: 90}, Drawing: &Drawing{}}
	for _, c := range []struct {
		name   string
		halves Halves
		y      float32
		want   int
	}{
		{"none", Halves{}, 10, -1},
		{"only the upper one", Halves{upper, {}}, 80, 0},
		{"only the lower one", Halves{{}, lower}, 10, 1},
		{"above", Halves{upper, lower}, -5, 0},
		{"between, nearer the upper one", Halves{upper, lower}, 49, 0},
		{"in the middle", Halves{upper, lower}, 50, 0},
		{"between, nearer the lower one", Halves{upper, lower}, 51, 1},
		{"below", Halves{upper, lower}, 95, 1},
	} {
		if got := c.halves.At(geom.Point{X: 50, Y: c.y}); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
