package scene

import (
	"image/color"
	"math"

	"diptych/internal/geom"
)

// Tubes are curved bands from cell to cell (TraceDiff, IV-C). The axis of one is a uniform cubic
// B-spline over its knots, of which the first and the last count three times, so that it begins and
// ends at them. Knots are all that a view computes: the renderer evaluates the curves on the GPU,
// and Axis and Pick evaluate the same ones here.
//
// At share t of the way along the axis, by length, the half-width is φ(t)·((1−t)·W0/2 + t·W1/2),
// φ(t) = Lambda + (1−Lambda)/2·(1 + cos 2πt), measured along x; what is thinner than a line is a
// line, whose width is measured across it. The profile across is a parabolic cushion, dark at the
// borders.
//
// The nearer tube hides the farther, wherever they cross. Those who list tubes list them from the
// back to the front, so that soft borders and translucent tubes blend with what lies behind them.
type Tubes struct {
	Knots  []Knot
	Tubes  []Tube
	Lambda float32 // thickness in the middle, as a share of that at the ends, 0 to 1
	Morph  float32 // 0 draws lines, 1 tubes, what is between what is between
	Line   float32 // width of a line, px
	Spine  float32 // opacity of a line along each tube's axis, 0 to 1
}

// Knot is a control point of an axis.
type Knot struct {
	X, Y float32 // px from the view's top left corner
	At   float32 // length of the control polygon up to here, as a share of all of it
}

// Tube is one band.
type Tube struct {
	First, Count uint32  // its knots are Tubes.Knots[First:First+Count]; at least two
	W0, W1       float32 // widths at the first and the last knot, px
	Z0, Z1       float32 // nearness at the ends, 0 to 1; the nearer hides the farther
	Fill         color.NRGBA
	Gloss        float32 // strength of a white highlight along the axis, 0 to 1
}

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

// Half returns the half-width of tube i, along x and in px, where share at of its axis is behind. A
// line that is not upright is slant times as wide along x as it is across; see Span.
func (t *Tubes) Half(i int, at, slant float32) float32 {
	b := &t.Tubes[i]
	turn := float32(math.Cos(2 * math.Pi * float64(at)))
	phi := t.Lambda + (1-t.Lambda)/2*(1+turn)
	line := t.Line / 2 * slant
	return line + t.Morph*(max(phi*(b.W0+(b.W1-b.W0)*at)/2, line)-line)
}

// Span returns what tube i covers at the height of the point u of its axis: from x−half to x+half.
func (t *Tubes) Span(i int, u float32) (x, y, half float32) {
	x, y, at := t.Axis(i, u)
	return x, y, t.Half(i, at, t.slant(i, u))
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
	if abs(p.X-x) > max(t.Half(i, at, t.slant(i, u)), reach) {
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
