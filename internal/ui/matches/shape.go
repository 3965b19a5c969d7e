package matches

import (
	"math"
	"time"

	"diptych/internal/scene/links"
)

// shapeShift moves the form of the tubes smoothly from one shape to another.
type shapeShift struct {
	morph, spine float32 // as drawn
	from         [2]float32
	to           [2]float32
	since        time.Time
	known        bool
}

// shifting is how long a change of shape takes.
const shifting = 180 * time.Millisecond

// at returns the form at time now and whether it is still changing.
func (s *shapeShift) at(now time.Time, shape links.Shape, still bool) (morph, spine float32, moving bool) {
	m, p := shape.Shares()
	to := [2]float32{m, p}
	switch {
	case !s.known || still:
		*s = shapeShift{morph: m, spine: p, to: to, known: true}
	case s.to != to:
		s.from, s.to, s.since = [2]float32{s.morph, s.spine}, to, now
	}
	t := min(float32(now.Sub(s.since))/float32(shifting), 1)
	if t < 0 || s.since.IsZero() {
		t = 1
	}
	ease := 1 - float32(math.Pow(float64(1-t), 3))
	s.morph = s.from[0] + (s.to[0]-s.from[0])*ease
	s.spine = s.from[1] + (s.to[1]-s.from[1])*ease
	return s.morph, s.spine, t < 1
}
