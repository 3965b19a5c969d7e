package render

import (
	"image"
	"math"

	"diptych/internal/scene"
)

// bow is an arc as arc.vert hands it to arc.frag.
type bow struct {
	arc          *scene.Arc
	inner, outer float32
	least        float32 // radius from which on it is drawn: inner, but of a disc less than any
	sin, cos     float32 // of half its angle; of a closed one 0 and −2
	ahead        [2]float32
	light        soft
	radian       float32 // along the middle radius, px
}

func bowOf(a *scene.Arc, scale float32) (b bow) {
	b.arc = a
	middle := .5 * (a.R0 + a.R1)
	thick := max(.5*(a.R1-a.R0), .5)
	b.inner, b.outer = middle-thick, middle+thick
	half := min(max(.5*(a.To-a.From), .5/max(middle, .1)), math.Pi)
	if b.sin, b.cos = 0, -2; half < math.Pi {
		sin, cos := math.Sincos(float64(half))
		b.sin, b.cos = float32(sin), float32(cos)
	}
	if b.least = b.inner; !(a.R0 > 0) {
		b.least = -1e4
	}
	sin, cos := math.Sincos(float64(.5 * (a.From + a.To)))
	b.ahead = [2]float32{float32(cos), float32(sin)}
	u0, u1 := a.U0, a.U1
	if !(u1 > u0) {
		u0, u1 = 0, 1
	}
	b.radian = middle
	b.light = softOf(2*half*middle/(u1-u0), scale)
	b.light.from = .5 * (u0 + u1) * b.light.whole // where the middle of the arc is
	b.inner = max(b.inner, 0)
	return b
}

// arcs draws the arcs of l that lie in s.
func (s *sheet) arcs(l *plainLayer) {
	clip := s.part.Intersect(l.clip).Sub(l.origin)
	for i := range l.arcs {
		if box := outer(arcBox(&l.arcs[i])).Intersect(clip); !box.Empty() {
			b := bowOf(&l.arcs[i], s.scale)
			s.bow(&b, box)
		}
	}
}

// bow draws what of b lies in box: in each row, the pixels on both sides of the ring's hole, as far
// as they lie between the rays at the ends.
func (s *sheet) bow(b *bow, box image.Rectangle) {
	fill, ink := straight(b.arc.Fill), inkIn(b.arc.Fill, s.linear)
	for y := box.Min.Y; y < box.Max.Y; y++ {
		down := float32(y) + .5 - b.arc.Centre.Y
		from, to := b.between(down)
		hole := b.least - .5
		if hole *= abs(hole); hole <= down*down {
			s.bowRow(b, box, y, from, to, &fill, &ink)
			continue
		}
		hole = root(hole - down*down)
		s.bowRow(b, box, y, from, min(to, -hole), &fill, &ink)
		s.bowRow(b, box, y, max(from, hole), to, &fill, &ink)
	}
}

// between returns between which places, px to the right of the centre, pixels so far below it may
// be touched.
func (b *bow) between(down float32) (from, to float32) {
	reach := b.outer + .5
	to = root(max(reach*reach-down*down, 0))
	from = -to
	if b.cos <= 0 {
		return from, to
	}
	// Less than half a pixel outside of both rays.
	for _, sign := range [2]float32{1, -1} {
		slope := b.sin*b.ahead[0] - sign*b.cos*b.ahead[1]
		at := -(.5 + down*(b.sin*b.ahead[1]+sign*b.cos*b.ahead[0])) / slope
		if slope > 0 {
			from = max(from, at)
		} else if slope < 0 {
			to = min(to, at)
		}
	}
	return from, to
}

// bowRow draws the pixels of row y in box whose middles lie between two places, px to the right of
// the centre. It is main of arc.frag.
func (s *sheet) bowRow(b *bow, box image.Rectangle, y int, from, to float32, fill, ink *[4]float32) {
	// A pixel more on either side does no harm, as it is not covered.
	first := max(box.Min.X, pixelAfter(b.arc.Centre.X+from)-1)
	end := min(box.Max.X, pixelAfter(b.arc.Centre.X+to)+1)
	py := float32(y) + .5
	for x := first; x < end; x++ {
		px := float32(x) + .5
		dx, dy := px-b.arc.Centre.X, py-b.arc.Centre.Y
		ahead, aside := dx*b.ahead[0]+dy*b.ahead[1], dy*b.ahead[0]-dx*b.ahead[1]
		r := root(ahead*ahead + aside*aside)
		covered := b.cover(r, ahead, aside, 0)
		if covered == 0 {
			continue
		}
		c := *ink
		switch b.arc.Shade {
		case scene.Cushion:
			along := b.light.along(*fill, (r-b.inner)/(b.outer-b.inner))
			f := b.light.across(float32(math.Atan2(float64(aside), float64(ahead))) * b.radian)
			for i := range c[:3] {
				if c[i] = along[i] * f; s.linear {
					c[i] = decoded(c[i])
				}
				c[i] *= c[3]
			}
		case scene.Hatch:
			covered *= stripe(px+py, s.scale)
		case scene.Outline:
			covered -= b.cover(r, ahead, aside, b.arc.Line)
		}
		i := s.index(x, y)
		for k := range s.light {
			v := &s.light[k][i]
			*v = *v*(1-c[3]*covered) + c[k]*covered
		}
	}
}

// cover returns how much of a pixel lies within b taken in by inset px all around: r px from the
// centre, and so far along and across the direction of b's middle.
func (b *bow) cover(r, ahead, aside, inset float32) float32 {
	ring := share(b.outer-inset-r+.5) - share(b.least+inset-r+.5)
	if ring <= 0 {
		return 0
	}
	x, y := b.sin*ahead, b.cos*aside
	d, e := x+y-inset, x-y-inset // distances from the rays at the ends
	switch {
	case b.cos > .7:
		return ring * max(share(.5+d)+share(.5+e)-1, 0)
	case b.cos > 0:
		return ring * share(.5+min(d, e))
	case b.cos > -.7:
		return ring * share(.5+max(d, e))
	case b.cos > -1.5:
		return ring * (1 - max(share(.5-d)+share(.5-e)-1, 0))
	}
	return ring
}

func share(v float32) float32 { return min(max(v, 0), 1) }
