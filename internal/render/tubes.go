package render

import (
	"unsafe"

	"diptych/internal/scene"
	"diptych/shaders"

	gl "github.com/go-gl/gl/v3.1/gles2"
)

// tubePainter draws scene tubes: one instance a tube, a triangle strip whose corners the vertex
// shader places along the spline. A frame uploads the knots, as a texture, and the tubes, both as
// they lie in memory; nothing is evaluated on the CPU.
type tubePainter struct {
	program       tubeProgram
	array, buffer uint32
	knots         knotTexture
}

// tubeSize is the distance between two tubes in the buffer, bytes.
const tubeSize = int32(unsafe.Sizeof(scene.Tube{}))

func (p *tubePainter) compile() error {
	if err := p.program.compile(); err != nil {
		return err
	}
	gl.GenVertexArrays(1, &p.array)
	gl.GenBuffers(1, &p.buffer)
	gl.BindVertexArray(p.array)
	gl.BindBuffer(gl.ARRAY_BUFFER, p.buffer)
	p.attributes()
	p.knots.make()
	return nil
}

// attributes has the vertex attributes be the fields of the tubes in the bound buffer.
func (p *tubePainter) attributes() {
	var t scene.Tube
	for at := range uint32(4) {
		gl.EnableVertexAttribArray(at)
		gl.VertexAttribDivisor(at, 1)
	}
	gl.VertexAttribIPointerWithOffset(0, 2, gl.UNSIGNED_INT, tubeSize, unsafe.Offsetof(t.First))
	gl.VertexAttribPointerWithOffset(1, 4, gl.FLOAT, false, tubeSize, unsafe.Offsetof(t.W0))
	gl.VertexAttribPointerWithOffset(2, 4, gl.UNSIGNED_BYTE, true, tubeSize, unsafe.Offsetof(t.Fill))
	gl.VertexAttribPointerWithOffset(3, 1, gl.FLOAT, false, tubeSize, unsafe.Offsetof(t.Gloss))
}

// use sets what all tubes in t share.
func (p *tubePainter) use(t Target, linear bool) { p.program.use(t, linear) }

// draw draws t, which has at least one tube, within the scissor.
//
// Depths come first: those of the pixels that opaque tubes cover wholly. Against them all tubes are
// drawn in the scene's order, from the back to the front, so that soft borders and translucent
// tubes blend with what lies behind, and hide nothing that is drawn later; and of what is hidden,
// nothing is shaded.
func (p *tubePainter) draw(t *scene.Tubes) {
	p.upload(t)
	gl.BindVertexArray(p.array)
	n := samples(t)
	p.program.form(t, n)
	gl.Enable(gl.DEPTH_TEST)
	gl.DepthFunc(gl.LEQUAL)

	p.program.hide(true)
	gl.ClearDepthf(1)
	gl.Clear(gl.DEPTH_BUFFER_BIT)
	// A tube must not hide itself, whose corners are rounded otherwise when it is drawn wider: by
	// far less than a fiftieth of a pixel.
	gl.Enable(gl.POLYGON_OFFSET_FILL)
	gl.PolygonOffset(0.02, 64)
	strips(n, hiding(t))
	gl.Disable(gl.POLYGON_OFFSET_FILL)

	p.program.hide(false)
	strips(n, len(t.Tubes))
	gl.DepthMask(true)
	gl.Disable(gl.DEPTH_TEST)
	p.knots.yield()
}

// upload sends the knots and tubes of t and leaves the knots bound.
func (p *tubePainter) upload(t *scene.Tubes) {
	p.knots.fill(t.Knots)
	gl.BindBuffer(gl.ARRAY_BUFFER, p.buffer)
	gl.BufferData(gl.ARRAY_BUFFER, len(t.Tubes)*int(tubeSize), unsafe.Pointer(&t.Tubes[0]),
		gl.STREAM_DRAW)
}

// hiding returns how many tubes, from the first on, include all that hide others: opaque ones that
// cover a pixel wholly wherever they lie. The finest, which mostly come last, do not.
func hiding(t *scene.Tubes) int {
	const least = 2 // px
	for i := len(t.Tubes); i > 0; i-- {
		b := &t.Tubes[i-1]
		if b.Fill.A == 0xff && max(t.Line, t.Morph*max(b.W0, b.W1)) >= least {
			return i
		}
	}
	return 0
}

// strips draws so many tubes, each a strip of so many pieces.
func strips(pieces int32, tubes int) {
	gl.DrawArraysInstanced(gl.TRIANGLE_STRIP, 0, 2*(pieces+1), int32(tubes))
}

func (p *tubePainter) release() {
	gl.DeleteProgram(p.program.name)
	gl.DeleteVertexArrays(1, &p.array)
	gl.DeleteBuffers(1, &p.buffer)
	p.knots.release()
	*p = tubePainter{}
}

// tubeProgram is the compiled program and where its uniforms are.
type tubeProgram struct {
	name                                          uint32
	origin, size, linear, hiding, samples, shaped int32
}

func (p *tubeProgram) compile() error {
	name, err := link(shaders.Tube)
	if err != nil {
		return err
	}
	*p = tubeProgram{name, uniform(name, "u_origin"), uniform(name, "u_size"),
		uniform(name, "u_linear"), uniform(name, "u_hiding"), uniform(name, "u_samples"),
		uniform(name, "u_form")}
	gl.UseProgram(name)
	gl.Uniform1i(uniform(name, "u_knots"), knotUnit)
	return nil
}

// use sets what all tubes in t share.
func (p *tubeProgram) use(t Target, linear bool) {
	encode := float32(0)
	if linear {
		encode = 1
	}
	gl.UseProgram(p.name)
	gl.Uniform2f(p.origin, float32(t.Origin.X), float32(t.Origin.Y))
	gl.Uniform2f(p.size, float32(t.Size.X), float32(t.Size.Y))
	gl.Uniform1f(p.linear, encode)
}

// form makes p the current program and sets what the tubes of t share.
func (p *tubeProgram) form(t *scene.Tubes, samples int32) {
	gl.UseProgram(p.name)
	gl.Uniform1f(p.samples, float32(samples))
	gl.Uniform4f(p.shaped, t.Lambda, t.Morph, t.Line, t.Spine)
}

// hide has the tubes leave their depths only, or be seen only.
func (p *tubeProgram) hide(hiding bool) {
	flag := int32(0)
	if hiding {
		flag = 1
	}
	gl.Uniform1i(p.hiding, flag)
	gl.ColorMask(!hiding, !hiding, !hiding, !hiding)
	gl.DepthMask(hiding)
}
