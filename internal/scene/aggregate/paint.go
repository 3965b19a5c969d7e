package aggregate

import (
	"image/color"

	"diptych/internal/aggregate"
	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/typeface"
)

// layer is short for what everything is drawn on.
type layer = scene.Layer

// write writes a text at the right of r.
func write(l *layer, r geom.Rect, text string, ink color.NRGBA, size float32, bold bool) {
	l.Write(scene.Text{Rect: r, Text: text, Fill: ink, Size: size, Align: scene.AlignRight,
		Bold: bold})
}

// faintest is the opacity of a share of nothing.
const faintest = .08

// Ink returns the colour of an area: that of its mode, or of the side that has more in a
// difference. The share is the opacity, over the colour of the pane: mixed here, since a renderer
// that blends linear light would show small shares as strong ones in the dark.
func Ink(pal *palette.Palette, inks []color.NRGBA, of, mode int, share float64) color.NRGBA {
	var c color.NRGBA
	switch {
	case of != Difference:
		c = inks[mode]
	case share > 0:
		c = pal.A
	default:
		c = pal.B
	}
	return palette.Mix(pal.Pane, c, float32(faintest+(1-faintest)*min(max(share, -share), 1)))
}

// grid draws a plot.
func (b *builder) grid(k int) {
	p, g, pal := &b.st.Plots[k], &b.v.Plots[k], b.st.Palette
	b.axis(k)
	l := b.v.Scene.Layer(g.Plot)
	l.Border(g.Plot, pal.Line, b.dp)
	if g.grid.rows == nil {
		return
	}
	b.unknown(l, k)
	inks := pal.States(p.Picture.Source.States(), aggregate.Other)
	g.Areas = make([]Area, 0, len(g.grid.areas))
	for _, a := range g.grid.areas {
		a.Plot = k
		if a.Rect = b.rect(k, a.Place); a.Rect.X1 > g.Plot.X0 && a.Rect.X0 < g.Plot.X1 {
			if g.Areas = append(g.Areas, a); a.Mode >= 0 {
				l.Fill(b.spaced(a.Rect), Ink(pal, inks, g.Of, a.Mode, a.Share))
			}
		}
	}
	l = b.v.Scene.Layer(g.Plot)
	for i := range g.Areas {
		b.glyph(l, &g.Areas[i])
	}
}

// unknown shows the ground in the time before and behind the timeslices. The colour of the pane
// would say that nothing runs there, but nobody knows yet: the view has moved since it was
// aggregated.
func (b *builder) unknown(l *layer, k int) {
	p, g := &b.st.Plots[k], &b.v.Plots[k]
	before, behind := g.Plot, g.Plot
	before.X1 = min(g.Axis.X(p.Borders[0]), g.Plot.X1)
	behind.X0 = max(g.Axis.X(p.Borders[len(p.Borders)-1]), g.Plot.X0)
	for _, r := range []geom.Rect{before, behind} {
		if r.W() > b.dp/2 { // less is rounding
			l.Fill(r, b.st.Palette.Ground)
		}
	}
}

// rect returns where some leaves and timeslices of a plot are.
func (b *builder) rect(k int, p Place) geom.Rect {
	g := &b.v.Plots[k]
	borders, top := b.st.Plots[k].Borders, g.grid.rows.top
	x := func(i int) float32 { return min(max(g.Axis.X(borders[i]), g.Plot.X0-4), g.Plot.X1+4) }
	return geom.Rect{X0: x(p.From), X1: x(p.To + 1), Y0: g.Plot.Y0 + top[p.Leaves[0]],
		Y1: g.Plot.Y0 + top[p.Leaves[1]]}
}

// spaced leaves a gap between neighbours that are large enough for one.
func (b *builder) spaced(r geom.Rect) geom.Rect {
	if r.W() > 4*b.dp {
		r.X1 -= b.dp
	}
	if r.H() > 4*b.dp {
		r.Y1 -= b.dp
	}
	return r
}

// Sizes of the mark of a visual aggregate, dp.
const (
	mostGlyph  = 13
	leastGlyph = 5
)

// glyph marks a visual aggregate: by a diagonal or a cross at the left of what is visible of it or,
// where there is no room for one, by a hatch.
func (b *builder) glyph(l *layer, a *Area) {
	if a.Mark == Data {
		return
	}
	ink := palette.WithAlpha(b.st.Palette.Text, 0x90)
	seen := a.Rect.Intersect(l.Clip)
	size := min(mostGlyph*b.dp, seen.H()-3*b.dp, seen.W()-3*b.dp)
	if size < leastGlyph*b.dp {
		l.Quads = append(l.Quads, scene.Quad{Rect: b.spaced(a.Rect),
			Fill: palette.WithAlpha(b.st.Palette.Text, 0x38), Shade: scene.Hatch, U1: 1})
		return
	}
	mid := (seen.Y0 + seen.Y1 - b.dp) / 2
	r := geom.Rect{X0: seen.X0 + 2*b.dp, Y0: mid - size/2, Y1: mid + size/2}
	r.X1 = r.X0 + size
	l.Line(geom.Point{X: r.X0, Y: r.Y1}, geom.Point{X: r.X1, Y: r.Y0}, ink, 1.2*b.dp)
	if a.Mark == Mixed {
		l.Line(geom.Point{X: r.X0, Y: r.Y0}, geom.Point{X: r.X1, Y: r.Y1}, ink, 1.2*b.dp)
	}
}

// marks outlines what is hovered and selected, and marks the same time and resources in the other
// plots.
func (b *builder) marks() {
	pal := b.st.Palette
	for k := range b.v.Plots {
		g := &b.v.Plots[k]
		if g.grid.rows == nil {
			continue
		}
		l := b.v.Scene.Layer(g.Plot)
		p := &b.st.Plots[k]
		b.outline(l, k, b.st.Selected, p.Chosen, pal.Selection, 2*b.dp)
		b.outline(l, k, b.st.Hover, p.Hovered, pal.Hover, 1.5*b.dp)
	}
}

// outline draws a border around a place of plot k, or around its counterpart there with lines that
// lead the eye from plot to plot.
func (b *builder) outline(l *layer, k int, at, here Place, ink color.NRGBA, width float32) {
	if !at.OK {
		return
	}
	g := &b.v.Plots[k]
	if at.Plot == k {
		if b.known(k, at) {
			l.Border(b.rect(k, at), ink, width)
		}
		return
	}
	if !here.OK {
		return
	}
	if b.known(k, here) {
		r := b.rect(k, here)
		l.Quads = append(l.Quads, scene.Quad{Rect: r, Fill: ink, Shade: scene.Dashed, Line: width, U1: 1})
	}
	borders := b.st.Plots[k].Borders
	for _, i := range []int{here.From, here.To + 1} {
		if i < 0 || i >= len(borders) {
			continue
		}
		x := g.Axis.X(borders[i])
		if x < g.Plot.X0 || x > g.Plot.X1 {
			continue
		}
		for y := g.Plot.Y0; y < g.Plot.Y1; y += 5 * b.dp {
			l.Fill(geom.Rect{X0: x, X1: x + b.dp, Y0: y, Y1: min(y+2*b.dp, g.Plot.Y1)},
				palette.WithAlpha(b.st.Palette.Text, 0x90))
		}
	}
}

// known reports whether a place is one of the plot as it is now.
func (b *builder) known(k int, p Place) bool {
	rows := len(b.v.Plots[k].grid.rows.top) - 1
	return p.Leaves[0] >= 0 && p.Leaves[0] < p.Leaves[1] && p.Leaves[1] <= rows &&
		p.From >= 0 && p.From <= p.To && p.To+1 < len(b.st.Plots[k].Borders)
}

// tickRoom is the least distance between two ticks, dp.
const tickRoom = 96

// axis draws the axis above a plot, the line at its top in the colour of its side, and its badge.
func (b *builder) axis(k int) {
	p, g, pal := &b.st.Plots[k], &b.v.Plots[k], b.st.Palette
	l := b.v.Scene.Layer(geom.Rect{})
	line := pal.Secondary
	if p.Of != Difference {
		line = pal.Side(p.Of)
	}
	r := g.Plot
	l.Fill(geom.Rect{X0: r.X0, X1: r.X1, Y0: r.Y0 - edge*b.dp, Y1: r.Y0}, line)
	b.ticks(k, l)
	// A grid may be lower than its badge, which then begins beside the axis.
	at := geom.Point{X: 8 * b.dp, Y: min(r.Y0, r.Y1-badge*b.dp)}
	if p.Of != Difference {
		scene.Badge(l, at, badge*b.dp, "AB"[p.Of:p.Of+1], pal.Side(p.Of), pal.OnSide)
	} else {
		l.Write(scene.Text{Rect: geom.Rect{X0: at.X, X1: sideRoom * b.dp, Y0: at.Y,
			Y1: at.Y + badge*b.dp}, Text: "B − A", Fill: pal.Text, Size: 12 * b.dp, Bold: true})
	}
	b.note(k, l, at.Y+(badge+4)*b.dp)
}

// note writes the notes of a plot below its badge, as many as there is room for.
func (b *builder) note(k int, l *layer, y float32) {
	g, size := &b.v.Plots[k], textSize*b.dp
	if g.Bounds.W() < noteLeast*b.dp {
		return
	}
	for _, text := range b.st.Plots[k].Note {
		r := geom.Rect{X0: 8 * b.dp, X1: noteRoom * b.dp, Y0: y, Y1: y + 14*b.dp}
		if r.Y1 > g.Plot.Y1 {
			return
		}
		l.Write(scene.Text{Rect: r, Text: typeface.Clip(text, r.W()-4*b.dp, size),
			Fill: b.st.Palette.Secondary, Size: size})
		y = r.Y1
	}
}

// ticks writes the labels of an axis to the right of their marks; one that would be cut at the
// pane's border is left out.
func (b *builder) ticks(k int, l *layer) {
	p, g, size := &b.st.Plots[k], &b.v.Plots[k], textSize*b.dp
	strip := geom.Rect{X0: g.Plot.X0, X1: g.Bounds.X1, Y0: g.Bounds.Y0, Y1: g.Plot.Y0 - edge*b.dp}
	sc := geom.Ticks(p.Span, g.Plot.W(), tickRoom*b.dp, p.Unit)
	free := strip.X0
	text := func(x float32, label string, bold bool) bool {
		at := geom.Rect{X0: x, X1: x + typeface.Width(label, size, bold) + 1, Y0: strip.Y0, Y1: strip.Y1}
		if x < free || at.X1 > strip.X1 {
			return false
		}
		l.Write(scene.Text{Rect: at, Text: label, Fill: b.st.Palette.Secondary, Size: size, Bold: bold})
		free = at.X1 + 4*b.dp
		return true
	}
	if sc.Base != "" && p.Ticks == nil {
		text(strip.X0, sc.Base, true)
	}
	for _, t := range sc.Ticks {
		x, label := g.Axis.X(t.At), t.Label
		if p.Ticks != nil {
			label = p.Ticks(t.At)
		}
		if text(x+4*b.dp, label, false) {
			l.Fill(geom.Rect{X0: x, X1: x + b.dp, Y0: strip.Y1 - 7*b.dp, Y1: strip.Y1},
				b.st.Palette.Secondary)
		}
	}
}
