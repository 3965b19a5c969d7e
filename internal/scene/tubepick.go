package scene

import (
	"math"

	"diptych/internal/geom"
)

// Half returns the half-width of tube i, along x and in px, where share at of its axis is behind.
// A line that is not upright is wider along x than it is across; see Span.
func (t *Tubes) Half(i int, at float32) float32 { return t.half(i, at, 1) }

// half is Half where a line is slant times as wide along x as across.
func (t *Tubes) half(i int, at, slant float32) float32 {
	b := &t.Tubes[i]
	turn := float32(math.Cos(2 * math.Pi * float64(at)))
	phi := t.Lambda + (1-t.Lambda)/2*(1+turn)
	line := t.Line / 2 * slant
	return line + t.Morph*(max(phi*(b.W0+(b.W1-b.W0)*at)/2, line)-line)
}

// Span returns what tube i covers at the height of the point u of its axis: from x−half to x+half.
func (t *Tubes) Span(i int, u float32) (x, y, half float32) {
	x, y, at := t.Axis(i, u)
	return x, y, t.half(i, at, t.slant(i, u))
}

// reach is the least half-width that the pointer meets, px.
const reach = 1.5

// Pick returns the frontmost tube that covers p: the nearest there, among equals the last. A tube
// is no thinner to the pointer than 3 px. The axes have to be monotone in y.
func (t *Tubes) Pick(p geom.Point) (int, bool) {
	best, near := -1, float32(math.Inf(-1))
	for i := len(t.Tubes) - 1; i >= 0; i-- {
		if b := &t.Tubes[i]; max(b.Z0, b.Z1) <= near || !t.mayCover(i, p) {
			continue
		}
		if z, ok := t.covers(i, p); ok && z > near {
			best, near = i, z
		}
	}
	return best, best >= 0
}

// mayCover reports whether p lies in the box around tube i's knots and widths.
func (t *Tubes) mayCover(i int, p geom.Point) bool {
	knots := t.knots(i)
	y0, y1 := knots[0].Y, knots[len(knots)-1].Y
	if p.Y < min(y0, y1) || p.Y > max(y0, y1) {
		return false
	}
	most := t.most(i)
	left, right := false, false
	for _, k := range knots {
		left = left || k.X-most <= p.X
		right = right || k.X+most >= p.X
	}
	return left && right
}

// most returns what no half-width of tube i exceeds, along x and for the pointer.
func (t *Tubes) most(i int) float32 {
	b := &t.Tubes[i]
	return max(b.W0/2, b.W1/2, t.Line/2*maxSlant, reach)
}

// covers reports whether tube i covers p, which lies between its ends, and how near it is there.
func (t *Tubes) covers(i int, p geom.Point) (z float32, ok bool) {
	k, down := t.segment(i, p.Y)
	left, right := t.knot(i, k).X, t.knot(i, k).X
	for j := k - 2; j <= k+1; j++ { // a segment lies within the hull of its control points
		left, right = min(left, t.knot(i, j).X), max(right, t.knot(i, j).X)
	}
	if most := t.most(i); p.X < left-most || p.X > right+most {
		return 0, false
	}
	segments := float32(len(t.knots(i)) + 1)
	low, high := float32(k)/segments, float32(k+1)/segments
	for range 20 {
		u := (low + high) / 2
		if _, y, _ := t.Axis(i, u); (y < p.Y) == down {
			low = u
		} else {
			high = u
		}
	}
	u := (low + high) / 2
	x, _, at := t.Axis(i, u)
	if abs(p.X-x) > max(t.half(i, at, t.slant(i, u)), reach) {
		return 0, false
	}
	b := &t.Tubes[i]
	return b.Z0 + (b.Z1-b.Z0)*at, true
}

// segment returns the spline segment in which tube i's axis passes y, and whether it leads down.
func (t *Tubes) segment(i int, y float32) (k int, down bool) {
	last := len(t.knots(i)) // of the segments
	down = t.knot(i, 0).Y <= t.knot(i, last).Y
	for ; k < last; k++ {
		end := (t.knot(i, k-1).Y + 4*t.knot(i, k).Y + t.knot(i, k+1).Y) / 6
		if (end < y) != down {
			break
		}
	}
	return k, down
}
