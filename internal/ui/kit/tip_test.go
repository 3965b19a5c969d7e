package kit

import (
	"image"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/geom"
)

// TestClearestLeavesTheEndsFree checks that a tooltip gives way to what it is about, stays within
// the pane, and leaves the pointer free where there is room.
func TestClearestLeavesTheEndsFree(t *testing.T) {
	pane, size, p := image.Pt(600, 400), image.Pt(200, 80), geom.Point{X: 300, Y: 200}
	below := geom.Rect{X0: 0, X1: 600, Y0: 220, Y1: 400}
	rightAbove := geom.Rect{X0: 320, X1: 600, Y1: 190}
	for _, c := range []struct {
		boxes []geom.Rect
		want  image.Point
	}{
		{nil, image.Pt(310, 210)},
		{[]geom.Rect{below}, image.Pt(310, 110)},
		{[]geom.Rect{below, rightAbove}, image.Pt(90, 110)},
	} {
		if got := Clearest(c.boxes, p, size, pane, 10); got != c.want {
			t.Errorf("beside %v it stands at %v, want %v", c.boxes, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		at := image.Pt(rapid.IntRange(0, pane.X-1).Draw(t, "x"), rapid.IntRange(0, pane.Y-1).Draw(t, "y"))
		got := Clearest([]geom.Rect{below}, geom.Point{X: float32(at.X), Y: float32(at.Y)}, size, pane, 10)
		box := image.Rectangle{Min: got, Max: got.Add(size)}
		if !box.In(image.Rectangle{Max: pane}) || at.In(box) {
			t.Fatalf("%v for the pointer at %v", box, at)
		}
	})
}
