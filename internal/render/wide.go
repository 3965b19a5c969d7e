package render

import (
	"image"
	"math"
	"unsafe"

	"diptych/internal/geom"
	"diptych/internal/scene"

	gl "github.com/go-gl/gl/v3.1/gles2"
)

// The cards of panes and the outlines of what is chosen are large, and only their borders need the
// program that draws any shape: for an outline of the whole window it would look at each pixel of
// it and leave all but a few as they are. So of large ones only the rim is drawn by that program,
// cut to four strips; the inside of an outline is left out, and that of a card is flat.

// frame is where quads are drawn: a target, and the part of its framebuffer that drawing is
// restricted to.
type frame struct {
	target Target
	box    image.Rectangle
}

// leastInside is the area, px², from which on the inside of a quad is treated apart.
const leastInside = 4096

// wide reports whether q is drawn as a rim and an inside.
func wide(q *scene.Quad) bool {
	if !hollow(q) && (q.Shade != scene.Flat || q.Radius <= 0) {
		return false
	}
	inside := inside(q)
	return !inside.Empty() && inside.W()*inside.H() >= leastInside
}

// hollow reports whether only the border of q is drawn.
func hollow(q *scene.Quad) bool { return q.Shade == scene.Outline || q.Shade == scene.Dashed }

// inside returns the part of q, between whole pixels, that neither its border nor its corners
// reach.
func inside(q *scene.Quad) geom.Rect {
	rim := max(q.Radius, 0) + 1.5
	if hollow(q) {
		rim += max(q.Line, 0)
	}
	up := func(v float32) float32 { return float32(math.Ceil(float64(v))) }
	down := func(v float32) float32 { return float32(math.Floor(float64(v))) }
	return geom.Rect{X0: up(q.Rect.X0 + rim), Y0: up(q.Rect.Y0 + rim),
		X1: down(q.Rect.X1 - rim), Y1: down(q.Rect.Y1 - rim)}
}

// rim returns the strips of q above, below, left and right of its inside; of one that has none, all
// of it is in the first.
func rim(q *scene.Quad) [4]geom.Rect {
	all, in := quadBox(q), inside(q)
	if in.Empty() {
		return [4]geom.Rect{all}
	}
	above, below, left, right := all, all, all, all
	above.Y1, below.Y0 = in.Y0, in.Y1
	left.Y0, left.Y1, right.Y0, right.Y1 = in.Y0, in.Y1, in.Y0, in.Y1
	left.X1, right.X0 = in.X0, in.X1
	return [4]geom.Rect{above, below, left, right}
}

// wide draws the quad with index first in the bound buffer, which is wide.
func (p *quadPainter) wide(quads []scene.Quad, first int, f frame) {
	q := &quads[first]
	gl.UseProgram(p.programs[shape].name)
	point(first)
	for _, strip := range rim(q) {
		if r := outer(strip).Add(f.target.Origin).Intersect(f.box); !r.Empty() {
			scissorTo(f.target, r)
			gl.DrawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, 1)
		}
	}
	scissorTo(f.target, f.box)
	in := inside(q)
	if hollow(q) || outer(in).Add(f.target.Origin).Intersect(f.box).Empty() {
		return
	}
	gl.BindBuffer(gl.ARRAY_BUFFER, p.single)
	one := scene.Quad{Rect: in, Fill: q.Fill, U1: 1}
	gl.BufferData(gl.ARRAY_BUFFER, int(quadSize), unsafe.Pointer(&one), gl.STREAM_DRAW)
	gl.UseProgram(p.programs[flat].name)
	point(0)
	gl.DrawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, 1)
	gl.BindBuffer(gl.ARRAY_BUFFER, p.buffer)
}
