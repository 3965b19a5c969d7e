package render

import (
	"image"
	"image/color"
	"math"

	"diptych/internal/geom"
	"diptych/internal/scene"
)

// sheet is some rows of a canvas while they are drawn, from the back to the front.
type sheet struct {
	part   image.Rectangle // px of the framebuffer
	view   image.Rectangle // the same, px of the view that is being drawn
	stride int             // of a row
	scale  float32
	linear bool
	// light is what was drawn, red, green and blue: linear if linear is set, else encoded. A vector
	// may reach over its end.
	light  [3][]float32
	tubes  band
	seen   []int32   // which ribbon was drawn last, and how much it covered
	column []float32 // what the shading of a quad depends on in each of its columns
}

// begin makes s the sheet of a part of the framebuffer, its content unspecified.
func (s *sheet) begin(part image.Rectangle, scale float32, linear bool) {
	if scale <= 0 {
		scale = 1
	}
	s.part, s.view, s.scale, s.linear = part, part, scale, linear
	s.stride = part.Dx()
	for c := range s.light {
		s.light[c] = resized(s.light[c], s.stride*part.Dy()+lanes)
	}
}

// cover fills all of s.
func (s *sheet) cover(c color.NRGBA) {
	ink := inkIn(c, s.linear)
	s.blend(0, len(s.light[0]), 0, &ink)
}

// layer draws what of l lies in s.
func (s *sheet) layer(l *plainLayer, swatches []swatch) {
	s.view = s.part.Sub(l.origin)
	if len(l.tubes.Tubes) > 0 {
		s.drawTubes(l)
	}
	s.ribbons(l)
	s.arcs(l)
	for i := l.from; i < l.to; i++ {
		if box := swatches[i].box; box.Min.Y < s.view.Max.Y && box.Max.Y > s.view.Min.Y {
			box.Min.Y, box.Max.Y = max(box.Min.Y, s.view.Min.Y), min(box.Max.Y, s.view.Max.Y)
			s.quad(swatches[i].quad, box)
		}
	}
}

// drawTubes draws the tubes of l, which a band has in the opposite order.
func (s *sheet) drawTubes(l *plainLayer) {
	part := s.part.Intersect(l.clip).Sub(l.origin)
	if part.Empty() {
		return
	}
	b := &s.tubes
	l.scanner.draw(b, &l.tubes, part, s.linear)
	for y := part.Min.Y; y < part.Max.Y && b.left < b.right; y++ {
		s.over(s.index(int(b.left), y), int(b.right-b.left), b, b.row(y)+int(b.left))
	}
}

// index returns the index of a pixel of the view.
func (s *sheet) index(x, y int) int {
	return (y-s.view.Min.Y)*s.stride + x - s.view.Min.X
}

// quad draws a quad on the pixels of the view in box.
func (s *sheet) quad(q *scene.Quad, box image.Rectangle) {
	switch kindOf(q) {
	case flat:
		s.flat(q.Fill, box)
	case cushion:
		s.cushion(q, box)
	case glide:
		s.glide(q, box)
	case nested:
		s.nested(q, box)
	default:
		s.shape(q, box)
	}
}

func (s *sheet) flat(fill color.NRGBA, box image.Rectangle) {
	ink := inkIn(fill, s.linear)
	for y := box.Min.Y; y < box.Max.Y; y++ {
		s.blend(s.index(box.Min.X, y), box.Dx(), 1-ink[3], &ink)
	}
}

// cushion is main of cushion.vert and cushion.frag.
func (s *sheet) cushion(q *scene.Quad, box image.Rectangle) {
	l := cushionOf(q, s.scale)
	s.column = resized(s.column, box.Dx())
	for i := range s.column {
		s.column[i] = l.across(float32(box.Min.X+i) + .5 - q.Rect.X0)
	}
	fill := straight(q.Fill)
	for y := box.Min.Y; y < box.Max.Y; y++ {
		c := l.along(fill, float32(y)+.5-q.Rect.Y0)
		s.shade(s.index(box.Min.X, y), s.column, &c, 0, 1)
	}
}

// glide is main of glide.vert and glide.frag.
func (s *sheet) glide(q *scene.Quad, box image.Rectangle) {
	w, h := extent(q)
	s.column = resized(s.column, box.Dx())
	for i := range s.column {
		at := (float32(box.Min.X+i) + .5 - q.Rect.X0) / w
		s.column[i] = gliding.of(q.U0 + (q.U1-q.U0)*at)
	}
	fill := straight(q.Fill)
	for y := box.Min.Y; y < box.Max.Y; y++ {
		at := (float32(y) + .5 - q.Rect.Y0) / h
		if q.Shade == scene.GlideUp {
			at = 1 - at
		}
		s.shade(s.index(box.Min.X, y), s.column, &fill, .70, .36*gliding.of(1-abs(1-1.6*at)))
	}
}

// nested is main of nested.vert and nested.frag.
func (s *sheet) nested(q *scene.Quad, box image.Rectangle) {
	w, h := extent(q)
	dim := &nesting[0]
	if s.linear {
		dim = &nesting[1]
	}
	s.column = resized(s.column, box.Dx())
	for i := range s.column {
		at := (float32(box.Min.X+i) + .5 - q.Rect.X0) / w
		s.column[i] = dim.of(1 - raised(max(1-at, 0), q.Line))
	}
	least := dim.of(1e-6)
	for y := box.Min.Y; y < box.Max.Y; y++ {
		at := (float32(y) + .5 - q.Rect.Y0) / h
		down := dim.of(1 - raised(abs(1-1.6*at), q.Line))
		s.dim(s.index(box.Min.X, y), s.column, down, least)
	}
}

// raised returns v to the power d, which is mostly a small whole number.
func raised(v, d float32) float32 {
	n := int(min(max(d, 0), 64))
	if float32(n) != d {
		return float32(math.Pow(float64(v), float64(d)))
	}
	r := float32(1)
	for range n {
		r *= v
	}
	return r
}

// powers raises numbers from 0 to 1 to one exponent.
type powers struct {
	fractions [257]float32 // of 1 to 2 in equal steps
	halves    [64]float32  // of 2⁰, 2⁻¹ and so on
}

func newPowers(exponent float64) (p powers) {
	for i := range p.fractions {
		p.fractions[i] = float32(math.Pow(1+float64(i)/256, exponent))
	}
	for i := range p.halves {
		p.halves[i] = float32(math.Exp2(-float64(i) * exponent))
	}
	return p
}

// gliding and nesting are the exponents of glide.frag and nested.frag, the latter's of encoded
// values and of linear light.
var (
	gliding = newPowers(.35)
	nesting = [2]powers{newPowers(.035), newPowers(.08)}
)

func (p *powers) of(v float32) float32 {
	bits := math.Float32bits(v)
	e := 127 - int(bits>>23) // v is 2⁻ᵉ times a number from 1 to 2
	if e < 0 || e >= len(p.halves) {
		return 0 // or no such number
	}
	at := float32(bits&(1<<23-1)) / (1 << 15)
	i := int(at)
	return p.halves[e] * (p.fractions[i] + (at-float32(i))*(p.fractions[i+1]-p.fractions[i]))
}

// inkIn is premultiply by tables.
func inkIn(c color.NRGBA, linear bool) [4]float32 {
	ink := straight(c)
	if linear {
		ink[0], ink[1], ink[2] = decodings[c.R], decodings[c.G], decodings[c.B]
	}
	for i := range ink[:3] {
		ink[i] *= ink[3]
	}
	return ink
}

// decodings are the linear light of all values.
var decodings = func() (t [256]float32) {
	for i := range t {
		t[i] = float32(decode(float64(i) / 255))
	}
	return t
}()

// extent returns the size of a quad as it is drawn.
func extent(q *scene.Quad) (w, h float32) {
	return max(q.Rect.X1-q.Rect.X0, 1), max(q.Rect.Y1-q.Rect.Y0, 1)
}

// covered returns the pixels of the view whose middles lie in the rectangle in which q is drawn.
func covered(q *scene.Quad) image.Rectangle {
	w, h := extent(q)
	r := geom.Rect{X0: q.Rect.X0, Y0: q.Rect.Y0, X1: q.Rect.X0 + w, Y1: q.Rect.Y0 + h}
	if q.Radius > 0 && kindOf(q) == shape {
		r = grown(r, 1) // round corners are soft
	}
	// OpenGL counts rows upwards, so that a middle on the border counts at the lower end, and at
	// the left one.
	return image.Rect((snapped(r.X0)+127)>>8, (snapped(r.Y0)+128)>>8,
		(snapped(r.X1)+127)>>8, (snapped(r.Y1)+128)>>8)
}

// snapped returns v in the steps of coordinates that rasterisers on the CPU have, 256 to a pixel.
func snapped(v float32) int {
	const far = 1 << 20
	if !(v > -far) {
		return -far << 8
	}
	return int(float64(min(v, far))*256+.5+far<<8) - far<<8
}
