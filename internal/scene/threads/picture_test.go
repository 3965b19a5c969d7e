//go:build cgo

package threads

import (
	"image"
	"image/color"
	"testing"

	"diptych/internal/render"
	"diptych/internal/scene"
	"diptych/internal/testpic"
)

// draw draws a scene as the window does.
func draw(t *testing.T, r *render.Renderer, s *scene.Scene, ground color.NRGBA) *image.RGBA {
	t.Helper()
	return testpic.Figure(t, r, s, 1, ground)
}
