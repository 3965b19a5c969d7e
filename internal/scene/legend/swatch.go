package legend

import (
	"image/color"
	"math"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
)

// width returns a swatch's width in dp.
func (s Swatch) width() float32 {
	switch s.Kind {
	case Gradient:
		return wide
	case Earlier, Later:
		return 8 // near a bar's in the overview
	case Pale, Gloss:
		return 18
	}
	return swatchSize
}

// sample is a swatch being drawn.
type sample struct {
	l  *scene.Layer
	r  geom.Rect
	p  *palette.Palette
	dp float32
}

func (s sample) draw(w Swatch) {
	if len(w.Colours) == 0 {
		return
	}
	c := w.Colours[0]
	switch w.Kind {
	case Solid:
		s.l.Quads = append(s.l.Quads, scene.Quad{Rect: s.r, Fill: c, Radius: 2 * s.dp, U1: 1})
	case Gradient:
		s.gradient(w.Colours)
	case Outline:
		s.l.Border(s.r, c, 1.5*s.dp)
	case Hatched:
		s.l.Fill(s.r, c)
		s.l.Quads = append(s.l.Quads, scene.Quad{Rect: s.r, Shade: scene.Hatch, U1: 1,
			Fill: palette.WithAlpha(s.p.Pane, 0xa0)})
	case Pale:
		s.band(3, palette.WithAlpha(palette.Mix(c, s.p.Text, .3), 0x80))
	case Gloss:
		s.gloss(c)
	case Earlier:
		s.bar(c, s.r.X0, (s.r.X0+s.r.X1)/2)
	case Later:
		s.bar(c, (s.r.X0+s.r.X1)/2, s.r.X1)
	case Heights:
		s.heights(c)
	}
}

// gradient draws one piece between two stops: the later colour, and over it the earlier one, which
// fades out.
func (s sample) gradient(stops []color.NRGBA) {
	n := len(stops) - 1
	edge := func(i int) float32 {
		return float32(math.Round(float64(s.r.X0 + s.r.W()*float32(i)/float32(n))))
	}
	for i := range n {
		piece := s.r
		piece.X0, piece.X1 = edge(i), edge(i+1)
		s.l.Fill(piece, stops[i+1])
		s.l.Quads = append(s.l.Quads,
			scene.Quad{Rect: piece, Fill: stops[i], Shade: scene.GradientX, U1: 1})
	}
}

// band draws a level stripe h dp high through the middle.
func (s sample) band(h float32, c color.NRGBA) {
	mid := (s.r.Y0 + s.r.Y1) / 2
	r := s.r
	r.Y0, r.Y1 = mid-h/2*s.dp, mid+h/2*s.dp
	s.l.Fill(r, c)
}

// gloss draws a level tube, dark at its borders, with a highlight along it.
func (s sample) gloss(c color.NRGBA) {
	black, white := color.NRGBA{A: 0xff}, color.NRGBA{0xff, 0xff, 0xff, 0xff}
	s.band(swatchSize, palette.Mix(c, black, .35))
	s.band(swatchSize-2, palette.Mix(c, black, .15))
	s.band(swatchSize-5, c)
	s.band(4, palette.Mix(c, white, .6))
	s.band(2, white)
}

// bar draws a bar of the overview, higher between x0 and x1.
func (s sample) bar(c color.NRGBA, x0, x1 float32) {
	const step = 3
	body, top := s.r, s.r
	body.Y0 += step * s.dp
	top.X0, top.X1, top.Y1 = x0, x1, body.Y0
	s.l.Fill(body, c)
	s.l.Fill(top, c)
}

// heights draws three bars.
func (s sample) heights(c color.NRGBA) {
	for i, share := range []float32{.35, .65, 1} {
		x := s.r.X0 + s.r.W()*float32(i)/3
		s.l.Fill(geom.Rect{
			X0: x, X1: x + s.r.W()/3 - s.dp, Y0: s.r.Y1 - s.r.H()*share, Y1: s.r.Y1,
		}, c)
	}
}
