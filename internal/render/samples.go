package render

import (
	"math"

	"diptych/internal/scene"
)

// A strip of straight pieces must not stray from the curve it stands for by more than an eye would
// see. That needs few pieces for tubes that are nearly straight, which most are, and many for one
// that crosses the view; all tubes of a draw call have as many as the neediest, unless there are so
// many tubes that a corner more or less drowns among them.
const (
	tolerance  = 0.5 // px a chord may be off its arc
	minSamples = 16
	maxSamples = 64
	allSamples = 1 << 20 // of all tubes together
)

// samples returns how many pieces the axes of t are drawn in: a power of two.
func samples(t *scene.Tubes) int32 {
	var most float32
	for i := range t.Tubes {
		b := &t.Tubes[i]
		most = max(most, bend(t.Knots[b.First:b.First+b.Count]), swell(t, b))
	}
	// An arc with second derivative c strays by c·h²/8 from a chord of parameter length h.
	n := minSamples
	for n < maxSamples && 2*n*len(t.Tubes) <= allSamples &&
		most > 8*tolerance*float32(n*n) {
		n *= 2
	}
	return int32(n)
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

// swell returns roughly the largest second derivative of b's half-width by the same parameter, in
// which the middle of an axis passes faster than its ends.
func swell(t *scene.Tubes, b *scene.Tube) float32 {
	pace := float32(b.Count+1) / float32(b.Count-1)
	return t.Morph * (1 - t.Lambda) * math.Pi * math.Pi * max(b.W0, b.W1) * pace * pace
}
