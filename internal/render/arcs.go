package render

import (
	"math"
	"unsafe"

	"diptych/internal/scene"
	"diptych/shaders"

	gl "github.com/go-gl/gl/v3.1/gles2"
)

// arcPainter draws scene arcs as instances of a strip that is bent around each; the fragment shader
// cuts the arc out of it in polar coordinates. As with quads, the vertex attributes are the fields
// of scene.Arc as they lie in memory.
//
// Most arcs of a view are so short that one straight piece encloses them closely. Runs of those are
// drawn with four corners each; a long one would have as many fragments cut off as kept, so runs of
// long ones have as many pieces as the longest needs. Only a few long arcs fit on a circle.
type arcPainter struct {
	program       program
	pieces        int32 // uniform
	array, buffer uint32
}

// arcSize is the distance between two arcs in the buffer, bytes.
const arcSize = int32(unsafe.Sizeof(scene.Arc{}))

func (p *arcPainter) compiled() bool { return p.program.name != 0 }

func (p *arcPainter) compile() error {
	if err := p.program.compile(shaders.Arc); err != nil {
		return err
	}
	p.pieces = uniform(p.program.name, "u_pieces")
	gl.GenVertexArrays(1, &p.array)
	gl.GenBuffers(1, &p.buffer)
	gl.BindVertexArray(p.array)
	for at := range uint32(5) {
		gl.EnableVertexAttribArray(at)
		gl.VertexAttribDivisor(at, 1)
	}
	return nil
}

// use makes the program current and sets the uniforms that all arcs in t share.
func (p *arcPainter) use(t Target, linear bool) { p.program.use(t, linear) }

// draw draws arcs. There must be at least one.
func (p *arcPainter) draw(arcs []scene.Arc) {
	gl.BindVertexArray(p.array)
	gl.BindBuffer(gl.ARRAY_BUFFER, p.buffer)
	gl.BufferData(gl.ARRAY_BUFFER, len(arcs)*int(arcSize), unsafe.Pointer(&arcs[0]), gl.STREAM_DRAW)
	gl.UseProgram(p.program.name)
	for first := 0; first < len(arcs); {
		n, end := pieces(&arcs[first]), first+1
		for ; end < len(arcs); end++ {
			m := pieces(&arcs[end])
			if (m == 1) != (n == 1) {
				break
			}
			n = max(n, m)
		}
		p.point(first)
		gl.Uniform1i(p.pieces, n)
		strips(n, end-first)
		first = end
	}
}

const (
	sagitta   = 2   // px that a piece may stray from the arc it encloses
	maxPieces = 256 // beyond that, more is cut off
)

// pieces returns how many straight pieces should enclose a.
func pieces(a *scene.Arc) int32 {
	// A chord over the angle 2h strays from its arc by r·(1 − cos h), about r·h²/2.
	most := 2 * math.Sqrt(2*sagitta/float64(max(a.R1, 1)))
	n := math.Ceil(float64(a.To-a.From) / min(most, math.Pi/2))
	return int32(min(max(n, 1), maxPieces))
}

// point makes the vertex attributes begin at the arc with index first in the bound buffer.
func (p *arcPainter) point(first int) {
	var a scene.Arc
	base := uintptr(first) * uintptr(arcSize)
	floats := func(at uint32, n int32, offset uintptr) {
		gl.VertexAttribPointerWithOffset(at, n, gl.FLOAT, false, arcSize, base+offset)
	}
	floats(0, 4, unsafe.Offsetof(a.Centre)) // Centre, R0, R1
	floats(1, 2, unsafe.Offsetof(a.From))   // From, To
	gl.VertexAttribPointerWithOffset(2, 4, gl.UNSIGNED_BYTE, true, arcSize,
		base+unsafe.Offsetof(a.Fill))
	gl.VertexAttribIPointerWithOffset(3, 1, gl.UNSIGNED_BYTE, arcSize,
		base+unsafe.Offsetof(a.Shade))
	floats(4, 3, unsafe.Offsetof(a.Line)) // Line, U0, U1
}

func (p *arcPainter) release() {
	gl.DeleteProgram(p.program.name)
	gl.DeleteVertexArrays(1, &p.array)
	gl.DeleteBuffers(1, &p.buffer)
	*p = arcPainter{}
}
