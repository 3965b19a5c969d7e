package bundle_test

import (
	"diptych/internal/geom"
	"diptych/internal/scene"
)

// sample evaluates the curve that is drawn over knots: a uniform cubic B-spline of which the first
// and the last control point count three times, at n points a segment.
func sample(knots []scene.Knot, n int) []geom.Point {
	at := func(i int) scene.Knot { return knots[min(max(i, 0), len(knots)-1)] }
	var out []geom.Point
	for s := -2; s < len(knots)-1+1; s++ {
		p, q, r, v := at(s), at(s+1), at(s+2), at(s+3)
		for j := range n {
			t := float32(j) / float32(n)
			u := 1 - t
			a, b, c, d := u*u*u/6, (3*t*t*t-6*t*t+4)/6, (3*u*u*u-6*u*u+4)/6, t*t*t/6
			out = append(out, geom.Point{
				X: a*p.X + b*q.X + c*r.X + d*v.X, Y: a*p.Y + b*q.Y + c*r.Y + d*v.Y})
		}
	}
	last := knots[len(knots)-1]
	return append(out, geom.Point{X: last.X, Y: last.Y})
}

// turns counts how often a curve changes its direction in x. A way back of less than a pixel is
// none: nobody sees it.
func turns(curve []geom.Point) (n int) {
	const least = 1
	direction, far := float32(0), curve[0].X
	for _, p := range curve {
		switch d := p.X - far; {
		case direction == 0 && (d >= least || d <= -least):
			direction, far = d, p.X
		case direction*d > 0:
			far = p.X
		case direction*d < 0 && (d >= least || d <= -least):
			direction, far = d, p.X
			n++
		}
	}
	return n
}
