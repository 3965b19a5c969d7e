package render

import (
	"image"
	"slices"
	"strings"

	gl "github.com/go-gl/gl/v3.1/gles2"

	"diptych/shaders"
)

// copier copies parts of a picture to another framebuffer of its size. OpenGL does that by itself,
// and between two textures nothing is faster. But a window stores its rows and colours in another
// order: to copy there, Mesa's software renderer compiles a program anew in every process, which
// takes as long as a tenth of the first frame. Programs of ours it keeps on disk.
type copier struct {
	program uint32
	size    int32 // uniform
	array   uint32
	raw     bool // the driver can leave values as they are
}

// Names of EXT_texture_sRGB_decode and EXT_sRGB_write_control.
const (
	textureDecode   = 0x8A48
	decodes         = 0x8A49
	skipsDecoding   = 0x8A4A
	framebufferSRGB = 0x8DB9
)

func (c *copier) compile() (err error) {
	if c.program, err = link(shaders.Copy); err != nil {
		return err
	}
	gl.UseProgram(c.program)
	gl.Uniform1i(uniform(c.program, "u_picture"), pictureUnit)
	c.size = uniform(c.program, "u_size")
	gl.GenVertexArrays(1, &c.array)
	c.raw = skipsSRGB()
	return nil
}

// skipsSRGB reports whether the driver can leave values as they are.
func skipsSRGB() bool {
	known := strings.Fields(gl.GoStr(gl.GetString(gl.EXTENSIONS)))
	return slices.Contains(known, "GL_EXT_texture_sRGB_decode") &&
		slices.Contains(known, "GL_EXT_sRGB_write_control")
}

// pictureUnit is the texture unit of the picture; others save and restore 0 and 1 only.
const pictureUnit = knotUnit

// copy copies rectangles of o to t and leaves t's framebuffer bound. The state has to be as after
// Yield.
func (c *copier) copy(o *Offscreen, t Target, rects []image.Rectangle) error {
	if t.FBO == 0 {
		return c.paint(o, t, rects)
	}
	gl.BindFramebuffer(gl.READ_FRAMEBUFFER, o.FBO())
	gl.BindFramebuffer(gl.DRAW_FRAMEBUFFER, t.FBO)
	for _, r := range rects {
		x0, y0, x1, y1 := int32(r.Min.X), int32(t.Size.Y-r.Max.Y), int32(r.Max.X), int32(t.Size.Y-r.Min.Y)
		gl.BlitFramebuffer(x0, y0, x1, y1, x0, y0, x1, y1, gl.COLOR_BUFFER_BIT, gl.NEAREST)
	}
	gl.BindFramebuffer(gl.FRAMEBUFFER, t.FBO)
	return check("copy what was drawn")
}

// paint copies rectangles of o to t with a program.
func (c *copier) paint(o *Offscreen, t Target, rects []image.Rectangle) error {
	gl.BindFramebuffer(gl.FRAMEBUFFER, t.FBO)
	gl.Viewport(0, 0, int32(t.Size.X), int32(t.Size.Y))
	gl.Disable(gl.BLEND)
	gl.UseProgram(c.program)
	gl.Uniform2f(c.size, float32(t.Size.X), float32(t.Size.Y))
	gl.BindVertexArray(c.array)
	gl.ActiveTexture(gl.TEXTURE0 + pictureUnit)
	gl.BindTexture(gl.TEXTURE_2D, o.color)
	c.leaveValues(true)
	gl.Enable(gl.SCISSOR_TEST)
	for _, r := range rects {
		gl.Scissor(int32(r.Min.X), int32(t.Size.Y-r.Max.Y), int32(r.Dx()), int32(r.Dy()))
		gl.DrawArrays(gl.TRIANGLES, 0, 3)
	}
	gl.Disable(gl.SCISSOR_TEST)
	c.leaveValues(false)
	gl.BindTexture(gl.TEXTURE_2D, 0)
	gl.ActiveTexture(gl.TEXTURE0)
	return check("paint what was drawn")
}

// leaveValues has colours read from the bound texture and written as they are, or takes that back.
func (c *copier) leaveValues(on bool) {
	switch {
	case !c.raw:
	case on:
		gl.TexParameteri(gl.TEXTURE_2D, textureDecode, skipsDecoding)
		gl.Disable(framebufferSRGB)
	default:
		gl.TexParameteri(gl.TEXTURE_2D, textureDecode, decodes)
		gl.Enable(framebufferSRGB)
	}
}

func (c *copier) release() {
	gl.DeleteProgram(c.program)
	gl.DeleteVertexArrays(1, &c.array)
	*c = copier{}
}
