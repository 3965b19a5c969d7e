package render

import (
	"unsafe"

	"diptych/internal/scene"
	"diptych/shaders"

	gl "github.com/go-gl/gl/v3.1/gles2"
)

// quadPainter draws scene quads as instances of a four-vertex strip. A layer's quads go to the
// streaming buffer as they lie in memory, in one upload that orphans the last one's storage; the
// vertex attributes are the fields of scene.Quad, so there is no copying or packing on the way.
//
// The picture is that of quads drawn in order; quadOrder says where the order of drawing differs.
// Runs of quads that one of the cheap programs can draw are drawn by it, which matters where the
// fragments are shaded by the CPU.
type quadPainter struct {
	programs      [kinds]program
	array, buffer uint32
	single        uint32 // buffer of one quad
	order         quadOrder
}

// kind says which program draws a quad.
type kind uint8

const (
	flat kind = iota
	cushion
	shape
	glide
	nested
	kinds
)

func kindOf(q *scene.Quad) kind {
	switch {
	case q.Shade == scene.Nested:
		return nested
	case q.Shade == scene.Glide || q.Shade == scene.GlideUp:
		return glide
	case q.Radius > 0:
		return shape
	case q.Shade == scene.Flat:
		return flat
	case q.Shade == scene.Cushion || q.Shade == scene.CushionUp:
		return cushion
	}
	return shape
}

// quadSize is the distance between two quads in the buffer, bytes.
const quadSize = int32(unsafe.Sizeof(scene.Quad{}))

func (q *quadPainter) compile() error {
	sources := [kinds]shaders.Program{shaders.Flat, shaders.Cushion, shaders.Shape,
		shaders.Glide, shaders.Nested}
	for i, s := range sources {
		if err := q.programs[i].compile(s); err != nil {
			return err
		}
	}
	q.order = newQuadOrder()
	gl.GenVertexArrays(1, &q.array)
	gl.GenBuffers(1, &q.buffer)
	gl.GenBuffers(1, &q.single)
	gl.BindVertexArray(q.array)
	for at := range uint32(4) {
		gl.EnableVertexAttribArray(at)
		gl.VertexAttribDivisor(at, 1)
	}
	return nil
}

// use makes the program current and sets the uniforms that all quads in t share.
func (q *quadPainter) use(t Target, linear bool) {
	for i := range q.programs {
		q.programs[i].use(t, linear)
	}
}

// draw draws quads within the scissor, which is that of f. There must be at least one.
func (q *quadPainter) draw(quads []scene.Quad, f frame) {
	if !multisampled() { // with several samples a pixel, neighbours share pixels
		quads = q.order.byProgram(quads)
	}
	gl.BindVertexArray(q.array)
	gl.BindBuffer(gl.ARRAY_BUFFER, q.buffer)
	gl.BufferData(gl.ARRAY_BUFFER, len(quads)*int(quadSize), unsafe.Pointer(&quads[0]),
		gl.STREAM_DRAW)
	for first := 0; first < len(quads); {
		k, end := kindOf(&quads[first]), first+1
		if wide(&quads[first]) {
			q.wide(quads, first, f)
			first = end
			continue
		}
		for end < len(quads) && kindOf(&quads[end]) == k && !wide(&quads[end]) {
			end++
		}
		gl.UseProgram(q.programs[k].name)
		point(first)
		if k == nested {
			gl.BlendFunc(gl.DST_COLOR, gl.ZERO)
		}
		gl.DrawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, int32(end-first))
		if k == nested {
			gl.BlendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA)
		}
		first = end
	}
}

// point makes the vertex attributes begin at the quad with index first in the bound buffer.
func point(first int) {
	var q scene.Quad
	base := uintptr(first) * uintptr(quadSize)
	floats := func(at uint32, offset uintptr) {
		gl.VertexAttribPointerWithOffset(at, 4, gl.FLOAT, false, quadSize, base+offset)
	}
	floats(0, unsafe.Offsetof(q.Rect))
	gl.VertexAttribPointerWithOffset(1, 4, gl.UNSIGNED_BYTE, true, quadSize,
		base+unsafe.Offsetof(q.Fill))
	gl.VertexAttribIPointerWithOffset(2, 1, gl.UNSIGNED_BYTE, quadSize,
		base+unsafe.Offsetof(q.Shade))
	floats(3, unsafe.Offsetof(q.Radius)) // Radius, Line, U0, U1
}

func (q *quadPainter) release() {
	for i := range q.programs {
		gl.DeleteProgram(q.programs[i].name)
	}
	gl.DeleteVertexArrays(1, &q.array)
	gl.DeleteBuffers(1, &q.buffer)
	gl.DeleteBuffers(1, &q.single)
	*q = quadPainter{}
}
