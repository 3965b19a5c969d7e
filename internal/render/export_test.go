package render

import (
	"image"

	gl "github.com/go-gl/gl/v3.1/gles2"
)

// NewOffscreenPlain makes a framebuffer that takes colours as they are, as some windows do.
func NewOffscreenPlain(size image.Point) (*Offscreen, error) { return newOffscreen(size, gl.RGBA8) }

// Finish waits until all drawing is done.
func Finish() { gl.Finish() }
