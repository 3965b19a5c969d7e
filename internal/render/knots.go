package render

import (
	"unsafe"

	"diptych/internal/scene"

	gl "github.com/go-gl/gl/v3.1/gles2"
)

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
