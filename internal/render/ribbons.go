package render

import (
	"unsafe"

	"diptych/internal/scene"
	"diptych/shaders"

	gl "github.com/go-gl/gl/v3.1/gles2"
)

// ribbonPainter draws scene ribbons: one instance a ribbon, a strip whose corners the vertex shader
// places along its two curves. As with quads, the vertex attributes are the fields of scene.Ribbon
// as they lie in memory.
//
// Ribbons blend with one another in order, but a ribbon that folds over itself must not blend with
// itself. So each ribbon has a depth of its own, nearer than those before it, and a pixel takes
// only the first fragment of each depth; soft edges lie a little deeper than the ribbon they
// border.
type ribbonPainter struct {
	program       program
	pieces, step  int32 // uniforms
	array, buffer uint32
}

// ribbonSize is the distance between two ribbons in the buffer, bytes.
const ribbonSize = int32(unsafe.Sizeof(scene.Ribbon{}))

// ribbonCorners is how many corners a strip has: of three bands, each with its ends doubled.
const ribbonCorners = 3 * (2*(scene.RibbonPieces+1) + 2)

func (p *ribbonPainter) compiled() bool { return p.program.name != 0 }

func (p *ribbonPainter) compile() error {
	if err := p.program.compile(shaders.Ribbon); err != nil {
		return err
	}
	p.pieces = uniform(p.program.name, "u_pieces")
	p.step = uniform(p.program.name, "u_step")
	gl.GenVertexArrays(1, &p.array)
	gl.GenBuffers(1, &p.buffer)
	gl.BindVertexArray(p.array)
	gl.BindBuffer(gl.ARRAY_BUFFER, p.buffer)
	p.attributes()
	return nil
}

// attributes makes the vertex attributes the fields of the ribbons in the bound buffer.
func (p *ribbonPainter) attributes() {
	var r scene.Ribbon
	for at := range uint32(7) {
		gl.EnableVertexAttribArray(at)
		gl.VertexAttribDivisor(at, 1)
	}
	const pair = unsafe.Sizeof(r.Edges[0]) / 2 // two of a curve's four points
	for at := range uint32(4) {
		gl.VertexAttribPointerWithOffset(at, 4, gl.FLOAT, false, ribbonSize,
			unsafe.Offsetof(r.Edges)+uintptr(at)*pair)
	}
	colour := func(at uint32, offset uintptr) {
		gl.VertexAttribPointerWithOffset(at, 4, gl.UNSIGNED_BYTE, true, ribbonSize, offset)
	}
	colour(4, unsafe.Offsetof(r.Fill))
	gl.VertexAttribPointerWithOffset(5, 1, gl.FLOAT, false, ribbonSize, unsafe.Offsetof(r.Line))
	colour(6, unsafe.Offsetof(r.Ink))
}

// use makes the program current and sets the uniforms that all ribbons in t share.
func (p *ribbonPainter) use(t Target, linear bool) {
	p.program.use(t, linear)
	gl.Uniform1i(p.pieces, scene.RibbonPieces)
}

// depthStep is how much nearer a ribbon lies than the one before, unless there are too many for it:
// always the same, so that a ribbon looks the same whichever others are drawn.
const depthStep = 1. / (1 << 16)

// draw draws ribbons within the scissor. There must be at least one.
func (p *ribbonPainter) draw(ribbons []scene.Ribbon) {
	gl.BindVertexArray(p.array)
	gl.BindBuffer(gl.ARRAY_BUFFER, p.buffer)
	gl.BufferData(gl.ARRAY_BUFFER, len(ribbons)*int(ribbonSize), unsafe.Pointer(&ribbons[0]),
		gl.STREAM_DRAW)
	gl.UseProgram(p.program.name)
	gl.Uniform1f(p.step, min(1/float32(len(ribbons)+2), depthStep))
	gl.Enable(gl.DEPTH_TEST)
	gl.DepthFunc(gl.LESS)
	gl.DepthMask(true)
	gl.ClearDepthf(1)
	gl.Clear(gl.DEPTH_BUFFER_BIT)
	gl.DrawArraysInstanced(gl.TRIANGLE_STRIP, 0, ribbonCorners, int32(len(ribbons)))
	gl.Disable(gl.DEPTH_TEST)
}

func (p *ribbonPainter) release() {
	gl.DeleteProgram(p.program.name)
	gl.DeleteVertexArrays(1, &p.array)
	gl.DeleteBuffers(1, &p.buffer)
	*p = ribbonPainter{}
}
