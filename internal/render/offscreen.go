package render

import (
	"fmt"
	"image"

	gl "github.com/go-gl/gl/v3.1/gles2"
)

// Offscreen is a framebuffer in memory: an sRGB colour texture, in which blending is linear, and a
// depth buffer. Gio can draw into it too, as gpu.OpenGLRenderTarget(FBO()).
type Offscreen struct {
	size              image.Point
	fbo, color, depth uint32
}

// NewOffscreen makes a framebuffer of size px in the current context.
func NewOffscreen(size image.Point) (*Offscreen, error) {
	return newOffscreen(size, gl.SRGB8_ALPHA8)
}

func newOffscreen(size image.Point, format int32) (*Offscreen, error) {
	o, err := newColours(size, format)
	if err != nil {
		return nil, err
	}
	return o, o.addDepths()
}

// newColours makes a framebuffer of size px without a depth buffer, whose texture has a format.
func newColours(size image.Point, format int32) (*Offscreen, error) {
	if err := load(); err != nil {
		return nil, err
	}
	var limit int32
	gl.GetIntegerv(gl.MAX_TEXTURE_SIZE, &limit)
	if size.X <= 0 || size.Y <= 0 || size.X > int(limit) || size.Y > int(limit) {
		return nil, fmt.Errorf("render: offscreen size %dx%d is not within 1 to %d",
			size.X, size.Y, limit)
	}
	o := &Offscreen{size: size}
	w, h := int32(size.X), int32(size.Y)
	gl.GenTextures(1, &o.color)
	gl.BindTexture(gl.TEXTURE_2D, o.color)
	gl.TexImage2D(gl.TEXTURE_2D, 0, format, w, h, 0, gl.RGBA, gl.UNSIGNED_BYTE, nil)
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST)
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST)
	gl.BindTexture(gl.TEXTURE_2D, 0)
	gl.GenFramebuffers(1, &o.fbo)
	o.Bind()
	gl.FramebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, o.color, 0)
	return o, o.complete()
}

// addDepths gives o a depth buffer. o is the bound framebuffer.
func (o *Offscreen) addDepths() error {
	gl.GenRenderbuffers(1, &o.depth)
	gl.BindRenderbuffer(gl.RENDERBUFFER, o.depth)
	gl.RenderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT24, int32(o.size.X), int32(o.size.Y))
	gl.FramebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, o.depth)
	return o.complete()
}

// complete reports why nothing can be drawn into o, which is the bound framebuffer. Then o is
// released.
func (o *Offscreen) complete() error {
	if s := gl.CheckFramebufferStatus(gl.FRAMEBUFFER); s != gl.FRAMEBUFFER_COMPLETE {
		size := o.size
		o.Release()
		return fmt.Errorf("render: offscreen framebuffer of %v: status %#x", size, s)
	}
	return check("new offscreen")
}

// FBO returns the name of the framebuffer object.
func (o *Offscreen) FBO() uint32 { return o.fbo }

// Size returns the framebuffer's extent in px.
func (o *Offscreen) Size() image.Point { return o.size }

// Target returns the whole framebuffer as a target at the given scale.
func (o *Offscreen) Target(scale float32) Target {
	return Target{FBO: o.fbo, Size: o.size, Scale: scale}
}

// Bind makes o the framebuffer that is drawn into.
func (o *Offscreen) Bind() { gl.BindFramebuffer(gl.FRAMEBUFFER, o.fbo) }

// ReadImage waits for drawing to end and returns the picture, its first row on top. Where the
// picture is opaque its values are the sRGB-encoded colours.
func (o *Offscreen) ReadImage() (*image.RGBA, error) { return o.Target(1).ReadImage() }

// ReadImage is Offscreen.ReadImage for the framebuffer of a target, all of it.
func (t Target) ReadImage() (*image.RGBA, error) {
	gl.BindFramebuffer(gl.FRAMEBUFFER, t.FBO)
	m := image.NewRGBA(image.Rectangle{Max: t.Size})
	gl.PixelStorei(gl.PACK_ALIGNMENT, 4)
	gl.ReadPixels(0, 0, int32(t.Size.X), int32(t.Size.Y), gl.RGBA, gl.UNSIGNED_BYTE, gl.Ptr(m.Pix))
	flip(m)
	return m, check("read the picture")
}

// flip reverses the order of m's rows: OpenGL's first row is the lowest.
func flip(m *image.RGBA) {
	row := make([]byte, m.Stride)
	for top, low := 0, m.Rect.Dy()-1; top < low; top, low = top+1, low-1 {
		a, b := m.Pix[top*m.Stride:(top+1)*m.Stride], m.Pix[low*m.Stride:(low+1)*m.Stride]
		copy(row, a)
		copy(a, b)
		copy(b, row)
	}
}

// Finish waits until all is drawn that was asked for in the current context.
func Finish() { gl.Finish() }

// Release deletes the framebuffer and what is attached to it.
func (o *Offscreen) Release() {
	gl.DeleteFramebuffers(1, &o.fbo)
	gl.DeleteTextures(1, &o.color)
	gl.DeleteRenderbuffers(1, &o.depth)
	*o = Offscreen{}
}
