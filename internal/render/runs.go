package render

import (
	"image"
	"math"

	"diptych/internal/geom"
	"diptych/internal/scene"
)

// A strip of straight pieces may differ from its curve only by less than an eye sees. A tube that
// is nearly straight, as most are, needs few pieces; one that crosses the view needs many. So where
// there are many tubes, each has as many as it needs, in runs of perRun: an instance of the one
// draw call is a run, not a tube, and the tubes keep their order. Where one run of a tube ends, the
// next one begins with the very same corners.
const (
	tolerance = 0.5 // px a chord may be off its arc
	perRun    = 8
	fewest    = 16 // pieces of a tube, where there are few tubes
	finest    = 64 // pieces of any tube
	// Of so many pieces in a layer, nobody sees one corner more or less.
	allPieces = 1 << 19
)

// fewPieces is what is drawn in no time: in a layer that has no more, all tubes have as many as the
// most bent one. Tests change it.
var fewPieces = 1 << 15

// fineness is in how many pieces each tube of a layer is drawn at least, and at most.
type fineness struct{ least, most int }

// finenessOf returns that of all tubes of t, of which a part may be drawn.
func finenessOf(t *scene.Tubes) fineness {
	f := fineness{perRun, finest}
	for f.most > fewest && f.most*len(t.Tubes) > allPieces {
		f.most /= 2
	}
	if len(t.Tubes)*fewest > fewPieces {
		return f
	}
	n := fewest
	for i := range t.Tubes {
		n = max(n, f.pieces(t, &t.Tubes[i]))
	}
	if n*len(t.Tubes) <= fewPieces {
		f.least = n
	}
	return f
}

// pieces returns in how many pieces b's axis is drawn: a power of two.
func (f fineness) pieces(t *scene.Tubes, b *scene.Tube) int {
	n := f.least
	if n == f.most {
		return n
	}
	bent := max(bend(t.Knots[b.First:b.First+b.Count]), swell(t, b))
	// An arc with second derivative c strays by c·h²/8 from a chord of parameter length h.
	for n < f.most && bent > 8*tolerance*float32(n*n) {
		n *= 2
	}
	return n
}

// run is an instance: some consecutive pieces of a tube, as they lie in the buffer.
type run struct {
	tube       scene.Tube
	first, all uint16 // first piece, and how many the whole tube has
}

// addRuns adds the runs of b that reach into the rectangle seen, px of the view.
func (f fineness) addRuns(into []run, t *scene.Tubes, b *scene.Tube, seen image.Rectangle) []run {
	n := f.pieces(t, b)
	reach := tubeReach(t, b)
	for first := 0; first < n; first += perRun {
		if n == perRun || overlaps(hull(runKnots(t, b, first, n), reach), seen) {
			into = append(into, run{*b, uint16(first), uint16(n)})
		}
	}
	return into
}

// runKnots returns the knots that shape the run of b that begins with piece first of n: those of
// the segments of its spline that it touches.
func runKnots(t *scene.Tubes, b *scene.Tube, first, n int) []scene.Knot {
	segments := int(b.Count) + 1
	k0, k1 := first*segments/n, min((first+perRun)*segments/n, segments-1)
	return t.Knots[int(b.First)+max(k0-2, 0) : int(b.First)+min(k1+2, int(b.Count))]
}

// overlaps reports whether b reaches into r.
func overlaps(b geom.Rect, r image.Rectangle) bool {
	return b.X0 < float32(r.Max.X) && b.X1 > float32(r.Min.X) &&
		b.Y0 < float32(r.Max.Y) && b.Y1 > float32(r.Min.Y)
}

// bend returns roughly the largest second derivative of the axis with the knots, across its
// direction and by a parameter that runs from 0 to 1: in the middle of a segment it lies between
// the second differences of the knots. The ends, where knots coincide, are straight.
func bend(knots []scene.Knot) float32 {
	var most float32
	for i := 1; i+1 < len(knots); i++ {
		a, b, c := &knots[i-1], &knots[i], &knots[i+1]
		x, y := c.X-a.X, c.Y-a.Y
		across := (a.X-2*b.X+c.X)*y - (a.Y-2*b.Y+c.Y)*x
		most = max(most, across*across/max(x*x+y*y, 1))
	}
	segments := float32(len(knots) + 1)
	return float32(math.Sqrt(float64(most))) * segments * segments
}

// swell returns roughly the largest second derivative of b's half-width by the same parameter. This
// parameter passes the middle of an axis faster than its ends.
func swell(t *scene.Tubes, b *scene.Tube) float32 {
	pace := float32(b.Count+1) / float32(b.Count-1)
	return t.Morph * (1 - t.Lambda) * math.Pi * math.Pi * max(b.W0, b.W1) * pace * pace
}
