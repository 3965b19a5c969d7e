package structure

import (
	"image/color"
	"slices"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/structure"
)

// This file finds the colours of calls, and draws the stacks and what is outlined.

// spare is what colours are made of.
type spare struct {
	values [2]measured // of icicles and treemap
	ranked []float64
	pkgs   packages
}

// fillKey is what the colours of cells, or of calls, outside of any focus depend on.
type fillKey struct {
	made     int // how often the geometry was made anew
	coloured bool
	scale    Scale
	pal      *palette.Structure
}

// rest reports whether what is not in focus is coloured.
func (b *builder) rest() bool {
	return b.v.Focus.Mode == Whole || b.st.Linking == OutsideFocus
}

// inks finds what the two pictures are coloured by: over the focus, or over all cells if the rest
// is coloured.
func (b *builder) inks() {
	st, m, sp := b.st, &b.a.focus, &b.a.spare
	for k, colour := range [2]Colour{st.Icicles.of(st.Tree), st.Treemap.of(st.Tree)} {
		if k == 1 && colour == b.ink[0].Colour {
			b.ink[1] = b.ink[0]
			break
		}
		values := &sp.values[k]
		values.measure(st.Tree, colour)
		in := &b.ink[k]
		*in = ink{values: values.values, pal: b.pal, pkgs: &sp.pkgs}
		switch {
		case colour.Metric == ByPackage:
			in.Scale = Scale{Colour: colour}
		case b.rest():
			in.Scale = b.scaleFor(k, structure.None, values, b.a.cells.drawn)
		case b.v.Focus.Mode == Subtree:
			from, to := b.a.cells.span(b.v.Focus.Subtree)
			in.Scale = b.scaleFor(k, b.v.Focus.Subtree, values, b.a.cells.drawn[from:to])
		default:
			in.Scale, sp.ranked = values.scaleOf(m.nodes, sp.ranked)
		}
	}
	b.v.IcicleScale, b.v.TreemapScale = b.ink[0].Scale, b.ink[1].Scale
}

// scaleFor returns the scale of picture k over the cells of a subtree, or all of them for None,
// which it remembers: it does not change while the pointer moves in a subtree.
func (b *builder) scaleFor(k, root int, values *measured, nodes []int32) Scale {
	c := &b.a.cells
	s := &c.known[k]
	if s.laidOut != c.laidOut || s.root != root || s.scale.Colour != values.colour {
		*s = knownScale{laidOut: c.laidOut, root: root}
		s.scale, b.a.spare.ranked = values.scaleOf(nodes, b.a.spare.ranked)
	}
	return s.scale
}

// knownScale is a scale over the cells of a subtree.
type knownScale struct {
	laidOut, root int
	scale         Scale
}

// count counts a cell for the legend, if it has data.
func (b *builder) count(in *ink, node int) {
	if v := in.values[node]; in.Metric == ByPackage && v == v {
		in.pkgs.note(node)
	}
}

// stack draws the stacks of a side over the treemap.
func (b *builder) stack(side int) {
	x, h := &b.a.stacks[side], &b.v.Sides[side]
	b.tint(x)
	l := b.v.Scene.Layer(h.Drawing.View)
	l.Quads = append(l.Quads, x.heads...)
	l.Quads = slices.Grow(l.Quads, len(x.shapes))
	for i, part := range b.a.focus.lots[side] {
		if part != outside {
			b.shape(l, side, i, part)
			continue
		}
		q := *x.shapes[i].quad
		q.Fill = x.tints[i]
		l.Quads = append(l.Quads, q)
	}
	if b.rest() {
		b.v.Absent = b.v.Absent || x.absent
		if b.ink[0].Metric == ByPackage {
			b.countShapes(side)
		}
	}
	l.Texts = append(l.Texts, x.base.Layers[0].Texts...)
}

// countShapes counts a side's shapes outside the focus for the legend.
func (b *builder) countShapes(side int) {
	for i, part := range b.a.focus.lots[side] {
		if n := b.a.stacks[side].shapes[i].node; part == outside && n >= 0 {
			b.count(&b.ink[0], int(n))
		}
	}
}

// tint gives the shapes the colours that they have outside the focus, unless they have them
// already.
func (b *builder) tint(x *stacks) {
	k := fillKey{x.drawn, b.rest(), b.ink[0].Scale, b.pal}
	if !k.coloured {
		k.scale = Scale{}
	}
	if x.tinted == k {
		return
	}
	x.tinted, x.absent, x.tints = k, false, x.tints[:0]
	for i := range x.shapes {
		x.tints = append(x.tints, b.outsideFill(x, &x.shapes[i]))
	}
}

// outsideFill returns the colour of a shape that is not in focus.
func (b *builder) outsideFill(x *stacks, s *shape) color.NRGBA {
	fill := b.pal.Call
	if b.rest() {
		ok := false
		if s.node >= 0 {
			fill, ok = b.ink[0].of(int(s.node))
		}
		if !ok {
			fill, x.absent = b.pal.Absent, true
		}
	}
	if s.run {
		fill = palette.Mix(fill, b.st.Palette.Pane, .3)
	}
	return b.pal.Over(fill)
}

// shape draws a call or a box of a run in the colour that the focus gives it.
func (b *builder) shape(l *scene.Layer, side, i int, part lot) {
	x := &b.a.stacks[side]
	s, q := &x.shapes[i], *x.shapes[i].quad
	switch {
	case b.st.Linking == OutsideFocus && part == inside:
		q.Fill = b.pal.FocusCall
	case b.st.Linking == OutsideFocus:
		q.Fill = palette.WithAlpha(b.pal.FocusCall, 0xd8)
	default:
		q.Fill = b.focusFill(side, s, part)
	}
	if part == inside || b.v.Focus.Mode == Subtree {
		b.glide(l, &q, side)
		return
	}
	l.Quads = append(l.Quads, q)
}

// focusFill returns the colour of a shape in focus, or that the focus is mapped to.
func (b *builder) focusFill(side int, s *shape, part lot) color.NRGBA {
	fill, ok := b.pal.Blank, false
	if s.node >= 0 {
		fill, ok = b.ink[0].of(int(s.node))
	}
	if !ok {
		b.v.Blank = true
		return b.pal.Blank
	}
	b.count(&b.ink[0], int(s.node))
	if part == image {
		if b.v.Focus.Mode == Subtree {
			return fill
		}
		return b.pal.Over(fill)
	}
	strength := float32(0)
	for k := range b.a.focus.paths {
		p := &b.a.focus.paths[k]
		if p.side == side && p.has(b.st.Sides[side].Trace.Threads[s.thread], s) {
			strength = max(strength, p.fade(s.level))
		}
	}
	return palette.Fade(fill, strength)
}

// glide draws a shape as a cushion that is brightest at the pointer: cut there, each part is dark
// at its far end. Beside the pointer, the near end is the brightest.
func (b *builder) glide(l *scene.Layer, q *scene.Quad, side int) {
	r := q.Rect
	x0, whole := r.X0, r.W()
	if d := q.U1 - q.U0; d > 0 {
		whole /= d
		x0 -= q.U0 * whole
	}
	x1 := x0 + whole
	at := min(max(b.light, x0), x1)
	piece := func(from, to, dark float32) {
		p := *q
		p.Rect.X0, p.Rect.X1 = max(from, r.X0), min(to, r.X1)
		if p.Rect.X1 <= p.Rect.X0 || at == dark {
			return
		}
		p.U0, p.U1 = (p.Rect.X0-dark)/(at-dark), (p.Rect.X1-dark)/(at-dark)
		if p.Shade = scene.Glide; side == B {
			p.Shade = scene.GlideUp
		}
		l.Quads = append(l.Quads, p)
	}
	before := len(l.Quads)
	piece(x0, at, x0)
	piece(at, x1, x1)
	if len(l.Quads) == before { // not wide at all
		l.Quads = append(l.Quads, *q)
	}
}

// Pick returns what the pointer would be on at p: with the icicles as input target the call drawn
// there, or else the cell of the treemap; with the treemap always the cell. Hit.Node is set in any
// case.
func (v *View) Pick(p geom.Point) (Hit, bool) {
	if v.Treemap.Empty() {
		return Hit{Side: -1, Node: structure.None}, false
	}
	if v.st.Input == Icicles {
		for s := range v.Sides {
			if d := v.Sides[s].Drawing; d != nil {
				if hit, ok := d.Pick(p); ok && hit.Call >= 0 {
					return Hit{s, hit, int(v.a.stacks[s].nodeOf(hit.Thread, hit.Call))}, true
				}
			}
		}
	}
	node := v.a.cells.at(p)
	return Hit{Side: -1, Node: node}, node != structure.None
}
