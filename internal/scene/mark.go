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

// PinRadius is the radius of a pin's head in dp.
const PinRadius = 4

// Pin appends the head of a pin around a point, set off its surroundings by a ring in the colour of
// the ground. An open one is a mere ring: what it stands for does not hold, or not yet.
func Pin(l *Layer, at geom.Point, dp float32, fill, ground color.NRGBA, open bool) {
	disc := func(radius float32, c color.NRGBA) {
		r := geom.Rect{X0: at.X - radius, Y0: at.Y - radius, X1: at.X + radius, Y1: at.Y + radius}
		l.Quads = append(l.Quads, Quad{Rect: r, Fill: c, Radius: radius, U1: 1})
	}
	hole := float32(1.4)
	if open {
		hole = PinRadius - 1.4
	}
	disc((PinRadius+1)*dp, ground)
	disc(PinRadius*dp, fill)
	disc(hole*dp, ground)
}
