package render

import (
	"image"

	gl "github.com/go-gl/gl/v3.1/gles2"
)

// kept is the last picture that Kept has drawn, so that it can be copied to the target again.
//
// Colours survive the copy: the picture lies in a framebuffer that encodes to sRGB exactly if the
// target does, so the copy either decodes and encodes again, or leaves the values as they are.
type kept struct {
	picture *Offscreen // nil if there is none
	linear  bool       // whether picture encodes to sRGB by itself
	target  Target     // what it was drawn for, whatever the framebuffer
	key     any        // what it shows; nil if it is incomplete
}

// Kept brings to t what draw draws. It calls draw only if key, t's part of its framebuffer or its
// scale differ from those of the last call; otherwise it copies the former picture, which costs
// little even where the CPU draws. The key must be comparable, must not be nil, and must change
// with all that draw depends on.
//
// draw gets another framebuffer than t's, must draw into that one only, and must cover all of t's
// clip. If it fails, nothing is kept and t stays as it is.
func (r *Renderer) Kept(t Target, key any, draw func(Target) error) error {
	gl.BindFramebuffer(gl.FRAMEBUFFER, t.FBO)
	if multisampled() {
		return draw(t) // OpenGL ES copies no picture into such a framebuffer
	}
	linear := encodes(t.FBO)
	k, shape := &r.kept, t
	shape.FBO = 0
	if k.picture == nil || k.key != key || k.target != shape || k.linear != linear {
		if err := k.prepare(t.Size, linear); err != nil {
			return err
		}
		inner := t
		inner.FBO = k.picture.FBO()
		if err := draw(inner); err != nil {
			return err
		}
		k.key, k.target = key, shape
	}
	defer r.Yield()
	return k.copyTo(t)
}

// prepare forgets what is kept and makes sure that there is a framebuffer of that size and kind.
func (k *kept) prepare(size image.Point, linear bool) error {
	k.key = nil
	if k.picture != nil && k.picture.Size() == size && k.linear == linear {
		return nil
	}
	k.release()
	format := int32(gl.RGBA8)
	if linear {
		format = gl.SRGB8_ALPHA8
	}
	picture, err := newOffscreen(size, format)
	if err != nil {
		return err
	}
	k.picture, k.linear = picture, linear
	return nil
}

// copyTo copies the picture to t's clip and leaves t's framebuffer bound.
func (k *kept) copyTo(t Target) error {
	gl.BindFramebuffer(gl.READ_FRAMEBUFFER, k.picture.FBO())
	gl.BindFramebuffer(gl.DRAW_FRAMEBUFFER, t.FBO)
	gl.Disable(gl.SCISSOR_TEST) // it would cut the copy
	b := t.bounds().Intersect(image.Rectangle{Max: t.Size})
	x0, x1 := int32(b.Min.X), int32(b.Max.X)
	y0, y1 := int32(t.Size.Y-b.Max.Y), int32(t.Size.Y-b.Min.Y)
	gl.BlitFramebuffer(x0, y0, x1, y1, x0, y0, x1, y1, gl.COLOR_BUFFER_BIT, gl.NEAREST)
	gl.BindFramebuffer(gl.FRAMEBUFFER, t.FBO)
	return check("copy what was drawn")
}

func (k *kept) release() {
	if k.picture != nil {
		k.picture.Release()
	}
	*k = kept{}
}

// multisampled reports whether the bound framebuffer has several samples a pixel.
func multisampled() bool {
	var n int32
	gl.GetIntegerv(gl.SAMPLE_BUFFERS, &n)
	return n > 0
}
