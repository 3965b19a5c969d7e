package render

import (
	"image"
	"strings"
	"unsafe"

	gl "github.com/go-gl/gl/v3.1/gles2"

	"diptych/internal/scene"
	"diptych/shaders"
)

// scanPainter draws scene tubes where the CPU draws all there is, and no canvas does: by a scanner,
// whose picture it blends over what lies behind.
type scanPainter struct {
	scanner
	program, array uint32
	corner         int32 // uniform
	picture        uint32
	size           image.Point // of the picture's texture
	encodes        bool        // its texels decode sRGB
}

// byCPU reports whether the current context draws with the CPU, as far as its name tells. softpipe
// does, too, but serves to check programs, so it keeps them.
func byCPU() bool {
	name := strings.ToLower(gl.GoStr(gl.GetString(gl.RENDERER)))
	for _, known := range []string{"llvmpipe", "swiftshader", "software", "basic render"} {
		if strings.Contains(name, known) {
			return true
		}
	}
	return false
}

func (p *scanPainter) compile() (err error) {
	if p.program != 0 {
		return nil
	}
	if p.program, err = link(shaders.Over); err != nil {
		return err
	}
	gl.UseProgram(p.program)
	gl.Uniform1i(uniform(p.program, "u_picture"), pictureUnit)
	p.corner = uniform(p.program, "u_corner")
	gl.GenVertexArrays(1, &p.array)
	return nil
}

// draw draws what of t lies in box, px of the framebuffer, to which the scissor is set.
func (p *scanPainter) draw(t *scene.Tubes, f fineness, at Target, box image.Rectangle, linear bool) {
	seen := box.Sub(at.Origin)
	inked := p.scan(t, f, seen, linear)
	if inked.Empty() {
		return
	}
	gl.ActiveTexture(gl.TEXTURE0 + pictureUnit)
	p.upload(inked, seen, linear)
	gl.UseProgram(p.program)
	gl.BindVertexArray(p.array)
	inked = inked.Add(at.Origin)
	gl.Uniform2f(p.corner, float32(inked.Min.X), float32(at.Size.Y-inked.Min.Y))
	scissorTo(at, inked)
	gl.DrawArrays(gl.TRIANGLES, 0, 3)
	scissorTo(at, box)
	gl.BindTexture(gl.TEXTURE_2D, 0)
	gl.ActiveTexture(gl.TEXTURE0)
}

// upload makes the part inked of what was scanned the content of the texture, and binds that.
func (p *scanPainter) upload(inked, seen image.Rectangle, linear bool) {
	size := inked.Size()
	if p.picture == 0 || p.encodes != linear || size.X > p.size.X || size.Y > p.size.Y {
		p.enlarge(size, linear)
	}
	gl.BindTexture(gl.TEXTURE_2D, p.picture)
	gl.PixelStorei(gl.UNPACK_ALIGNMENT, 4)
	gl.PixelStorei(gl.UNPACK_ROW_LENGTH, int32(seen.Dx()))
	from := inked.Min.Sub(seen.Min)
	gl.TexSubImage2D(gl.TEXTURE_2D, 0, 0, 0, int32(size.X), int32(size.Y), gl.RGBA, gl.UNSIGNED_BYTE,
		unsafe.Pointer(&p.pix[4*(from.Y*seen.Dx()+from.X)]))
	gl.PixelStorei(gl.UNPACK_ROW_LENGTH, 0)
}

// enlarge makes a texture that has room for size.
func (p *scanPainter) enlarge(size image.Point, linear bool) {
	format := int32(gl.RGBA8)
	if linear {
		format = gl.SRGB8_ALPHA8
	}
	p.size = image.Pt(max(p.size.X, size.X), max(p.size.Y, size.Y))
	p.encodes = linear
	gl.DeleteTextures(1, &p.picture)
	gl.GenTextures(1, &p.picture)
	gl.BindTexture(gl.TEXTURE_2D, p.picture)
	gl.TexImage2D(gl.TEXTURE_2D, 0, format, int32(p.size.X), int32(p.size.Y), 0, gl.RGBA,
		gl.UNSIGNED_BYTE, nil)
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST)
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST)
}

func (p *scanPainter) release() {
	gl.DeleteProgram(p.program)
	gl.DeleteVertexArrays(1, &p.array)
	gl.DeleteTextures(1, &p.picture)
	*p = scanPainter{}
}
