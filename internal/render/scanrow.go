package render

import (
	"image"
	"image/color"
	"math"

	"diptych/internal/scene"
)

// piece is what lies between two neighbouring joints of a tube, in the rows of a band.
type piece struct {
	from, to int // rows whose middles lie between the joints, px of the view
	upper    *joint
	step     joint      // what changes from row to row
	slants   [2]float32 // px along x per px across the border, left and right
	sharp    [2]float32 // their inverses
}

// set makes p the piece between two joints, in the rows of part. There may be none.
func (p *piece) set(a, c *joint, part image.Rectangle) {
	if c.y < a.y {
		a, c = c, a
	}
	p.from, p.to = max(pixelAfter(a.y), part.Min.Y), min(pixelAfter(c.y), part.Max.Y)
	if p.from >= p.to {
		return
	}
	per := 1 / (c.y - a.y)
	p.upper = a
	p.step.x, p.step.half, p.step.reach = (c.x-a.x)*per, (c.half-a.half)*per, (c.reach-a.reach)*per
	p.step.cushion, p.step.spine = (c.cushion-a.cushion)*per, (c.spine-a.spine)*per
	p.step.near = (c.near - a.near) * per
	left, right := p.step.half-p.step.x, p.step.half+p.step.x
	p.slants = [2]float32{root(1 + left*left), root(1 + right*right)}
	p.sharp = [2]float32{1 / p.slants[0], 1 / p.slants[1]}
}

// pixelAfter returns the first pixel whose middle lies beyond v. An end in the middle of a row
// counts as OpenGL counts it, whose rows go up.
func pixelAfter(v float32) int {
	v = min(max(v-.5, -1<<20), 1<<20)
	i := int(v)
	if float32(i) <= v {
		i++
	}
	return i
}

// stroke is what a tube covers in a row.
type stroke struct {
	from, to int32   // pixels that it may touch, px of the view
	middle   float32 // of the first one, px
	end      float32 // right of the last one, px
	x        float32 // of the axis
	half     float32
	thin     float32 // inverse of half
	darkness float32 // of the border
	shine    float32 // in the middle, of a highlight of strength 1
	spine    float32
	near     float32
}

// set makes s what p covers at d px below its upper end, between two columns.
func (s *stroke) set(p *piece, d, left, right float32) {
	u, step := p.upper, &p.step
	s.x, s.half = u.x+step.x*d, u.half+step.half*d
	cushion, reach := u.cushion+step.cushion*d, u.reach+step.reach*d
	// A pixel that the tube does not touch is drawn with nothing, so one more does no harm.
	from := max(s.x-.5-min(s.half+.5*p.slants[0], reach), left)
	to := min(s.x+.5+min(s.half+.5*p.slants[1], reach), right)
	s.spine, s.near = u.spine+step.spine*d, u.near+step.near*d
	sum := s.x + s.half + cushion + s.spine + s.near
	if s.from, s.to = 0, 0; !(from < to) || sum-sum != 0 {
		return // nothing, or one of them is infinite or no number
	}
	s.from, s.to = int32(from), int32(to)
	s.middle, s.end = float32(s.from)+.5, float32(s.to)
	s.darkness, s.shine = .20+(.36-.20)*cushion, .90*cushion
	s.thin = 1 / max(s.half, 1e-3)
}

// ink is how a tube looks, the same in all rows.
type ink struct {
	fill   [3]float32 // sRGB-encoded
	alpha  float32
	gloss  float32 // strength of a highlight, less where the fill is dark
	bright float32 // what the fill reflects
	line   float32 // half of the width of a spine and a half, px
	plain  bool    // there is neither a highlight nor a spine
}

func inkOf(b *scene.Tube, t *scene.Tubes) ink {
	c := straight(b.Fill)
	k := ink{fill: [3]float32{c[0], c[1], c[2]}, alpha: c[3], gloss: b.Gloss}
	k.bright = .3 + .7*max(c[0], c[1], c[2])
	k.line = .5 + .5*t.Line
	k.plain = b.Gloss == 0 && t.Spine == 0
	return k
}

// straight returns c's channels from 0 to 1.
func straight(c color.NRGBA) [4]float32 {
	return [4]float32{float32(c.R) / 255, float32(c.G) / 255, float32(c.B) / 255, float32(c.A) / 255}
}

// band is some rows of a picture while they are drawn, from the front to the back.
type band struct {
	part   image.Rectangle // px of the view
	stride int             // of a row; a vector may reach over its end
	linear bool
	// red, green and blue are what was drawn, with alpha multiplied in; through is the share of
	// what lies behind that is seen through it.
	red, green, blue, through []float32
	// nearest is how near the nearest tube is that covers the pixel wholly. It is empty if tubes
	// lie in the order of their nearness.
	nearest     []float32
	left, right int32 // columns that were touched

	piece  piece // what is being drawn, how it looks, and where it is in a row
	ink    ink
	stroke stroke
}

const (
	lanes = 8 // of a vector
	// unseen is what is no longer worth drawing behind: less than half a step of 8 bits in linear
	// light, where it is dark.
	unseen = 1. / 8192
	// beside is how much farther a tube may lie than another one that does not hide it, as with the
	// offset that tubePainter gives to depths.
	beside = 4e-6
)

// begin makes b an empty band.
func (b *band) begin(part image.Rectangle, linear, depths bool) {
	b.part, b.linear = part, linear
	b.stride = part.Dx() + lanes
	n := b.stride * part.Dy()
	for _, s := range []*[]float32{&b.red, &b.green, &b.blue} {
		*s = resized(*s, n)
		clear(*s)
	}
	b.through = resized(b.through, n)
	fill(b.through, 1)
	b.nearest = b.nearest[:0]
	if depths {
		b.nearest = resized(b.nearest, n)
		fill(b.nearest, -math.MaxFloat32)
	}
	b.left, b.right = int32(part.Max.X), int32(part.Min.X)
}

// fill sets all of s to v.
//
//go:norace
func fill(s []float32, v float32) {
	for i := range s {
		s[i] = v
	}
}

// inked returns the part of b on which something was drawn.
func (b *band) inked() image.Rectangle {
	if b.left >= b.right {
		return image.Rectangle{}
	}
	return image.Rect(int(b.left), b.part.Min.Y, int(b.right), b.part.Max.Y)
}

// hide notes the pixels that b's piece covers wholly.
//
//go:norace
func (b *band) hide() {
	p := &b.piece
	aside := beside + .02*abs(p.step.near)
	for y := p.from; y < p.to; y++ {
		d := float32(y) + .5 - p.upper.y
		x, half := p.upper.x+p.step.x*d, p.upper.half+p.step.half*d
		near := p.upper.near + p.step.near*d - aside
		from := max(pixelAfter(x-half+.5*p.slants[0]), b.part.Min.X)
		to := min(pixelAfter(x+half-.5*p.slants[1]), b.part.Max.X)
		row := b.row(y)
		for i := row + from; i < row+to; i++ {
			if b.nearest[i] < near {
				b.nearest[i] = near
			}
		}
	}
}

// paint draws b's piece with b's ink, behind what b has.
func (b *band) paint() {
	left, right := float32(b.part.Min.X), float32(b.part.Max.X)
	p, s := &b.piece, &b.stroke
	for y := p.from; y < p.to; y++ {
		s.set(p, float32(y)+.5-p.upper.y, left, right)
		if s.from < s.to {
			b.left, b.right = min(b.left, s.from), max(b.right, s.to)
			paintRow(b, b.row(y))
		}
	}
}

// row returns the index of the pixel of row y in column 0 of the view.
func (b *band) row(y int) int { return (y-b.part.Min.Y)*b.stride - b.part.Min.X }

// paintPixels draws b's stroke in the row that has column 0 at the index row, pixel by pixel. It is
// main of tube.frag. The race detector is spared the pixels, as in sheetrow.go.
//
//go:norace
func paintPixels(b *band, row int) {
	s, k := &b.stroke, &b.ink
	for px := s.from; px < s.to; px++ {
		i := row + int(px)
		t := b.through[i]
		if t == 0 || len(b.nearest) > 0 && b.nearest[i] > s.near {
			continue
		}
		off, sharp := float32(px)+.5-s.x, b.piece.sharp[1]
		if off < 0 {
			sharp = b.piece.sharp[0]
		}
		off = abs(off)
		across := off * sharp
		w := t * (k.alpha * min(max(.5+(s.half*sharp-across), 0), 1))
		v := min(off*s.thin, 1)
		v *= v
		shade := 1 - s.darkness*v
		red, green, blue := k.fill[0]*shade, k.fill[1]*shade, k.fill[2]*shade
		if !k.plain {
			lit := max(1-6*v, 0) * k.bright
			lit = k.gloss * s.shine * lit * lit
			red, green, blue = red+(1-red)*lit, green+(1-green)*lit, blue+(1-blue)*lit
			line := min(max(k.line-across, 0), 1) * s.spine
			red += (.35*k.fill[0] - red) * line
			green += (.35*k.fill[1] - green) * line
			blue += (.35*k.fill[2] - blue) * line
		}
		if b.linear {
			red, green, blue = decoded(red), decoded(green), decoded(blue)
		}
		b.red[i] += red * w
		b.green[i] += green * w
		b.blue[i] += blue * w
		if t -= w; t < unseen {
			t = 0
		}
		b.through[i] = t
	}
}

// decoded is decode of light.glsl.
//
//go:norace
func decoded(c float32) float32 {
	return c * (.0595442 + c*(.3612909+c*(.9006577-c*.3214928)))
}

// finish writes b as bytes, as the framebuffer holds them.
//
//go:norace
func (b *band) finish(out []uint8) {
	width := b.part.Dx()
	if b.left >= b.right {
		clear(out[:4*width*b.part.Dy()])
		return
	}
	from, to := int(b.left)-b.part.Min.X, int(b.right)-b.part.Min.X
	for y := range b.part.Dy() {
		pix := out[4*width*y : 4*width*(y+1)]
		clear(pix[:4*from])
		clear(pix[4*to:])
		row := y * b.stride
		for x := from; x < to; x++ {
			i, p := row+x, pix[4*x:4*x+4]
			if b.linear {
				p[0], p[1], p[2] = encoded(b.red[i]), encoded(b.green[i]), encoded(b.blue[i])
			} else {
				p[0], p[1], p[2] = eightBits(b.red[i]), eightBits(b.green[i]), eightBits(b.blue[i])
			}
			p[3] = eightBits(1 - b.through[i])
		}
	}
}

// eightBits returns a number from 0 to 1 in eight bits.
//
//go:norace
func eightBits(v float32) uint8 { return uint8(min(max(v, 0), 1)*255 + .5) }

// encodings are the sRGB encodings of linear light in steps of a 8191th.
var encodings = func() (t [1 << 13]uint8) {
	for i := range t {
		v := float64(i) / (1<<13 - 1)
		if v <= .0031308 {
			v *= 12.92
		} else {
			v = 1.055*math.Pow(v, 1/2.4) - .055
		}
		t[i] = uint8(255*v + .5)
	}
	return t
}()

// encoded returns the sRGB encoding of linear light in eight bits.
//
//go:norace
func encoded(v float32) uint8 {
	return encodings[int(min(max(v, 0), 1)*(1<<13-1)+.5)]
}
