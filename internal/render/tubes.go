package render

import (
	"image"
	"math"
	"unsafe"

	gl "github.com/go-gl/gl/v3.1/gles2"

	"diptych/internal/scene"
	"diptych/shaders"
)

// tubePainter draws scene tubes: each is one or several instances, triangle strips whose corners
// the vertex shader places along the spline. A frame uploads the knots, as a texture, and the runs
// of pieces, both as they lie in memory; nothing is evaluated on the CPU.
type tubePainter struct {
	program       tubeProgram
	array, buffer uint32
	knots         knotTexture
	runs          []run
}

// runSize is the distance between two runs in the buffer, bytes.
const runSize = int32(unsafe.Sizeof(run{}))

func (p *tubePainter) compiled() bool { return p.program.name != 0 }

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

// attributes makes the vertex attributes the fields of the runs in the bound buffer.
func (p *tubePainter) attributes() {
	var r run // which begins with its tube
	for at := range uint32(5) {
		gl.EnableVertexAttribArray(at)
		gl.VertexAttribDivisor(at, 1)
	}
	gl.VertexAttribIPointerWithOffset(0, 2, gl.UNSIGNED_INT, runSize, unsafe.Offsetof(r.tube.First))
	gl.VertexAttribPointerWithOffset(1, 4, gl.FLOAT, false, runSize, unsafe.Offsetof(r.tube.W0))
	gl.VertexAttribPointerWithOffset(2, 4, gl.UNSIGNED_BYTE, true, runSize, unsafe.Offsetof(r.tube.Fill))
	gl.VertexAttribPointerWithOffset(3, 1, gl.FLOAT, false, runSize, unsafe.Offsetof(r.tube.Gloss))
	gl.VertexAttribPointerWithOffset(4, 2, gl.UNSIGNED_SHORT, false, runSize,
		unsafe.Offsetof(r.first))
}

// use makes the program current and sets the uniforms that all tubes in t share.
func (p *tubePainter) use(t Target, linear bool) { p.program.use(t, linear) }

// draw draws what of t lies in seen, within the scissor. t has at least one tube.
//
// Depths come first: those of the pixels that opaque tubes cover wholly. Against them all tubes are
// drawn in the scene's order, from the back to the front, so that soft borders and translucent
// tubes blend with what lies behind, and hide nothing that is drawn later; hidden parts are not
// shaded.
func (p *tubePainter) draw(t *scene.Tubes, f fineness, seen image.Rectangle) {
	hiding := p.upload(t, f, seen)
	if len(p.runs) == 0 {
		p.knots.yield()
		return
	}
	gl.BindVertexArray(p.array)
	p.program.form(t)
	if inOrder(t) {
		p.program.hide(false)
		strips(perRun, len(p.runs))
		gl.DepthMask(true)
		p.knots.yield()
		return
	}
	gl.Enable(gl.DEPTH_TEST)
	gl.DepthFunc(gl.LEQUAL)

	p.program.hide(true)
	gl.ClearDepthf(1)
	gl.Clear(gl.DEPTH_BUFFER_BIT)
	// The corners of a tube are rounded differently when it is drawn wider, by far less than a
	// fiftieth of a pixel. The offset keeps a tube from hiding itself.
	gl.Enable(gl.POLYGON_OFFSET_FILL)
	gl.PolygonOffset(0.02, 64)
	strips(perRun, hiding)
	gl.Disable(gl.POLYGON_OFFSET_FILL)

	p.program.hide(false)
	strips(perRun, len(p.runs))
	gl.DepthMask(true)
	gl.Disable(gl.DEPTH_TEST)
	p.knots.yield()
}

// inOrder reports whether no tube lies behind an earlier one anywhere. Then each is drawn over
// those before it as it is, and nobody asks for depths.
func inOrder(t *scene.Tubes) bool {
	near := float32(math.Inf(-1))
	for i := range t.Tubes {
		b := &t.Tubes[i]
		if min(b.Z0, b.Z1) < near {
			return false
		}
		near = max(near, b.Z0, b.Z1)
	}
	return true
}

// upload sends the knots of t and the runs that reach into seen, and leaves the knots bound. It
// returns how many of the runs, from the first on, have all that can hide others.
func (p *tubePainter) upload(t *scene.Tubes, f fineness, seen image.Rectangle) (hide int) {
	p.knots.fill(t.Knots)
	hiders := hiding(t)
	p.runs = p.runs[:0]
	for i := range t.Tubes {
		if i == hiders {
			hide = len(p.runs)
		}
		p.runs = f.addRuns(p.runs, t, &t.Tubes[i], seen)
	}
	if hiders == len(t.Tubes) {
		hide = len(p.runs)
	}
	gl.BindBuffer(gl.ARRAY_BUFFER, p.buffer)
	gl.BufferData(gl.ARRAY_BUFFER, len(p.runs)*int(runSize), unsafe.Pointer(unsafe.SliceData(p.runs)),
		gl.STREAM_DRAW)
	return hide
}

// hiding returns the length of the shortest run of tubes, from the first on, that has all tubes
// which can hide others: opaque ones so wide that they cover some pixels wholly. The finest tubes
// cannot, and most of them come last.
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

// strips draws so many strips of so many pieces.
func strips(pieces int32, n int) {
	gl.DrawArraysInstanced(gl.TRIANGLE_STRIP, 0, 2*(pieces+1), int32(n))
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
	name                                 uint32
	origin, size, linear, hiding, shaped int32
}

func (p *tubeProgram) compile() error {
	name, err := link(shaders.Tube)
	if err != nil {
		return err
	}
	*p = tubeProgram{name, uniform(name, "u_origin"), uniform(name, "u_size"),
		uniform(name, "u_linear"), uniform(name, "u_hiding"), uniform(name, "u_form")}
	gl.UseProgram(name)
	gl.Uniform1i(uniform(name, "u_knots"), knotUnit)
	return nil
}

// use makes the program current and sets the uniforms that all tubes in t share.
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
func (p *tubeProgram) form(t *scene.Tubes) {
	gl.UseProgram(p.name)
	gl.Uniform4f(p.shaped, t.Lambda, t.Morph, t.Line, t.Spine)
}

// hide makes the tubes write only depths, or only colours.
func (p *tubeProgram) hide(hiding bool) {
	flag := int32(0)
	if hiding {
		flag = 1
	}
	gl.Uniform1i(p.hiding, flag)
	gl.ColorMask(!hiding, !hiding, !hiding, !hiding)
	gl.DepthMask(hiding)
}

// knotTexture holds the knots of a layer's tubes where a vertex shader can look them up: OpenGL ES
// 3.0 has no storage buffers. It grows by doubling and never shrinks.
type knotTexture struct {
	name uint32
	rows int // of knotsPerRow knots each
}

const (
	knotUnit    = 2       // texture unit; others save and restore 0 and 1 only
	knotsPerRow = 1 << 10 // as in tube.vert
)

func (k *knotTexture) make() {
	gl.GenTextures(1, &k.name)
	k.use()
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST)
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST)
	k.yield()
}

// fill makes knots the content of k and binds it for drawing.
func (k *knotTexture) fill(knots []scene.Knot) {
	k.use()
	full, rest := len(knots)/knotsPerRow, len(knots)%knotsPerRow
	if rows := (len(knots) + knotsPerRow - 1) / knotsPerRow; rows > k.rows {
		k.rows = max(rows, 2*k.rows, 16)
		gl.TexImage2D(gl.TEXTURE_2D, 0, gl.RGB32F, knotsPerRow, int32(k.rows), 0,
			gl.RGB, gl.FLOAT, nil)
	}
	part := func(row, width, height int) {
		if width*height > 0 {
			gl.TexSubImage2D(gl.TEXTURE_2D, 0, 0, int32(row), int32(width), int32(height),
				gl.RGB, gl.FLOAT, unsafe.Pointer(&knots[row*knotsPerRow]))
		}
	}
	part(0, knotsPerRow, full)
	part(full, rest, 1)
}

// use binds k to its unit and has uploads read knots as they lie in memory.
func (k *knotTexture) use() {
	gl.ActiveTexture(gl.TEXTURE0 + knotUnit)
	gl.BindTexture(gl.TEXTURE_2D, k.name)
	gl.PixelStorei(gl.UNPACK_ALIGNMENT, 4)
	gl.PixelStorei(gl.UNPACK_ROW_LENGTH, 0)
}

// yield leaves the unit empty and the first one active.
func (k *knotTexture) yield() {
	gl.BindTexture(gl.TEXTURE_2D, 0)
	gl.ActiveTexture(gl.TEXTURE0)
}

func (k *knotTexture) release() {
	gl.DeleteTextures(1, &k.name)
	*k = knotTexture{}
}
