package kit

import (
	"image"
	"testing"

	"gioui.org/layout"
	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/scene"
	"diptych/internal/scene/legend"
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

// TestBesidesLeavesTheShapeFree checks that a tooltip stands below its shape, above it where there
// is no room below, and beside the pointer where the shape is as high as the pane.
func TestBesidesLeavesTheShapeFree(t *testing.T) {
	pane, size, p := image.Pt(400, 300), image.Pt(100, 40), geom.Point{X: 50, Y: 150}
	for _, c := range []struct {
		shape geom.Rect
		at    geom.Point
		want  image.Point
	}{
		{geom.Rect{X1: 400, Y0: 140, Y1: 160}, p, image.Pt(60, 170)},
		{geom.Rect{X1: 400, Y0: 140, Y1: 290}, p, image.Pt(60, 90)},
		{geom.Rect{X1: 400, Y1: 300}, p, image.Pt(70, 160)},
		{geom.Rect{X1: 400, Y0: 140, Y1: 160}, geom.Point{X: 390, Y: 150}, image.Pt(300, 170)},
		{geom.Rect{X1: 400, Y1: 300}, geom.Point{X: 390, Y: 290}, image.Pt(270, 260)},
	} {
		if got := besides(c.shape, c.at, size, pane, 10); got != c.want {
			t.Errorf("beside %v, with the pointer at %v, it stands at %v, want %v", c.shape, c.at, got, c.want)
		}
	}
}

func TestTipsFitTheirLines(t *testing.T) {
	k := New()
	var sizes []image.Point
	for _, lines := range [][]string{{"main"}, {"main", "12 ms"}, {"main", "12 ms", "at 3 s"}} {
		show(t, k, func(gtx layout.Context) layout.Dimensions {
			k.TipBox(gtx, lines, geom.Rect{X1: 20, Y1: 20}, geom.Point{X: 10, Y: 10})
			k.TipPlaced(gtx, lines, func(size image.Point) image.Point {
				sizes = append(sizes, size)
				return image.Point{}
			})
			return layout.Dimensions{}
		})
	}
	for i := 2; i < len(sizes); i++ {
		if sizes[i].Y < sizes[i-2].Y || sizes[i].X > 400 {
			t.Errorf("a box of more lines is %v, of fewer %v", sizes[i], sizes[i-2])
		}
	}
}

func TestLegendsTakeOnlyTheirShare(t *testing.T) {
	k := New()
	entries := legend.Matches(legend.Options{Palette: k.Pal, Unit: "ns"})
	if LegendHeight(nil, 600, 1) != 0 {
		t.Error("a legend of nothing takes room")
	}
	high, twice := LegendHeight(entries, 600, 1), LegendHeight(entries, 1200, 2)
	if high <= 0 || Abs(twice-2*high) > 1 {
		t.Errorf("it is %v px high, %v at twice the scale", high, twice)
	}
	if Fitting(entries, nil, geom.Size{W: 600, H: 100}, 1) != nil {
		t.Error("it takes more than its share of a low view")
	}
	if len(Fitting(entries, nil, geom.Size{W: 600, H: 2000}, 1)) != len(entries) {
		t.Error("it is missing from a high view")
	}
	s := &scene.Scene{Size: geom.Size{W: 600, H: 400}}
	AddLegend(s, nil, k.Pal, 1)
	if AddLegend(s, entries, k.Pal, 1); s.Size.H != 400+high || len(s.Layers) != 1 {
		t.Errorf("with it the scene is %v px high, want %v", s.Size.H, 400+high)
	}
}
