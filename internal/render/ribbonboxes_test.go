package render

import (
	"image"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/scene"
)

// TestRibbonBoxesHoldTheRibbon: what a ribbon covers at t lies in the box of the part that t is in.
func TestRibbonBoxesHoldTheRibbon(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r scene.Ribbon
		at := rapid.Float32Range(-2000, 2000)
		for i := range r.Edges {
			for k := range r.Edges[i] {
				r.Edges[i][k] = geom.Point{X: at.Draw(t, "x"), Y: at.Draw(t, "y")}
			}
		}
		boxes := ribbonBoxes(&r)
		for step := range scene.RibbonPieces + 1 {
			s := float32(step) / scene.RibbonPieces
			p, q := r.At(0, s), r.At(1, s)
			box := boxes[min(step*ribbonParts/scene.RibbonPieces, ribbonParts-1)]
			if !box.Contains(p) || !box.Contains(q) {
				t.Fatalf("at %v: %v or %v is not in %v", s, p, q, box)
			}
		}
	})
}

// TestABowIsNotDrawnWhereItIsFar: a bow that runs along two sides of a square is not drawn again
// for what changes near the opposite corner, and is for what changes on its way.
func TestABowIsNotDrawnWhereItIsFar(t *testing.T) {
	bow := [4]geom.Point{{}, {X: 800}, {X: 1000, Y: 200}, {X: 1000, Y: 1000}}
	all := []scene.Ribbon{{Edges: [2][4]geom.Point{bow, bow}}}
	var c culled
	if len(c.ribbons(all, image.Rect(0, 900, 100, 1000))) > 0 {
		t.Error("it is drawn far from where it is")
	}
	if len(c.ribbons(all, image.Rect(800, 100, 900, 200))) == 0 {
		t.Error("it is not drawn where it is")
	}
}
