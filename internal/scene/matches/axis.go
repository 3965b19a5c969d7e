package matches

import (
	"diptych/internal/geom"
	"diptych/internal/scene"
	"diptych/internal/typeface"
)

// tickRoom is the least distance between two ticks, dp.
const tickRoom = 96

// axis draws the time axis of side k beyond its root edge, and the edge in the side's colour.
func (b *builder) axis(k int) {
	h, pal := &b.v.Sides[k], b.st.Palette
	l := b.v.Scene.Layer(geom.Rect{})
	r := h.Icicle
	strip := geom.Rect{X0: r.X0, X1: r.X1, Y0: h.Bounds.Y0, Y1: r.Y0}
	line := geom.Rect{X0: r.X0, X1: r.X1, Y0: r.Y0, Y1: r.Y0 + edge*b.dp}
	mark := geom.Rect{Y0: strip.Y1 - 7*b.dp, Y1: strip.Y1 - b.dp}
	if k == B {
		strip.Y0, strip.Y1 = r.Y1, h.Bounds.Y1
		line.Y0, line.Y1 = r.Y1-edge*b.dp, r.Y1
		mark.Y0, mark.Y1 = strip.Y0+b.dp, strip.Y0+7*b.dp
	}
	l.Fill(line, pal.Side(k))
	b.ticks(k, l, strip, mark)
}

// ticks writes the labels to the right of their marks; one that would be cut at the pane's border
// is left out.
func (b *builder) ticks(k int, l *scene.Layer, strip, mark geom.Rect) {
	h, pal, size := &b.v.Sides[k], b.st.Palette, textSize*b.dp
	unit := string(b.st.Sides[k].Trace.Unit)
	sc := geom.Ticks(h.Axis.Span, strip.W(), tickRoom*b.dp, unit)
	free, end := strip.X0, strip.X1+margin*b.dp
	if cue := b.cue().Draw(l, h.Axis, strip, pal.Side(k), pal.Text); !cue.Empty() {
		end = cue.X0 - 8*b.dp
	}
	w := typeface.Width(sc.Base, size, true)
	if sc.Base != "" && strip.X0+w+1 <= end {
		l.Write(scene.Text{
			Rect: geom.Rect{X0: strip.X0, X1: strip.X0 + w + 1, Y0: strip.Y0, Y1: strip.Y1},
			Text: sc.Base, Fill: pal.Secondary, Size: size, Bold: true,
		})
		free += w + 12*b.dp
	}
	for _, t := range sc.Ticks {
		x := h.Axis.X(t.At)
		mark.X0, mark.X1 = x, x+b.dp
		at := geom.Rect{X0: x + 4*b.dp, Y0: strip.Y0, Y1: strip.Y1}
		at.X1 = at.X0 + typeface.Width(t.Label, size, false) + 1
		if x < free || at.X1 > end {
			continue
		}
		l.Fill(mark, pal.Secondary)
		l.Write(scene.Text{Rect: at, Text: t.Label, Fill: pal.Secondary, Size: size})
	}
}

// cue returns the bar that stands for the same time on both axes.
func (b *builder) cue() scene.Cue {
	if !b.both() {
		return scene.Cue{}
	}
	return scene.NewCue(b.v.Sides[A].Axis, b.v.Sides[B].Axis, string(b.st.Sides[A].Trace.Unit), textSize*b.dp, b.dp)
}

// badge draws the side's letter beside its root edge and a line in its colour along its whole
// height.
func (b *builder) badge(k int) {
	h, pal := &b.v.Sides[k], b.st.Palette
	l := b.v.Scene.Layer(geom.Rect{})
	r := h.Icicle
	x := r.X0 - 4*b.dp
	l.Fill(geom.Rect{X0: x, X1: x + edge*b.dp, Y0: r.Y0, Y1: r.Y1}, pal.Side(k))
	y := r.Y0
	if r.H() < badge*b.dp { // no room beside the stacks: stand beside the axis
		y = h.Bounds.Y0
	}
	if k == B {
		y = r.Y1 - badge*b.dp
		if r.H() < badge*b.dp {
			y = h.Bounds.Y1 - badge*b.dp
		}
	}
	scene.Badge(l, geom.Point{X: 8 * b.dp, Y: y}, badge*b.dp, "AB"[k:k+1], pal.Side(k), pal.OnSide)
}

// scrollbar shows, where a side has more levels than it has room for, which of them are in view.
func (b *builder) scrollbar(k int, scroll float32) {
	h := &b.v.Sides[k]
	r := h.Icicle
	if h.MaxScroll <= 0 {
		return
	}
	whole := r.H() + h.MaxScroll
	thumb := max(r.H()*r.H()/whole, 8*b.dp)
	at := (r.H() - thumb) * scroll / h.MaxScroll
	bar := geom.Rect{X0: r.X1 + 4*b.dp, X1: r.X1 + 8*b.dp, Y0: r.Y0 + at, Y1: r.Y0 + at + thumb}
	if k == B {
		bar.Y0, bar.Y1 = r.Y1-at-thumb, r.Y1-at
	}
	l := b.v.Scene.Layer(geom.Rect{})
	l.Quads = append(l.Quads, scene.Quad{Rect: bar, Fill: b.st.Palette.Bar, Radius: 2 * b.dp, U1: 1})
}
