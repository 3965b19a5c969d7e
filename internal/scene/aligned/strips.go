package aligned

import (
	"image/color"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene"
)

// dissimilarity draws the strip from cold to hot, one value a pixel.
func (b *builder) dissimilarity() {
	r := b.v.Dissimilarity
	if r.Empty() {
		return
	}
	b.name(b.v.Scene.Layer(geom.Rect{}), r, "dissimilarity")
	l := b.v.Scene.Layer(r)
	length := float64(max(b.p.Virtual.Length, 1))
	b.line(l, r, 0, length, func(at float64) color.NRGBA {
		return b.pal.Heat(float32(dissimilarity(b.p.Timeline, at/length)))
	})
}

// line fills r with a colour for each pixel that lies within [from, to] of virtual time; pixels in
// one colour become one quad.
func (b *builder) line(l *scene.Layer, r geom.Rect, from, to float64,
	of func(at float64) color.NRGBA) {
	x0 := max(r.X0, b.v.Axis.X(from))
	end := min(r.X1, b.v.Axis.X(to))
	if x0 >= end {
		return
	}
	run := geom.Rect{X0: x0, X1: x0, Y0: r.Y0, Y1: r.Y1}
	var fill color.NRGBA
	for x := x0; x < end; x++ {
		c := of(b.v.Axis.T(min(x+.5, end)))
		if c != fill && run.X1 > run.X0 {
			l.Fill(run, fill)
			run.X0 = x
		}
		fill, run.X1 = c, min(x+1, end)
	}
	l.Fill(run, fill)
}

// cursor draws a hairline through all parts, and what the strips show there.
func (b *builder) cursor() {
	if b.st.Cursor == nil || !b.st.Focus.Contains(*b.st.Cursor) {
		return
	}
	at := *b.st.Cursor
	x, heat, skew := b.v.Axis.X(at), b.v.Dissimilarity, b.v.Skew
	bottom := max(b.v.Sides[pair.B].Bounds.Y1, heat.Y1, skew.Y1)
	l := b.v.Scene.Layer(geom.Rect{})
	l.Fill(geom.Rect{X0: x, X1: x + b.dp, Y0: axisRoom * b.dp, Y1: bottom},
		palette.WithAlpha(b.st.Palette.Hover, 0x90))
	if at < 0 || at > float64(b.p.Virtual.Length) {
		return
	}
	read := b.p.At(int64(at))
	if !skew.Empty() {
		y := b.skewY(read.Skew)
		dot := geom.Rect{X0: x - 3*b.dp, X1: x + 4*b.dp, Y0: y - 3*b.dp, Y1: y + 4*b.dp}
		l.Quads = append(l.Quads,
			scene.Quad{Rect: dot, Fill: b.st.Palette.Text, Radius: 3.5 * b.dp, U1: 1})
		b.chip(l, x, skew, y, signed(read.Skew))
	}
	if !heat.Empty() {
		b.chip(l, x, heat, (heat.Y0+heat.Y1)/2, percent(read.Dissimilarity))
	}
}
