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
		near := float64(max(r.Line/2, 1.5))
		for range 20 {
			coordinate := rapid.Float32Range(-10, 110)
			p := geom.Point{X: coordinate.Draw(t, "px"), Y: coordinate.Draw(t, "py")}
			if want, sure := plainlyIn(&r, p, near); sure && r.Contains(p) != want {
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
				r.Contains(p)
			}
		})
	}
}

// drawArc draws an arc of at least a pixel that begins anywhere.
func drawArc(t *rapid.T) scene.Arc {
	at := rapid.Float32Range(-50, 50)
	a := scene.Arc{
		Centre: geom.Point{X: at.Draw(t, "x"), Y: at.Draw(t, "y")},
		R0:     rapid.Float32Range(2, 80).Draw(t, "r0"),
		From:   rapid.Float32Range(-20, 20).Draw(t, "from"),
	}
	a.R1 = a.R0 + rapid.Float32Range(1, 40).Draw(t, "thick")
	least := 2 / (a.R0 + a.R1)
	a.To = a.From + rapid.Float32Range(1.01*least, 2*math.Pi).Draw(t, "span")
	return a
}

// polygon cuts the outline of a into straight pieces, on radii that r0 and r1 scale.
func polygon(a *scene.Arc, r0, r1 float64) []geom.Point {
	const steps = 400
	var outline []geom.Point
	add := func(k int, r float64) {
		way := float64(a.From) + (float64(a.To)-float64(a.From))*float64(k)/steps
		sin, cos := math.Sincos(way)
		outline = append(outline, geom.Point{X: a.Centre.X + float32(r*cos),
			Y: a.Centre.Y + float32(r*sin)})
	}
	for k := range steps + 1 {
		add(k, float64(a.R1)*r1)
	}
	for k := steps; k >= 0; k-- {
		add(k, float64(a.R0)*r0)
	}
	return outline
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

// An arc contains what lies within the polygon of its outline, at any angle and up to the full
// circle.
func TestArcContainsItsPolygon(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawArc(t)
		outline := polygon(&a, 1, 1)
		for range 20 {
			way := rapid.Float64Range(-math.Pi, math.Pi).Draw(t, "angle")
			r := rapid.Float64Range(0, 130).Draw(t, "r")
			p := geom.Point{X: a.Centre.X + float32(r*math.Cos(way)),
				Y: a.Centre.Y + float32(r*math.Sin(way))}
			if nearOutline(p, outline) < 0.05 {
				continue // the polygon is not quite the arc, nor are floats exact
			}
			if got, want := a.Contains(p), inPolygon(p, outline); got != want {
				t.Fatalf("%+v contains %v: %v, in its polygon: %v", a, p, got, want)
			}
		}
	})
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

// Every point of a ring is in exactly one of the arcs that it is cut into.
func TestArcsTile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.Float32Range(-10, 10).Draw(t, "from")
		n := rapid.IntRange(1, 12).Draw(t, "arcs")
		var arcs []scene.Arc
		for i := range n {
			at := func(k int) float32 { return from + 2*math.Pi*float32(k)/float32(n) }
			arcs = append(arcs,
				scene.Arc{R0: 20, R1: 30, From: at(i), To: at(i + 1)},
				scene.Arc{R0: 30, R1: 40, From: at(i), To: at(i + 1)})
		}
		coordinate := rapid.Float32Range(-30, 30)
		p := geom.Point{X: coordinate.Draw(t, "x"), Y: coordinate.Draw(t, "y")}
		if rapid.Bool().Draw(t, "border") {
			sin, cos := math.Sincos(float64(arcs[0].To))
			p = geom.Point{X: float32(25 * cos), Y: float32(25 * sin)}
		}
		r := math.Hypot(float64(p.X), float64(p.Y))
		if math.Abs(r-20) < 1e-3 || math.Abs(r-40) < 1e-3 {
			return
		}
		hits := 0
		for i := range arcs {
			if arcs[i].Contains(p) {
				hits++
			}
		}
		// Where the last arc ends at the first's beginning, the angles are not the same floats.
		way := math.Mod(math.Atan2(float64(p.Y), float64(p.X))-float64(from)+6*math.Pi, 2*math.Pi)
		if closing := min(way, 2*math.Pi-way) < 1e-5; !closing && hits != one(r >= 20 && r < 40) {
			t.Fatalf("%v at %v px is in %d of %d arcs", p, r, hits, len(arcs))
		}
	})
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// What is narrower or thinner than a pixel is picked as widely as it is drawn.
func TestSlimArcs(t *testing.T) {
	hair := scene.Arc{R0: 99, R1: 101, From: 1, To: 1}
	film := scene.Arc{R0: 100, R1: 100, From: 0, To: 3}
	at := func(r, way float64) geom.Point {
		return geom.Point{X: float32(r * math.Cos(way)), Y: float32(r * math.Sin(way))}
	}
	tests := []struct {
		arc  *scene.Arc
		p    geom.Point
		want bool
	}{
		{&hair, at(100, 1), true}, {&hair, at(100, 1.0049), true}, {&hair, at(100, 0.9951), true},
		{&hair, at(100, 1.0051), false}, {&hair, at(100, 0.9949), false}, {&hair, at(98.9, 1), false},
		{&film, at(99.51, 2), true}, {&film, at(100.49, 2), true}, {&film, at(100.51, 2), false},
		{&film, at(99.49, 2), false}, {&film, at(100, 3.1), false},
	}
	for _, test := range tests {
		if got := test.arc.Contains(test.p); got != test.want {
			t.Errorf("%+v contains %v: %v, want %v", *test.arc, test.p, got, test.want)
		}
	}
}
