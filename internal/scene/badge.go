package scene

import (
	"image/color"

	"diptych/internal/geom"
)

// Badge appends the square with a side's letter that stands beside everything of that side.
func Badge(l *Layer, at geom.Point, size float32, letter string, fill, ink color.NRGBA) {
	r := geom.Rect{X0: at.X, Y0: at.Y, X1: at.X + size, Y1: at.Y + size}
	l.Quads = append(l.Quads, Quad{Rect: r, Fill: fill, Radius: size * .22, U1: 1})
	l.Write(Text{
		Rect: r, Text: letter, Fill: ink, Size: size * .66, Align: AlignCentre, Bold: true,
	})
}
