package threads

import (
	"image/color"
	"slices"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/scene"
)

// TestEqualRibbonsAreDrawnOnce: at the place of the first, and as opaque as all of them together.
func TestEqualRibbonsAreDrawnOnce(t *testing.T) {
	ribbon := func(x float32, fill, ink uint8) scene.Ribbon {
		return scene.Ribbon{Edges: [2][4]geom.Point{{{X: x}}, {{X: x, Y: 9}}}, Line: 1,
			Fill: color.NRGBA{R: 1, A: fill}, Ink: color.NRGBA{R: 2, A: ink}}
	}
	all := []scene.Ribbon{ribbon(1, 0, 128), ribbon(2, 51, 51), ribbon(1, 0, 128), ribbon(2, 51, 52),
		ribbon(1, 0, 128)}
	want := []scene.Ribbon{ribbon(1, 0, 223), ribbon(2, 51, 51), ribbon(2, 51, 52)} // 1 − (127 ÷ 255)³
	if got := merged(all); !slices.Equal(got, want) {
		t.Errorf("%v are drawn, want %v", got, want)
	}
	if got := piled(37, 300); got != 255 {
		t.Errorf("300 layers are %d opaque", got)
	}
}
