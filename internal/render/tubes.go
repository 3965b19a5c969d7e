package render

import (
	"math"
	"unsafe"

	gl "github.com/go-gl/gl/v3.1/gles2"

	"diptych/internal/scene"
	"diptych/shaders"
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

// attributes makes the vertex attributes the fields of the tubes in the bound buffer.
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

// use makes the program current and sets the uniforms that all tubes in t share.
func (p *tubePainter) use(t Target, linear bool) { p.program.use(t, linear) }

// draw draws t, which has at least one tube, within the scissor, each in n pieces.
//
// Depths come first: those of the pixels that opaque tubes cover wholly. Against them all tubes are
// drawn in the scene's order, from the back to the front, so that soft borders and translucent
// tubes blend with what lies behind, and hide nothing that is drawn later; hidden parts are not
// shaded.
func (p *tubePainter) draw(t *scene.Tubes, n int32) {
	p.upload(t)
	gl.BindVertexArray(p.array)
	p.program.form(t, n)
	if inOrder(t) {
		p.program.hide(false)
		strips(n, len(t.Tubes))
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
	strips(n, hiding(t))
	gl.Disable(gl.POLYGON_OFFSET_FILL)

	p.program.hide(false)
	strips(n, len(t.Tubes))
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

// upload sends the knots and tubes of t and leaves the knots bound.
func (p *tubePainter) upload(t *scene.Tubes) {
	p.knots.fill(t.Knots)
	gl.BindBuffer(gl.ARRAY_BUFFER, p.buffer)
	gl.BufferData(gl.ARRAY_BUFFER, len(t.Tubes)*int(tubeSize), unsafe.Pointer(&t.Tubes[0]),
		gl.STREAM_DRAW)
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
func (p *tubeProgram) form(t *scene.Tubes, samples int32) {
	gl.UseProgram(p.name)
	gl.Uniform1f(p.samples, float32(samples))
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

// A strip of straight pieces may differ from its curve only by less than an eye sees. A tube that
// is nearly straight, as most are, needs few pieces; one that crosses the view needs many. All
// tubes of a draw call get as many pieces as the one that needs most, unless there are so many
// tubes that nobody would see one corner more or less.
const (
	tolerance  = 0.5 // px a chord may be off its arc
	minSamples = 16
	maxSamples = 64
	allSamples = 1 << 20 // of all tubes together
)

// samples returns how many pieces the axes of t are drawn in: a power of two.
func samples(t *scene.Tubes) int32 {
	var most float32
	for i := range t.Tubes {
		b := &t.Tubes[i]
		most = max(most, bend(t.Knots[b.First:b.First+b.Count]), swell(t, b))
	}
	// An arc with second derivative c strays by c·h²/8 from a chord of parameter length h.
	n := minSamples
	for n < maxSamples && 2*n*len(t.Tubes) <= allSamples &&
		most > 8*tolerance*float32(n*n) {
		n *= 2
	}
	return int32(n)
}

// bend returns roughly the largest second derivative of the axis with the knots, across its
// direction and by a parameter that runs from 0 to 1: in the middle of a segment it lies between
// the second differences of the knots. The ends, where knots coincide, are straight.
func bend(knots []scene.Knot) float32 {
	var most float32
	for i := 1; i+1 < len(knots); i++ {
		a, b, c := &knots[i-1], &knots[i], &knots[i+1]
		x, y := c.X-a.X, c.Y-a.Y
		across := (a.X-2*b.X+c.X)*y - (a.Y-2*b.Y+c.Y)*x
		most = max(most, across*across/max(x*x+y*y, 1))
	}
	segments := float32(len(knots) + 1)
	return float32(math.Sqrt(float64(most))) * segments * segments
}

// swell returns roughly the largest second derivative of b's half-width by the same parameter. This
// parameter passes the middle of an axis faster than its ends.
func swell(t *scene.Tubes, b *scene.Tube) float32 {
	pace := float32(b.Count+1) / float32(b.Count-1)
	return t.Morph * (1 - t.Lambda) * math.Pi * math.Pi * max(b.W0, b.W1) * pace * pace
}
