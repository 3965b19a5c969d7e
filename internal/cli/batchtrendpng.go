//go:build !nogui

package cli

import (
	"image"
	"image/png"
	"io"

	"diptych/internal/batch/trend"
	"diptych/internal/batch/trend/multiples"
	"diptych/internal/host"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/ui"
)

// writeTrendPNG writes the picture of a trend as PNG. It needs OpenGL, but no display.
func writeTrendPNG(w io.Writer, t *trend.Trend) error {
	app := ui.NewScenePicture(func(p *palette.Palette) *scene.Scene {
		return multiples.Draw(t, multiples.Size, p)
	})
	img, err := host.Snapshot(app, image.Pt(int(multiples.Size.W), int(multiples.Size.H)), 1)
	if err != nil {
		return err
	}
	return png.Encode(w, img)
}
