package scene_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/scene"
)

// drawRibbon draws a ribbon of any shape within 100 px: curves may cross, loop and coincide.
func drawRibbon(t *rapid.T) scene.Ribbon {
	var r scene.Ribbon
	coordinate := rapid.Float32Range(0, 100)
	for i := range r.Edges {
		for k := range r.Edges[i] {
			r.Edges[i][k] = geom.Point{X: coordinate.Draw(t, "x"), Y: coordinate.Draw(t, "y")}
		}
	}
	if rapid.Bool().Draw(t, "spike") {
		r.Edges[1][3] = r.Edges[0][3]
	}
	r.Line = rapid.Float32Range(0, 8).Draw(t, "line")
	return r
}

// A ribbon contains what lies in a cell between its curves or near one of them.
func TestRibbonContainsItsCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRibbon(t)
		reach := rapid.Float32Range(0, 3).Draw(t, "reach")
		near := float64(max(r.Line/2, reach))
		for range 20 {
			coordinate := rapid.Float32Range(-10, 110)
			p := geom.Point{X: coordinate.Draw(t, "px"), Y: coordinate.Draw(t, "py")}
			if want, sure := plainlyIn(&r, p, near); sure && r.Contains(p, reach) != want {
				t.Fatalf("%+v contains %v: %v, want %v", r, p, !want, want)
			}
		}
	})
}

// plainlyIn reports whether p lies in one of r's cells or within near px of a curve, and whether
// rounding has no say in that. A cell in which the curves cross is two triangles.
func plainlyIn(r *scene.Ribbon, p geom.Point, near float64) (in, sure bool) {
	const margin = 1e-2
	for i := range scene.RibbonPieces {
		t0, t1 := float32(i)/scene.RibbonPieces, float32(i+1)/scene.RibbonPieces
		a, b, c, d := r.At(0, t0), r.At(0, t1), r.At(1, t1), r.At(1, t0)
		off := min(nearOutline(p, []geom.Point{a, b}), nearOutline(p, []geom.Point{c, d}))
		if off < near-margin {
			return true, true
		}
		if off < near+margin || nearOutline(p, []geom.Point{a, b, c, d}) < margin {
			return false, false
		}
		if inPolygon(p, []geom.Point{a, b, c, d}) {
			in = true
		}
	}
	return in, true
}

// The curves are cubic Béziers, by the construction of de Casteljau.
func TestRibbonCurves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRibbon(t)
		at := rapid.Float32Range(0, 1).Draw(t, "t")
		for i := range r.Edges {
			points := r.Edges[i][:]
			for len(points) > 1 {
				var next []geom.Point
				for k := 1; k < len(points); k++ {
					a, b := points[k-1], points[k]
					next = append(next, geom.Point{X: a.X + at*(b.X-a.X), Y: a.Y + at*(b.Y-a.Y)})
				}
				points = next
			}
			got := r.At(i, at)
			if nearOutline(got, []geom.Point{points[0], points[0]}) > 1e-3 {
				t.Fatalf("curve %d of %+v at %v: %v, want %v", i, r, at, got, points[0])
			}
		}
	})
}

func BenchmarkRibbonContains(b *testing.B) {
	r := scene.Ribbon{Edges: [2][4]geom.Point{
		{{X: 0, Y: 0}, {X: 50, Y: 0}, {X: 50, Y: 100}, {X: 100, Y: 100}},
		{{X: 0, Y: 20}, {X: 50, Y: 20}, {X: 50, Y: 100}, {X: 100, Y: 100}}}}
	for name, p := range map[string]geom.Point{"hit": {X: 90, Y: 96}, "beside": {X: 90, Y: 10},
		"far": {X: 300, Y: 10}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				r.Contains(p, 2)
			}
		})
	}
}

// inPolygon reports whether p lies within the outline, by the sum of the angles it is seen under.
func inPolygon(p geom.Point, outline []geom.Point) bool {
	var sum float64
	for i, b := range outline {
		a := outline[(i+len(outline)-1)%len(outline)]
		ax, ay := float64(a.X-p.X), float64(a.Y-p.Y)
		bx, by := float64(b.X-p.X), float64(b.Y-p.Y)
		sum += math.Atan2(ax*by-ay*bx, ax*bx+ay*by)
	}
	return math.Abs(sum) > math.Pi
}

// nearOutline returns the distance of p from the outline.
func nearOutline(p geom.Point, outline []geom.Point) float64 {
	least := math.Inf(1)
	for i, b := range outline {
		a := outline[(i+len(outline)-1)%len(outline)]
		x, y := float64(b.X-a.X), float64(b.Y-a.Y)
		px, py := float64(p.X-a.X), float64(p.Y-a.Y)
		along := min(max((px*x+py*y)/max(x*x+y*y, 1e-12), 0), 1)
		least = min(least, math.Hypot(px-along*x, py-along*y))
	}
	return least
}
