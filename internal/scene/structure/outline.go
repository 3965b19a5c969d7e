package structure

import (
	"image/color"

	"diptych/internal/geom"
	"diptych/internal/scene"
	"diptych/internal/scene/icicle"
	"diptych/internal/typeface"
)

// This file marks calls and cells with borders.

// outlines marks what is under the pointer, hovered elsewhere or selected.
func (b *builder) outlines() {
	for s := range b.v.Sides {
		d := b.v.Sides[s].Drawing
		if d == nil {
			continue
		}
		l := b.v.Scene.Layer(d.View)
		for _, ref := range b.st.Sides[s].Hover {
			d.Outline(l, ref, b.dp, icicle.Hovered)
		}
		for _, ref := range b.st.Sides[s].Selected {
			d.Outline(l, ref, 2*b.dp, icicle.Selected)
		}
		for _, hit := range b.a.focus.items {
			if hit.Side == s {
				w := 1.5 * b.dp // half of it outside, so that the label can be read
				l.Border(widened(hit.Pick.Rect, leastOutline*b.dp).Inset(-w/2), b.st.Palette.Selection, w)
			}
		}
	}
	l := b.v.Scene.Layer(b.v.Treemap)
	if f := &b.v.Focus; f.Mode == Subtree {
		b.outline(l, f.Node, b.st.Palette.Hover, b.dp)
		b.outline(l, f.Subtree, b.st.Palette.Selection, 2*b.dp)
	}
	b.outline(l, b.st.Hover, b.st.Palette.Hover, b.dp)
	b.outline(l, b.st.Selected, b.st.Palette.Selection, 2*b.dp)
}

// leastOutline is how wide the outline of a call is that is itself too narrow to see, dp.
const leastOutline = 5

// widened returns r around the same middle, at least so wide.
func widened(r geom.Rect, least float32) geom.Rect {
	if r.W() < least {
		mid := (r.X0 + r.X1) / 2
		r.X0, r.X1 = mid-least/2, mid+least/2
	}
	return r
}

// outline draws a border around the cell of a node. It has gaps where names are: that of a group
// lies across the cells in it, and those of calls lie over all.
func (b *builder) outline(l *scene.Layer, node int, c color.NRGBA, w float32) {
	if node <= 0 || node >= len(b.st.Tree.Nodes) {
		return
	}
	r := b.a.cells.shownRect(node)
	if r.Empty() {
		return
	}
	if r.W() <= 2*w || r.H() <= 2*w {
		l.Border(r, c, w)
		return
	}
	pieces := []geom.Rect{{X0: r.X0, X1: r.X1, Y0: r.Y0, Y1: r.Y0 + w},
		{X0: r.X0, X1: r.X1, Y0: r.Y1 - w, Y1: r.Y1},
		{X0: r.X0, X1: r.X0 + w, Y0: r.Y0 + w, Y1: r.Y1 - w},
		{X0: r.X1 - w, X1: r.X1, Y0: r.Y0 + w, Y1: r.Y1 - w}}
	for i := range b.v.Scene.Layers {
		of := &b.v.Scene.Layers[i]
		for k := range of.Texts {
			pieces = without(pieces, inked(&of.Texts[k]).Intersect(of.Clip))
		}
	}
	for _, p := range pieces {
		l.Quads = append(l.Quads, scene.Quad{Rect: p, Fill: c, U1: 1})
	}
}

// inked returns where a text's letters are, with a little room above and below them.
func inked(t *scene.Text) geom.Rect {
	r, mid := t.Rect, (t.Rect.Y0+t.Rect.Y1)/2
	r.Y0, r.Y1 = max(r.Y0, mid-.55*t.Size), min(r.Y1, mid+.55*t.Size)
	if t.Align == scene.AlignLeft && t.Turn == 0 {
		r.X1 = min(r.X1, r.X0+typeface.Width(t.Text, t.Size, t.Bold))
	}
	return r
}

// without returns the pieces of a border less what lies in hole. A piece that hole covers in part
// is split along its length.
func without(pieces []geom.Rect, hole geom.Rect) []geom.Rect {
	for i := 0; i < len(pieces); i++ {
		p := pieces[i]
		o := p.Intersect(hole)
		if o.Empty() {
			continue
		}
		first, second := p, p
		if p.W() > p.H() {
			first.X1, second.X0 = o.X0, o.X1
		} else {
			first.Y1, second.Y0 = o.Y0, o.Y1
		}
		pieces[i] = first
		if !second.Empty() {
			pieces = append(pieces, second)
		}
		if pieces[i].Empty() {
			pieces[i] = pieces[len(pieces)-1]
			pieces = pieces[:len(pieces)-1]
			i--
		}
	}
	return pieces
}
