package legend

import (
	"image/color"
	"math"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/typeface"
)

// Measures in dp.
const (
	textSize   = 11
	swatchSize = 12
	wide       = 48 // a gradient's width
	near       = 6  // between a swatch and its label
	apart      = 16 // between entries
	lineHeight = 18
)

// place is where an entry goes.
type place struct {
	swatch, text geom.Rect
	label        string // cut to the width there is
}

// lay sets the entries in lines from r's top left corner. It returns the rectangle they take, which
// may be higher than r. A label that is wider than r is cut.
func lay(entries []Entry, r geom.Rect, dp float32) ([]place, geom.Rect) {
	places := make([]place, 0, len(entries))
	taken := geom.Rect{X0: r.X0, Y0: r.Y0, X1: r.X0, Y1: r.Y0}
	x, y := r.X0, r.Y0
	for _, e := range entries {
		lead := (e.Swatch.width() + near) * dp
		label := typeface.Clip(e.Label, r.W()-lead, textSize*dp)
		width := lead + typeface.Width(label, textSize*dp, false)
		if x > r.X0 && x+width > r.X1 {
			x, y = r.X0, y+lineHeight*dp
		}
		bottom, rest := y+lineHeight*dp, (lineHeight-swatchSize)/2*dp
		places = append(places, place{
			swatch: geom.Rect{X0: x, X1: x + lead - near*dp, Y0: y + rest, Y1: bottom - rest},
			text:   geom.Rect{X0: x + lead, X1: x + width, Y0: y, Y1: bottom},
			label:  label,
		})
		taken.X1, taken.Y1 = max(taken.X1, x+width), bottom
		x += width + apart*dp
	}
	return places, taken
}

// Measure returns the size that entries take where there is room for width px.
func Measure(entries []Entry, width, scale float32) geom.Size {
	_, taken := lay(entries, geom.Rect{X1: width}, dpOf(scale))
	return geom.Size{W: taken.W(), H: taken.H()}
}

// Draw sets the entries in lines from r's top left corner and returns the rectangle they take,
// which is higher than r if they do not fit. Scale is px per dp, 0 for 1.
func Draw(l *scene.Layer, entries []Entry, r geom.Rect, p *palette.Palette,
	scale float32) geom.Rect {
	dp := dpOf(scale)
	places, taken := lay(entries, r, dp)
	for i, at := range places {
		s := sample{l, at.swatch, p, dp}
		s.draw(entries[i].Swatch)
		l.Write(scene.Text{Rect: at.text, Text: at.label, Fill: p.Secondary, Size: textSize * dp})
	}
	return taken
}

func dpOf(scale float32) float32 {
	if scale <= 0 {
		return 1
	}
	return scale
}

// width returns a swatch's width in dp.
func (s Swatch) width() float32 {
	switch s.Kind {
	case Gradient:
		return wide
	case Earlier, Later:
		return 8 // near a bar's in the overview
	case Pale, Gloss, Dotted, Band, Path, Hollow:
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
	case Dashed:
		s.l.Fill(s.r, c)
		s.l.Quads = append(s.l.Quads, scene.Quad{Rect: s.r, Fill: s.p.Structure().Dash,
			Shade: scene.Dashed, Line: s.dp, U1: 1})
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
	case Dotted:
		s.dotted(c)
	case Disc:
		s.disc(c, 4)
	case Ring:
		s.disc(c, 5)
		s.disc(s.p.Pane, 3.5)
	case Open:
		r := s.r
		r.X0, r.X1, r.Y0, r.Y1 = r.X0+2*s.dp, r.X1-2*s.dp, r.Y0+2*s.dp, r.Y1-2*s.dp
		s.l.Border(r, c, 2*s.dp)
	case Band:
		s.wedge(c)
	case Shaded:
		s.l.Fill(s.r, palette.WithAlpha(c, 0x38))
		stroke := s.r
		stroke.X1 = stroke.X0 + 4*s.dp
		s.l.Fill(stroke, palette.WithAlpha(c, 0xa0))
	case Low:
		r := s.r
		r.Y0 = (r.Y0 + r.Y1) / 2
		s.l.Fill(r, c)
	case Path:
		s.band(3, c)
	case Hollow:
		s.band(3, c)
		s.band(1, s.p.Pane)
	case Diagonal, Cross:
		s.l.Border(s.r, c, s.dp)
		s.l.Line(geom.Point{X: s.r.X0, Y: s.r.Y1}, geom.Point{X: s.r.X1, Y: s.r.Y0}, s.p.Text, s.dp)
		if w.Kind == Cross {
			s.l.Line(geom.Point{X: s.r.X0, Y: s.r.Y0}, geom.Point{X: s.r.X1, Y: s.r.Y1}, s.p.Text, s.dp)
		}
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

// disc draws a circle of a radius in dp.
func (s sample) disc(c color.NRGBA, radius float32) {
	mid := geom.Point{X: (s.r.X0 + s.r.X1) / 2, Y: (s.r.Y0 + s.r.Y1) / 2}
	s.l.Quads = append(s.l.Quads, scene.Quad{Fill: c, Radius: radius * s.dp, U1: 1, Rect: geom.Rect{
		X0: mid.X - radius*s.dp, X1: mid.X + radius*s.dp, Y0: mid.Y - radius*s.dp,
		Y1: mid.Y + radius*s.dp}})
}

// wedge draws a pale band that narrows to a point.
func (s sample) wedge(c color.NRGBA) {
	end := geom.Point{X: s.r.X1, Y: (s.r.Y0 + s.r.Y1) / 2}
	straight := func(p geom.Point) [4]geom.Point {
		return [4]geom.Point{p, {X: (2*p.X + end.X) / 3, Y: (2*p.Y + end.Y) / 3},
			{X: (p.X + 2*end.X) / 3, Y: (p.Y + 2*end.Y) / 3}, end}
	}
	s.l.Ribbons = append(s.l.Ribbons, scene.Ribbon{Line: s.dp, Fill: palette.WithAlpha(c, 0x48),
		Ink: palette.WithAlpha(c, 0xc8), Edges: [2][4]geom.Point{
			straight(geom.Point{X: s.r.X0, Y: s.r.Y0 + s.dp}),
			straight(geom.Point{X: s.r.X0, Y: s.r.Y1 - s.dp})}})
}

// dotted draws a thin level line that ends in a dot.
func (s sample) dotted(c color.NRGBA) {
	s.band(1, c)
	radius, mid := 2*s.dp, (s.r.Y0+s.r.Y1)/2
	s.l.Quads = append(s.l.Quads, scene.Quad{Fill: c, Radius: radius, U1: 1, Rect: geom.Rect{
		X0: s.r.X1 - 2*radius, X1: s.r.X1, Y0: mid - radius, Y1: mid + radius}})
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
