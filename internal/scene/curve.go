package scene

import (
	"image/color"
	"math"

	"diptych/internal/geom"
)

// Arc is a bent rectangle: what lies between two radii and two angles around a centre. Angles are
// in radians; 0 points to the right, and they grow clockwise, as y points down. One narrower than a
// pixel on its middle radius, or thinner than a pixel, is widened to one by the renderer, never
// dropped. U0 and U1 are what Quad has them for, along the angle; of the shades it knows Flat,
// Cushion, Hatch and Outline.
type Arc struct {
	Centre   geom.Point
	R0, R1   float32 // px, R0 < R1
	From, To float32 // From < To
	Fill     color.NRGBA
	Shade    Shade
	Line     float32 // border width in px for Outline
	U0, U1   float32
}

// Ribbon is the area between two cubic Bézier curves, each given by its four control points, and
// the straight lines that join their ends (SyncTrace, IV-D). Curves that end in one point make a
// spike.
type Ribbon struct {
	Edges [2][4]geom.Point
	Fill  color.NRGBA
	Line  float32 // width in px of a border along both curves, 0 for none
	Ink   color.NRGBA
}

// RibbonPieces is how many straight pieces either curve of a ribbon is drawn and picked in, at
// equal steps of its parameter: few enough for thousands of ribbons, and within half a pixel of a
// curve whose control points turn off their course by 350 px.
const RibbonPieces = 24

// Contains reports whether p lies in r as it is drawn: within one of the cells between both curves
// or on the line along one. Points at most reach px off a curve belong to it, so that lines and
// slim ribbons can be pointed at.
func (r *Ribbon) Contains(p geom.Point, reach float32) bool {
	near := max(r.Line/2, reach)
	if !r.mayContain(p, near) {
		return false
	}
	a, b := r.Edges[0][0], r.Edges[1][0]
	for i := 1; i <= RibbonPieces; i++ {
		t := float32(i) / RibbonPieces
		c, d := r.At(0, t), r.At(1, t)
		if inCell(p, a, c, d, b) || apart(p, a, c) <= near || apart(p, b, d) <= near {
			return true
		}
		a, b = c, d
	}
	return false
}

// At returns the point of curve i at t, which runs from 0 to 1.
func (r *Ribbon) At(i int, t float32) geom.Point {
	p, s := &r.Edges[i], 1-t
	a, b, c, d := s*s*s, 3*s*s*t, 3*s*t*t, t*t*t
	return geom.Point{
		X: a*p[0].X + b*p[1].X + c*p[2].X + d*p[3].X,
		Y: a*p[0].Y + b*p[1].Y + c*p[2].Y + d*p[3].Y,
	}
}

// mayContain reports whether p is at most near px off the box around r's control points, in the
// hull of which the curves lie.
func (r *Ribbon) mayContain(p geom.Point, near float32) bool {
	box := geom.Rect{X0: math.MaxFloat32, Y0: math.MaxFloat32, X1: -math.MaxFloat32,
		Y1: -math.MaxFloat32}
	for i := range r.Edges {
		for _, q := range r.Edges[i] {
			box = geom.Rect{X0: min(box.X0, q.X), Y0: min(box.Y0, q.Y), X1: max(box.X1, q.X),
				Y1: max(box.Y1, q.Y)}
		}
	}
	return p.X >= box.X0-near && p.X <= box.X1+near && p.Y >= box.Y0-near && p.Y <= box.Y1+near
}

// inCell reports whether a ray from p to the right crosses an odd number of the sides of the
// quadrangle; where the curves cross within a cell, two of its sides do too.
func inCell(p geom.Point, corners ...geom.Point) bool {
	in, a := false, corners[len(corners)-1]
	for _, b := range corners {
		if (a.Y > p.Y) != (b.Y > p.Y) && p.X < a.X+(p.Y-a.Y)/(b.Y-a.Y)*(b.X-a.X) {
			in = !in
		}
		a = b
	}
	return in
}

// apart returns the distance of p from the straight line between a and b.
func apart(p, a, b geom.Point) float32 {
	x, y := b.X-a.X, b.Y-a.Y
	along := float32(0)
	if long := x*x + y*y; long > 0 {
		along = min(max(((p.X-a.X)*x+(p.Y-a.Y)*y)/long, 0), 1)
	}
	return float32(math.Hypot(float64(p.X-a.X-along*x), float64(p.Y-a.Y-along*y)))
}
