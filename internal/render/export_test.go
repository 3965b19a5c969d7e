package render

import (
	"image"

	"diptych/internal/scene"

	gl "github.com/go-gl/gl/v3.1/gles2"
)

// NewOffscreenPlain makes a framebuffer that takes colours as they are, as some windows do.
func NewOffscreenPlain(size image.Point) (*Offscreen, error) { return newOffscreen(size, gl.RGBA8) }

// Rasteriser returns what draws in the current context, in the driver's words.
func Rasteriser() string { return gl.GoStr(gl.GetString(gl.RENDERER)) }

// Finish waits until all drawing is done.
func Finish() { gl.Finish() }

// Upload sends to the GPU what drawing t needs, and draws nothing.
func (r *Renderer) Upload(t *scene.Tubes) {
	r.tubes.upload(t)
	r.tubes.knots.yield()
}

// Samples returns how many pieces the axes of t are drawn in.
func Samples(t *scene.Tubes) int32 { return samples(t) }

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
