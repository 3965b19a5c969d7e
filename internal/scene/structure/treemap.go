package structure

import (
	"image/color"
	"slices"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/structure"
)

// This file lays out the treemap and draws it. The parts that do not depend on the pointer are
// kept.
//
// A node is open if its children can be told apart; otherwise it is one cell. Each node but the
// root and those that another stands for (Tree.ChainEnd) multiplies the cells beneath it by its
// luminance. These quads are drawn as they are kept, frame after frame.

const (
	leastOpen    = 3  // width and height from which on a node is open and has a cushion, px
	leastBorder  = 12 // width and height from which on a node has a border, dp
	bigGroup     = .3 // share of all functions from which on a group's children have borders
	leastLabelW  = 22 // width from which on it is tried to write a name into a cell, dp
	leastLabelH  = 13 // height likewise
	notBeneath   = -1
	maxNodeNames = 640
)

// cellsKey is what a layout depends on.
type cellsKey struct {
	tree   *structure.Tree
	root   int
	area   structure.Area
	rect   geom.Rect
	middle bool
	dp     float32
	border color.NRGBA
}

// cells is the treemap laid out.
type cells struct {
	key      cellsKey
	rects    []geom.Rect // by node; empty if not shown
	drawn    []int32     // nodes that are a cell, in pre-order
	by       []int32     // by node: the index in drawn of the cell that it is in, or notBeneath
	level    []int16     // by node: how many nested cells cover it, the root left out
	bordered []int32     // nodes with a border
	open     []int32     // other open nodes, outer ones first
	cushions []scene.Quad
	laidOut  int // how often it was laid out anew
	filled   filled
	focused  focused
	known    [2]knownScale // of icicles and treemap
}

// layOut lays the treemap out, unless that is done already.
func (c *cells) layOut(k cellsKey) {
	if c.key == k {
		return
	}
	*c = cells{key: k, laidOut: c.laidOut + 1, filled: filled{quads: c.filled.quads}, drawn: c.drawn[:0], by: c.by[:0], level: c.level[:0],
		bordered: c.bordered[:0], open: c.open[:0], cushions: c.cushions[:0]}
	c.rects = k.tree.Rects(structure.Layout{Root: k.root, Rect: k.rect, Area: k.area,
		Middle: k.middle})
	n := len(k.tree.Nodes)
	c.by = append(c.by, slices.Repeat([]int32{notBeneath}, n)...)
	c.level = append(c.level, make([]int16, n)...)
	c.nest()
	c.border()
	slices.SortStableFunc(c.open, func(x, y int32) int { return int(c.level[x]) - int(c.level[y]) })
}

// nest finds the cells and makes the cushions, in pre-order.
func (c *cells) nest() {
	nodes := c.key.tree.Nodes
	end := c.key.root + int(nodes[c.key.root].Size)
	for i := c.key.root; i < end; {
		n, r := &nodes[i], c.rects[i]
		if r.Empty() {
			i += int(n.Size)
			continue
		}
		wide := r.W() >= leastOpen && r.H() >= leastOpen
		if i > c.key.root {
			c.level[i] = c.level[n.Parent]
			if !c.chained(i) {
				c.level[i]++
			}
			if wide && c.level[i] > 0 && !c.chained(i) {
				c.cushions = append(c.cushions, scene.Quad{Rect: r, Shade: scene.Nested,
					Line: float32(c.level[i]), U1: 1})
			}
		}
		if wide && !n.IsLeaf() {
			if !c.chained(i) && i > c.key.root {
				c.open = append(c.open, int32(i))
			}
			i++
			continue
		}
		for k := i; k < i+int(n.Size); k++ {
			c.by[k] = int32(len(c.drawn))
		}
		c.drawn = append(c.drawn, int32(i))
		i += int(n.Size)
	}
}

// chained reports whether a node is shown as one with its parent. A parent that fills the pane
// counts as a node of its own.
func (c *cells) chained(i int) bool {
	n := &c.key.tree.Nodes[i]
	p := n.Parent
	return n.Kind != structure.Function && p > 0 && int(p) != c.key.root &&
		c.key.tree.Nodes[p].Size == n.Size+1
}

// border finds the nodes of the top level, and those in big groups, and draws lines around them.
func (c *cells) border() {
	t, dp := c.key.tree, c.key.dp
	whole := float64(t.Nodes[c.key.root].Functions)
	group := map[int32]bool{int32(c.key.root): true}
	var inner []int32
	for _, i := range c.open {
		n, r := &t.Nodes[i], c.rects[i]
		if !group[c.outer(i)] || min(r.W(), r.H()) < leastBorder*dp {
			inner = append(inner, i)
			continue
		}
		if float64(n.Functions) > bigGroup*whole {
			group[i] = true
		}
		c.bordered = append(c.bordered, i)
	}
	c.open = inner
	for _, i := range c.drawn { // such as a file of the top level that is drawn as one cell
		if r := c.rects[i]; c.outer(i) == int32(c.key.root) && min(r.W(), r.H()) >= leastBorder*dp {
			c.bordered = append(c.bordered, i)
		}
	}
	for _, i := range c.bordered {
		c.cushions = append(c.cushions, scene.Quad{Rect: c.rects[i], Fill: c.key.border,
			Shade: scene.Outline, Line: dp, U1: 1})
	}
}

// outer returns the node around a node, past those that are shown as one with it.
func (c *cells) outer(i int32) int32 {
	p := c.key.tree.Nodes[i].Parent
	for p > 0 && int(p) != c.key.root && c.chained(int(p)) {
		p = c.key.tree.Nodes[p].Parent
	}
	return p
}

// at returns the drawn node at p, or structure.None.
func (c *cells) at(p geom.Point) int {
	t := c.key.tree
	if t == nil || !c.rects[c.key.root].Contains(p) {
		return structure.None
	}
	node := c.key.root
	for c.by[node] == notBeneath {
		next := structure.None
		t.Children(node, func(child int) bool {
			if c.rects[child].Contains(p) {
				next = child
			}
			return next == structure.None
		})
		if next == structure.None {
			return structure.None
		}
		node = next
	}
	return node
}

// cellAt returns the cell at p as an index into drawn, notBeneath if there is none.
func (c *cells) cellAt(p geom.Point) int32 {
	if node := c.at(p); node >= 0 {
		return c.by[node]
	}
	return notBeneath
}

// shownRect returns the rectangle of a node, or of the cell that it is in.
func (c *cells) shownRect(node int) geom.Rect {
	if node < 0 || node >= len(c.by) {
		return geom.Rect{}
	}
	if k := c.by[node]; k != notBeneath {
		node = int(c.drawn[k])
	}
	return c.rects[node]
}

// filled is the cells in their colours as they are outside of any focus.
type filled struct {
	key   fillKey
	quads []scene.Quad
	empty bool // some cells have no data
}

// treemap draws the cells and their cushions.
func (b *builder) treemap() {
	c, m := &b.a.cells, &b.a.focus
	b.fill()
	l := b.v.Scene.Layer(b.v.Treemap)
	l.Quads = append(l.Quads, c.filled.quads...)
	filled := l.Quads
	if b.v.Focus.Mode == Subtree && b.st.Linking == InFocus {
		b.fillSubtree(l.Quads)
	} else {
		for _, k := range m.cells {
			l.Quads[k].Fill = b.imageFill(int(c.drawn[k]))
		}
	}
	b.v.Absent = b.v.Absent || c.filled.empty

	l = b.v.Scene.Layer(b.v.Treemap)
	l.Quads = c.cushions[:len(c.cushions):len(c.cushions)]

	l = b.v.Scene.Layer(b.v.Treemap)
	if b.st.Linking == OutsideFocus && b.v.Focus.Mode != Whole {
		for _, k := range m.cells {
			if r := c.rects[c.drawn[k]]; min(r.W(), r.H()) >= leastDash*b.dp {
				l.Quads = append(l.Quads, scene.Quad{Rect: r, Fill: b.pal.Dash,
					Shade: scene.Dashed, Line: b.dp, U1: 1})
			}
		}
	}
	b.write(l, filled)
}

// leastDash is the width and height from which on a cell has a dashed border, dp.
const leastDash = 8

// fill fills the cells with their colours outside of any focus, unless they are filled already.
func (b *builder) fill() {
	c, in := &b.a.cells, &b.ink[1]
	k := fillKey{c.laidOut, b.rest(), in.Scale, b.pal}
	if !k.coloured {
		k.scale = Scale{Colour: in.Colour}
	}
	if c.filled.key == k {
		return
	}
	c.filled.key, c.filled.empty = k, false
	c.filled.quads = c.filled.quads[:0]
	for _, n := range c.drawn {
		fill := b.pal.Cell
		own, ok := in.of(int(n))
		switch {
		case !ok:
			fill, c.filled.empty = b.pal.Absent, true
		case k.coloured:
			fill = own
		}
		c.filled.quads = append(c.filled.quads, scene.Quad{Rect: c.rects[n], Fill: fill, U1: 1})
	}
}

// imageFill returns the colour of a cell that the focus is mapped to.
func (b *builder) imageFill(node int) color.NRGBA {
	if b.st.Linking == OutsideFocus {
		return b.pal.FocusCell
	}
	fill, ok := b.ink[1].of(node)
	if !ok {
		b.v.Blank = true
		return b.pal.Blank
	}
	b.count(&b.ink[1], node)
	return fill
}

// fillSubtree gives the cells of the subtree in focus their colours. Saturation falls with the
// levels from the node under the pointer up to the innermost node around it that a cell lies in.
func (b *builder) fillSubtree(quads []scene.Quad) {
	c, f, nodes := &b.a.cells, &b.v.Focus, b.st.Tree.Nodes
	b.subtreeFills()
	levels := float32(max(1, nodes[f.Node].Depth-nodes[f.Subtree].Depth))
	first, _ := c.span(f.Subtree)
	from, to := 0, 0 // the cells that are done
	for n, up := f.Node, float32(0); ; n, up = int(nodes[n].Parent), up+1 {
		lo, hi := c.span(n)
		for k := lo; k < hi; k++ {
			if k == from {
				if k = to; k >= hi {
					break
				}
			}
			quads[k].Fill = palette.Fade(c.focused.fills[k-first], 1-up/levels)
		}
		if from, to = lo, hi; n == f.Subtree {
			return
		}
	}
}

// focused is the cells of the subtree in focus in their full colours.
type focused struct {
	key   fillKey
	root  int
	fills []color.NRGBA
	blank bool // some have no data
}

// subtreeFills finds the full colours of the subtree in focus, unless it has them already.
func (b *builder) subtreeFills() {
	c, root := &b.a.cells, b.v.Focus.Subtree
	from, to := c.span(root)
	k := fillKey{c.laidOut, true, b.ink[1].Scale, b.pal}
	if x := &c.focused; x.key != k || x.root != root {
		x.key, x.root, x.fills, x.blank = k, root, x.fills[:0], false
		for _, n := range c.drawn[from:to] {
			fill, ok := b.ink[1].of(int(n))
			if !ok {
				fill, x.blank = b.pal.Blank, true
			}
			x.fills = append(x.fills, fill)
		}
	}
	b.v.Blank = b.v.Blank || c.focused.blank
	for _, n := range c.drawn[from:to] {
		b.count(&b.ink[1], int(n))
	}
}

// NodeRect returns where a node's cell lies; it is empty if the treemap does not show it. A node
// that is too small to be drawn has the rectangle of the one drawn in its place.
func (v *View) NodeRect(node int) geom.Rect {
	if v.Treemap.Empty() {
		return geom.Rect{}
	}
	return v.a.cells.shownRect(node)
}
