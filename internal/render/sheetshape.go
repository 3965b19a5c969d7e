package render

import (
	"image"

	"diptych/internal/geom"
	"diptych/internal/scene"
)

// soft is what the shading of a cushion is made of, as in cushion.glsl.
type soft struct {
	up          bool
	height      float32
	from, whole float32 // where the quad begins in the whole shape, and its width, px
	reach       float32 // of the falloff, px
	ends        [2]float32
}

func cushionOf(q *scene.Quad, scale float32) soft {
	w, h := extent(q)
	u0, u1 := q.U0, q.U1
	if !(u1 > u0) {
		u0, u1 = 0, 1
	}
	l := softOf(w/(u1-u0), scale)
	l.up, l.height, l.from = q.Shade == scene.CushionUp, h, u0*l.whole
	return l
}

// softOf is falloff of cushion.glsl.
func softOf(whole, scale float32) soft {
	slim := 1 - smooth(1.5, 6, whole/scale)
	return soft{height: 1, whole: whole, reach: min(max(.2*whole, 9*scale, .5), max(.5*whole, .5)),
		ends: [2]float32{root(.13 + (.02-.13)*slim), root(.18 + (.46-.18)*slim)}}
}

// across returns what the falloff leaves x px from the left border of the quad.
func (l *soft) across(x float32) float32 {
	x += l.from
	left := max(l.ends[0]*(1-x/l.reach), 0)
	right := max(l.ends[1]*(1-(l.whole-x)/l.reach), 0)
	return 1 - left*left - right*right
}

// along returns the fill, sRGB-encoded, with the light y px from the upper border of the quad.
func (l *soft) along(fill [4]float32, y float32) [4]float32 {
	t := y / l.height
	if l.up {
		t = 1 - t
	}
	lit, foot := max(1-2*t, 0), max((t-.55)/.45, 0)
	// A dark fill reflects less: without that its lit edge would glow.
	shine := max(.40*lit*lit*min(1, 1.15*max(fill[0], fill[1], fill[2])-.15), 0)
	for i, c := range fill[:3] {
		fill[i] = (c + (1-c)*shine) * (1 - .13*foot*foot)
	}
	return fill
}

// shape draws a quad of any shade with any corners, pixel by pixel where it is not flat within.
func (s *sheet) shape(q *scene.Quad, box image.Rectangle) {
	if !wide(q) {
		s.anyShape(q, box)
		return
	}
	for _, strip := range rim(q) {
		s.anyShape(q, outer(strip).Intersect(box))
	}
	if !hollow(q) {
		in := covered(&scene.Quad{Rect: inside(q)}).Intersect(box)
		s.flat(q.Fill, in)
	}
}

// anyShape is main of shape.vert and shape.frag.
func (s *sheet) anyShape(q *scene.Quad, box image.Rectangle) {
	w, h := extent(q)
	middle := geom.Point{X: q.Rect.X0 + w/2, Y: q.Rect.Y0 + h/2}
	radius := min(max(q.Radius, 0), w/2, h/2)
	light, fill, ink := cushionOf(q, s.scale), straight(q.Fill), inkIn(q.Fill, s.linear)
	soft := q.Shade == scene.Cushion || q.Shade == scene.CushionUp
	for y := box.Min.Y; y < box.Max.Y; y++ {
		row := light.along(fill, float32(y)+.5-q.Rect.Y0)
		for x := box.Min.X; x < box.Max.X; x++ {
			px, py := float32(x)+.5, float32(y)+.5
			cover := s.shadeCover(q, &light, px-q.Rect.X0, px+py)
			if d := border(px-middle.X, py-middle.Y, w/2, h/2, radius); q.Radius > 0 {
				cover *= min(max(.5-d, 0), 1)
				if hollow(q) {
					cover *= min(max(d+q.Line+.5, 0), 1)
				}
			} else if hollow(q) && d <= -q.Line {
				cover = 0
			}
			if cover == 0 {
				continue
			}
			if soft {
				f := light.across(px - q.Rect.X0)
				for c := range ink[:3] {
					ink[c] = row[c] * f
					if s.linear {
						ink[c] = decoded(ink[c])
					}
					ink[c] *= ink[3]
				}
			}
			i := s.index(x, y)
			for c := range s.light {
				at := &s.light[c][i]
				*at = *at*(1-ink[3]*cover) + ink[c]*cover
			}
		}
	}
}

// shadeCover returns the share of a pixel that a shade covers, x px from the left border of the
// quad and so far along a hatch.
func (s *sheet) shadeCover(q *scene.Quad, l *soft, x, along float32) float32 {
	switch q.Shade {
	case scene.Hatch:
		return stripe(along, s.scale)
	case scene.GradientX:
		return 1 - min(max((l.from+x)/l.whole, 0), 1)
	case scene.Dashed:
		if fraction(along/(6*s.scale)) >= .6 {
			return 0
		}
	}
	return 1
}

// stripe is that of hatch.glsl.
func stripe(along, scale float32) float32 {
	pitch := 6 * scale * 1.41421356
	d := abs(fraction(along/pitch)-.5) * pitch * .70710678
	return share(.9*scale - d + .5)
}

func fraction(v float32) float32 {
	if v -= float32(int(v)); v < 0 {
		v++
	}
	return v
}

// border returns the signed distance from the border of the rectangle around the origin with half
// the width w and half the height h, and with corners of radius r.
func border(x, y, w, h, r float32) float32 {
	x, y = abs(x)-w+r, abs(y)-h+r
	out := geom.Point{X: max(x, 0), Y: max(y, 0)}
	return root(out.X*out.X+out.Y*out.Y) + min(max(x, y), 0) - r
}
