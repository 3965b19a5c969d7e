package render

import (
	"fmt"
	"image"

	"diptych/internal/scene"

	gl "github.com/go-gl/gl/v3.1/gles2"
)

// NewOffscreenPlain makes a framebuffer that takes colours as they are, as some windows do.
func NewOffscreenPlain(size image.Point) (*Offscreen, error) { return newOffscreen(size, gl.RGBA8) }

// Rasteriser returns what draws in the current context, in the driver's words.
func Rasteriser() string { return gl.GoStr(gl.GetString(gl.RENDERER)) }

// Fail makes OpenGL report the codes, one a call, and returns what ends that.
func Fail(codes ...uint32) (restore func()) {
	old := getError
	getError = func() uint32 {
		if len(codes) == 0 {
			return old()
		}
		code := codes[0]
		codes = codes[1:]
		return code
	}
	return func() { getError = old }
}

// PerRect sets how many pixels a further rectangle is worth, and returns what undoes that.
func PerRect(px int) (restore func()) {
	old := perRect
	perRect = px
	return func() { perRect = old }
}

// FewPieces sets how many pieces of tubes are few, and returns what undoes that.
func FewPieces(n int) (restore func()) {
	old := fewPieces
	fewPieces = n
	return func() { fewPieces = old }
}

// ByProgram returns quads in the order in which they are drawn where coordinates have so many bits
// below one.
func ByProgram(quads []scene.Quad, bits int32) []scene.Quad {
	o := quadOrder{slack: slackOf(bits)}
	return o.byProgram(quads)
}

// Changes returns how often a painter changes its program while it draws quads in order.
func Changes(quads []scene.Quad) (n int) {
	for i := range quads {
		if i > 0 && kindOf(&quads[i]) != kindOf(&quads[i-1]) {
			n++
		}
	}
	return n
}

// Yielded tells what of the state that Yield promises does not hold, or returns "".
func (r *Renderer) Yielded() string {
	for _, c := range []struct {
		what string
		name uint32
		want int32
	}{
		{"vertex array", gl.VERTEX_ARRAY_BINDING, int32(r.idle)},
		{"program", gl.CURRENT_PROGRAM, 0},
		{"array buffer", gl.ARRAY_BUFFER_BINDING, 0},
		{"index buffer", gl.ELEMENT_ARRAY_BUFFER_BINDING, 0},
		{"texture unit", gl.ACTIVE_TEXTURE, gl.TEXTURE0},
		{"texture of unit 0", gl.TEXTURE_BINDING_2D, 0},
		{"depth test", gl.DEPTH_TEST, 0}, {"depth function", gl.DEPTH_FUNC, gl.LESS},
		{"depth mask", gl.DEPTH_WRITEMASK, 1}, {"offset of depths", gl.POLYGON_OFFSET_FILL, 0},
		{"scissor", gl.SCISSOR_TEST, 0}, {"culling", gl.CULL_FACE, 0}, {"stencil", gl.STENCIL_TEST, 0},
	} {
		if got := state(c.name); got != c.want {
			return fmt.Sprintf("%s: %d, want %d", c.what, got, c.want)
		}
	}
	return attributes()
}

// state returns one value of the context's state.
func state(name uint32) (v int32) {
	gl.GetIntegerv(name, &v)
	return v
}

// attributes tells which vertex attribute of the bound vertex array is enabled or has a divisor: a
// renderer that knows nothing of it would draw with what lies behind it.
func attributes() string {
	for i := range uint32(state(gl.MAX_VERTEX_ATTRIBS)) {
		var enabled, divisor int32
		gl.GetVertexAttribiv(i, gl.VERTEX_ATTRIB_ARRAY_ENABLED, &enabled)
		gl.GetVertexAttribiv(i, gl.VERTEX_ATTRIB_ARRAY_DIVISOR, &divisor)
		if enabled != 0 || divisor != 0 {
			return fmt.Sprintf("vertex attribute %d: enabled %d, divisor %d", i, enabled, divisor)
		}
	}
	return ""
}

// Upload sends to the GPU what drawing t needs, and draws nothing.
func (r *Renderer) Upload(t *scene.Tubes) {
	if err := r.ready(&r.tubes, Target{}); err != nil {
		panic(err)
	}
	r.tubes.upload(t, finenessOf(t), image.Rect(0, 0, 1<<20, 1<<20))
	r.tubes.knots.yield()
}

// TextureState returns the active texture unit, counted from 0, and the texture bound to the unit
// of knots.
func TextureState() (active, knots int32) {
	gl.GetIntegerv(gl.ACTIVE_TEXTURE, &active)
	gl.ActiveTexture(gl.TEXTURE0 + knotUnit)
	gl.GetIntegerv(gl.TEXTURE_BINDING_2D, &knots)
	gl.ActiveTexture(uint32(active))
	return active - gl.TEXTURE0, knots
}

// DepthState reports whether depths are tested, written and offset.
func DepthState() (test, write, offset bool) {
	gl.GetBooleanv(gl.DEPTH_WRITEMASK, &write)
	return gl.IsEnabled(gl.DEPTH_TEST), write, gl.IsEnabled(gl.POLYGON_OFFSET_FILL)
}

// Disturb changes state that drawing and copying depend on, as another renderer may.
func Disturb(scissor image.Rectangle) {
	gl.Enable(gl.SCISSOR_TEST)
	gl.Scissor(int32(scissor.Min.X), int32(scissor.Min.Y), int32(scissor.Dx()), int32(scissor.Dy()))
	gl.Enable(gl.DEPTH_TEST)
	gl.DepthMask(false)
	gl.BindFramebuffer(gl.FRAMEBUFFER, 0)
}

// FramebufferState returns the framebuffers that are read from and drawn into, and reports whether
// drawing is cut to a rectangle.
func FramebufferState() (read, drawn uint32, scissor bool) {
	var names [2]int32
	gl.GetIntegerv(gl.READ_FRAMEBUFFER_BINDING, &names[0])
	gl.GetIntegerv(gl.DRAW_FRAMEBUFFER_BINDING, &names[1])
	return uint32(names[0]), uint32(names[1]), gl.IsEnabled(gl.SCISSOR_TEST)
}

// HasDepths reports whether the picture of the last frame has depths.
func (r *Renderer) HasDepths() bool { return r.shown.picture.depth != 0 }

// HasTubes reports whether tubes have been drawn.
func (r *Renderer) HasTubes() bool { return r.tubes.compiled() || r.scans.program != 0 }

// Scan has tubes and quads drawn by a scanner and a canvas, or by programs.
func (r *Renderer) Scan(on bool) { r.scanned = on }

// CanvasPixels returns what a canvas draws of f in the rectangle: RGBA, the lowest row first. If
// plain it goes pixel by pixel.
func CanvasPixels(f *Frame, r image.Rectangle, linear, plain bool) []uint8 {
	if plain {
		defer func(old bool) { eights = old }(eights)
		eights = false
	}
	var c canvas
	c.draw(Target{Size: r.Max, Scale: 1}, f, f.plan(), r, linear)
	return c.pix
}

// ScanPixels returns what a scanner draws of t in the rectangle: RGBA with alpha multiplied in. If
// plain it goes pixel by pixel.
func ScanPixels(t *scene.Tubes, seen image.Rectangle, linear, plain bool) []uint8 {
	var s scanner
	if plain {
		defer func(old func(*band, int)) { paintRow = old }(paintRow)
		paintRow = paintPixels
	}
	s.scan(t, finenessOf(t), seen, linear)
	return s.pix
}

// ShownFBO returns the framebuffer object that holds the last frame.
func (r *Renderer) ShownFBO() uint32 { return r.shown.picture.FBO() }

// PaintShown copies the last frame to t as it is copied to a window.
func (r *Renderer) PaintShown(t Target) error {
	defer r.Yield()
	return r.copies.paint(r.shown.picture, t, []image.Rectangle{{Max: t.Size}})
}

// IsFramebuffer reports whether fbo is the name of a framebuffer object.
func IsFramebuffer(fbo uint32) bool { return gl.IsFramebuffer(fbo) }

// NewMultisampled makes a framebuffer with several samples a pixel. release is nil where the driver
// cannot.
func NewMultisampled(size image.Point) (t Target, release func()) {
	var most int32
	gl.GetIntegerv(gl.MAX_SAMPLES, &most)
	if most < 2 {
		return Target{}, nil
	}
	var fbo, color uint32
	gl.GenRenderbuffers(1, &color)
	gl.BindRenderbuffer(gl.RENDERBUFFER, color)
	gl.RenderbufferStorageMultisample(gl.RENDERBUFFER, most, gl.RGBA8,
		int32(size.X), int32(size.Y))
	gl.GenFramebuffers(1, &fbo)
	gl.BindFramebuffer(gl.FRAMEBUFFER, fbo)
	gl.FramebufferRenderbuffer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.RENDERBUFFER, color)
	return Target{FBO: fbo, Size: size, Scale: 1}, func() {
		gl.DeleteFramebuffers(1, &fbo)
		gl.DeleteRenderbuffers(1, &color)
	}
}
