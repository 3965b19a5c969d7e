package scene

import "math"

// window returns the four control points of the spline segment that holds u of tube i's axis, and
// how far along the segment u is. n knots, of which the end ones count three times, make n+1
// segments.
func (t *Tubes) window(i int, u float32) (p [4]Knot, s float32) {
	segments := len(t.knots(i)) + 1
	at := min(max(u, 0), 1) * float32(segments)
	k := min(int(at), segments-1)
	for j := range p {
		p[j] = t.knot(i, k-2+j)
	}
	return p, at - float32(k)
}

// knots returns the control points of tube i.
func (t *Tubes) knots(i int) []Knot {
	b := &t.Tubes[i]
	return t.Knots[b.First : b.First+b.Count]
}

// knot returns control point k of tube i, counted so that 0 is the first; beyond the ends, these
// repeat.
func (t *Tubes) knot(i, k int) Knot {
	knots := t.knots(i)
	return knots[min(max(k, 0), len(knots)-1)]
}

// Axis returns the point of tube i's axis at u, which runs from 0 to 1 over the segments of the
// spline, and the share of the axis that lies before it, by length. The share is the spline through
// the knots' own: a smooth, monotone approximation.
func (t *Tubes) Axis(i int, u float32) (x, y, at float32) {
	p, s := t.window(i, u)
	r := 1 - s
	// The basis functions sum to 1. Weighing differences rather than points makes both ends exact.
	a, c, d := r*r*r/6, (1+3*s*(1+s*(1-s)))/6, s*s*s/6
	blend := func(p0, p1, p2, p3 float32) float32 {
		return p1 + a*(p0-p1) + c*(p2-p1) + d*(p3-p1)
	}
	return blend(p[0].X, p[1].X, p[2].X, p[3].X), blend(p[0].Y, p[1].Y, p[2].Y, p[3].Y),
		blend(p[0].At, p[1].At, p[2].At, p[3].At)
}

// slant returns the length of tube i's axis per pixel of height at u, at most maxSlant: what the
// breadth of a line across has to be multiplied by to be measured along x.
func (t *Tubes) slant(i int, u float32) float32 {
	p, s := t.window(i, u)
	s = min(max(s, edge), 1-edge)
	r := 1 - s
	a, b, c := r*r, 1+2*r*s, s*s // the derivative's basis, but for a factor
	dx := a*(p[1].X-p[0].X) + b*(p[2].X-p[1].X) + c*(p[3].X-p[2].X)
	dy := a*(p[1].Y-p[0].Y) + b*(p[2].Y-p[1].Y) + c*(p[3].Y-p[2].Y)
	long := float32(math.Hypot(float64(dx), float64(dy)))
	return min(max(long/max(abs(dy), 1e-9), 1), maxSlant)
}

const (
	// edge is how far inside a segment directions are taken: at its very ends the spline stands
	// still.
	edge = 1e-3
	// maxSlant bounds how far a line is widened; one that is flatter gets thinner.
	maxSlant = 8
)

func abs(v float32) float32 { return max(v, -v) }
