package aligned

import (
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/scene"
	"diptych/internal/typeface"
)

// tickRoom is the least distance between two ticks, dp.
const tickRoom = 96

// axis draws the axis of virtual time above all parts. A label that would be cut at the pane's
// border is left out.
func (b *builder) axis() {
	ax, ink, size := b.v.Axis, b.st.Palette.Secondary, textSize*b.dp
	l := b.v.Scene.Layer(geom.Rect{})
	line := geom.Rect{Y1: axisRoom * b.dp}
	sc := geom.Ticks(ax.Span, ax.X1-ax.X0, tickRoom*b.dp, "ns")
	b.name(l, line, "virtual time")
	free := ax.X0
	if w := typeface.Width(sc.Base, size, true); sc.Base != "" && ax.X0+w < ax.X1 {
		r := line
		r.X0, r.X1 = ax.X0, ax.X0+w+1
		l.Write(scene.Text{Rect: r, Text: sc.Base, Fill: ink, Size: size, Bold: true})
		free += w + 12*b.dp
	}
	for _, t := range sc.Ticks {
		x := ax.X(t.At)
		r := line
		r.X0, r.X1 = x+4*b.dp, x+4*b.dp+typeface.Width(t.Label, size, false)+1
		if x < free || r.X1 > ax.X1+margin*b.dp {
			continue
		}
		l.Fill(geom.Rect{X0: x, X1: x + b.dp, Y0: line.Y1 - 7*b.dp, Y1: line.Y1 - b.dp}, ink)
		l.Write(scene.Text{Rect: r, Text: t.Label, Fill: ink, Size: size})
	}
}

// name writes what a part is into the gutter beside it, where there is room.
func (b *builder) name(l *scene.Layer, part geom.Rect, text string) {
	size := textSize * b.dp
	r := geom.Rect{X0: 4 * b.dp, X1: b.gutter - 8*b.dp, Y0: part.Y0, Y1: part.Y1}
	if r.H() < size || b.gutter < gutter*b.dp {
		return
	}
	l.Write(scene.Text{Rect: r, Text: typeface.Clip(text, r.W(), size), Size: size,
		Fill: b.st.Palette.Secondary, Align: scene.AlignRight})
}

// badge draws a side's letter and thread beside its stacks, and its root edge and a line along its
// whole height in its colour.
func (b *builder) badge(s pair.Side) {
	pal, r := b.st.Palette, b.v.Sides[s].Bounds
	l := b.v.Scene.Layer(geom.Rect{})
	x := r.X0 - 4*b.dp
	l.Fill(geom.Rect{X0: r.X0, X1: r.X1, Y0: r.Y0, Y1: r.Y0 + edge*b.dp}, pal.Side(int(s)))
	l.Fill(geom.Rect{X0: x, X1: x + edge*b.dp, Y0: r.Y0, Y1: r.Y1}, pal.Side(int(s)))
	big := min(badge*b.dp, r.H())
	at := geom.Point{X: x - 6*b.dp - big, Y: r.Y0}
	scene.Badge(l, at, big, "AB"[s:s+1], pal.Side(int(s)), pal.OnSide)
	title := geom.Rect{Y0: r.Y0 + badge*b.dp, Y1: r.Y0 + (badge+textSize+7)*b.dp}
	if tr := b.p.Sides[s]; tr == nil {
		b.name(l, title, "no thread")
	} else if title.Y1 <= r.Y1 {
		b.name(l, title, tr.Threads[b.p.Virtual.Indices[s]].Title())
	}
	if b.v.MaxScroll <= 0 {
		return
	}
	thumb := max(r.H()*r.H()/(r.H()+b.v.MaxScroll), 8*b.dp)
	y := r.Y0 + (r.H()-thumb)*b.scroll/b.v.MaxScroll
	l.Quads = append(l.Quads, scene.Quad{Fill: pal.Bar, Radius: 2 * b.dp, U1: 1,
		Rect: geom.Rect{X0: r.X1 + 4*b.dp, X1: r.X1 + 8*b.dp, Y0: y, Y1: y + thumb}})
}
