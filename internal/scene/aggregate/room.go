package aggregate

import (
	"slices"

	"diptych/internal/aggregate"
	"diptych/internal/geom"
	"diptych/internal/typeface"
)

// Measures in dp.
const (
	sideRoom   = 46  // left of everything, for the badges
	noteRoom   = 92  // the same with notes below the badges
	noteLeast  = 640 // least width of a view with notes
	margin     = 14  // right of the grids
	axisRoom   = 22
	plotGap    = 10
	edge       = 2  // the line at the top of a grid
	mostRow    = 64 // greatest height of a leaf's row
	foldRow    = 17 // height of a node that is folded by hand
	labelRow   = 12 // least height of a row with a name
	countRow   = 27 // least height of a row with a name and a number below it
	bracket    = 7  // between names and what is right of them
	mostColumn = 150
	leastWide  = 40 // least width of a grid
	leastHigh  = 5  // least height of a grid

	textSize   = 11
	badge      = 18
	labelShare = .30 // of the view's width that all names have at most
	columns    = 3   // of names, one a level of the tree; deeper levels share the last one
)

// grid is what is known of a plot's geometry from one frame to the next.
type grid struct {
	key    gridKey
	folded []string // as in State
	rows   *rows
	areas  []Area
	names  []name
	// nameless counts the nodes of the outermost level whose rows are too low for a name, as are
	// those of all nodes below them.
	nameless int
}

// gridKey is what the areas and names of a plot depend on, besides what is folded.
type gridKey struct {
	picture *Picture
	height  float32
	dp      float32
	least   float32
}

// name is the name of a node that has room beside its rows.
type name struct {
	node, column int
	text, count  string
}

// place gives all plots their places and reports whether there is room.
func (b *builder) place(size geom.Size) bool {
	n := float32(len(b.st.Plots))
	if n == 0 || b.st.Palette == nil {
		return false
	}
	heights := b.heights(size.H - plotGap*b.dp*(n-1) - axisRoom*b.dp*n)
	var widths [columns]float32
	for k := range b.st.Plots {
		g := &b.a.grids[k]
		if b.renew(g, &b.st.Plots[k], heights[k]); g.key.picture == nil {
			continue
		}
		for _, x := range g.names {
			widths[x.column] = max(widths[x.column], b.width(&x, g))
		}
	}
	left, edges := b.divide(widths, size.W)
	if size.W-left-margin*b.dp < leastWide*b.dp || slices.Min(heights) < leastHigh*b.dp {
		return false
	}
	y := float32(0)
	for k := range b.st.Plots {
		p, g := &b.st.Plots[k], &b.a.grids[k]
		out := Grid{Of: p.Of, grid: g}
		out.Plot = geom.Rect{X0: left, X1: size.W - margin*b.dp, Y0: y + axisRoom*b.dp,
			Y1: y + axisRoom*b.dp + heights[k]}
		out.Bounds = geom.Rect{X1: size.W, Y0: y, Y1: out.Plot.Y1}
		out.Axis = geom.Axis{Span: p.Span, X0: out.Plot.X0, X1: out.Plot.X1}
		b.label(&out, edges)
		b.v.Plots = append(b.v.Plots, out)
		y = out.Plot.Y1 + plotGap*b.dp
	}
	return true
}

// heights divides what all plots have together in proportion to their leaves, so that rows are
// equally high, but for plots that would be less than half as high as the mean. No plot is higher
// than rows of mostRow for all leaves would be.
func (b *builder) heights(all float32) (list []float32) {
	n := float32(len(b.st.Plots))
	weights, sum := make([]float32, len(b.st.Plots)), float32(0)
	for k := range weights {
		weights[k] = float32(b.st.Plots[k].leaves())
		sum += weights[k]
	}
	least, rest := sum/n/2, float32(0)
	for k := range weights {
		weights[k] = max(weights[k], least, 1)
		rest += weights[k]
	}
	for k, w := range weights {
		list = append(list, min(all*w/rest, mostRow*b.dp*float32(max(b.st.Plots[k].leaves(), 1))))
	}
	return list
}

// leaves returns how many leaves a plot has.
func (p *Plot) leaves() int {
	if p.Picture == nil {
		return 0
	}
	return p.Picture.Source.Tree().Leaves
}

// renew finds the rows, areas and names of a plot anew if what they depend on has changed. Rows
// begin at 0.
func (b *builder) renew(g *grid, p *Plot, height float32) {
	if p.Picture == nil || p.Picture.Source.Tree().Leaves == 0 {
		*g = grid{}
		return
	}
	t := p.Picture.Source.Tree()
	least := b.st.Least
	if least <= 0 {
		least = 3
	}
	k := gridKey{picture: p.Picture, height: height, dp: b.dp, least: least}
	if g.key == k && slices.Equal(g.folded, b.st.Folded) {
		return
	}
	r := layOut(t, height, foldRow*b.dp, least*b.dp, b.st.Folded)
	names := namesOf(t, r, b.dp)
	*g = grid{key: k, folded: slices.Clone(b.st.Folded), rows: r, areas: areasOf(p.Picture, r),
		names: names, nameless: namelessOf(t, names)}
}

// divide returns where the grids begin, and where each column of names ends.
func (b *builder) divide(widths [columns]float32, width float32) (left float32,
	edges [columns + 1]float32) {
	edges[0] = sideRoom * b.dp
	if width >= noteLeast*b.dp {
		edges[0] = noteRoom * b.dp
	}
	sum := float32(0)
	for i := range widths {
		if widths[i] > 0 {
			widths[i] = min(widths[i], mostColumn*b.dp) + bracket*b.dp
		}
		sum += widths[i]
	}
	scale := float32(1)
	if most := labelShare * width; sum > most {
		scale = most / sum
	}
	for i, w := range widths {
		edges[i+1] = edges[i] + w*scale
	}
	return float32(int(edges[columns])), edges
}

// namesOf lists the nodes whose names have room. In the last column the innermost nodes are named.
func namesOf(t *aggregate.Tree, r *rows, dp float32) (out []name) {
	named := make([]bool, len(t.Nodes)) // by node: it or something below it has a name
	skip := 0
	var list []int
	for i := 1; i < len(t.Nodes); i++ {
		if i < skip {
			continue
		}
		if r.height(leaves(t, i)) < labelRow*dp {
			skip = i + int(t.Nodes[i].Size)
			continue
		}
		if list = append(list, i); r.fold[i] {
			skip = i + int(t.Nodes[i].Size)
		}
	}
	for _, i := range slices.Backward(list) {
		n := &t.Nodes[i]
		column := min(len(n.Path), columns) - 1
		if column == columns-1 && named[i] {
			named[n.Parent] = true
			continue
		}
		x := name{node: i, column: column, text: n.Path[len(n.Path)-1]}
		if n.Leaf == aggregate.None {
			x.count = geom.FormatCount(uint64(n.To - n.From))
		}
		named[n.Parent] = named[n.Parent] || column == columns-1
		out = append(out, x)
	}
	slices.Reverse(out)
	return out
}

// namelessOf counts the nodes of the outermost level that have no name, nor has any node below.
func namelessOf(t *aggregate.Tree, names []name) (n int) {
	for i := 1; i < len(t.Nodes); i += int(t.Nodes[i].Size) {
		end := i + int(t.Nodes[i].Size)
		if len(names) > 0 && names[0].node < end {
			for len(names) > 0 && names[0].node < end {
				names = names[1:]
			}
			continue
		}
		n++
	}
	return n
}

// prefix is what stands before the name of an inner node: whether a click folds or unfolds it, and
// how many leaves are folded.
func (x *name) prefix(g *grid) string {
	switch {
	case x.count == "":
		return ""
	case g.rows.fold[x.node]:
		return "+ " + x.count + " "
	}
	return "− "
}

// below is what stands below the name of an inner node, if its rows are high enough: how many
// leaves it has.
func (b *builder) below(x *name, g *grid) string {
	rows := leaves(g.key.picture.Source.Tree(), x.node)
	if x.count == "" || g.rows.fold[x.node] || g.rows.height(rows) < countRow*b.dp {
		return ""
	}
	return x.count + " " + b.st.Leaf
}

// width returns how wide a name is with what stands below it.
func (b *builder) width(x *name, g *grid) float32 {
	size := textSize * b.dp
	return max(typeface.Width(x.prefix(g)+x.text, size, x.count != ""),
		typeface.Width(b.below(x, g), size, false)) + 2*b.dp
}

// label places the names of a plot and writes them.
func (b *builder) label(out *Grid, edges [columns + 1]float32) {
	g, pal := out.grid, b.st.Palette
	if g.rows == nil {
		return
	}
	l := b.v.Scene.Layer(geom.Rect{})
	t := g.key.picture.Source.Tree()
	texts := b.texts(g, edges)
	for i := range g.names {
		x := &g.names[i]
		at := leaves(t, x.node)
		r := geom.Rect{X0: edges[x.column], X1: edges[x.column+1] - bracket*b.dp,
			Y0: out.Plot.Y0 + g.rows.top[at[0]], Y1: out.Plot.Y0 + g.rows.top[at[1]]}
		if x.count != "" { // a bracket around the rows of the node
			line := geom.Rect{X0: r.X1 + 3*b.dp, X1: r.X1 + 4*b.dp, Y0: r.Y0 + b.dp, Y1: r.Y1 - b.dp}
			l.Fill(line, pal.Line)
			out.Labels = append(out.Labels, Label{Rect: r, Node: x.node, Folded: g.rows.fold[x.node]})
		}
		b.name(l, x, texts[i], g, r)
	}
	b.tellNameless(l, out)
}

// tellNameless says above the names how many more there are, in as many words as there is room for.
func (b *builder) tellNameless(l *layer, out *Grid) {
	if out.grid.nameless == 0 {
		return
	}
	size, bottom := textSize*b.dp, out.Plot.Y0-(edge+1)*b.dp
	from, to := badge*b.dp, out.Plot.X0-bracket*b.dp
	list := []string{" more, too low for names", " more unnamed", " more"}
	if len(out.grid.names) == 0 {
		list = []string{" rows, too low for names", " unnamed"}
	}
	for _, words := range list {
		text := geom.FormatCount(uint64(out.grid.nameless)) + words
		if w := typeface.Width(text, size, false); w <= to-from {
			write(l, geom.Rect{X0: to - w, X1: to, Y0: bottom - labelRow*b.dp, Y1: bottom}, text,
				b.st.Palette.Secondary, size, false)
			return
		}
	}
}

// texts returns the names of a plot as they fit into their columns. Of two in one column that would
// read alike, what tells them apart stays:
//
//	thread 3113936 (python3.8), thread 3126441 (python3.8)   thread 3113…, thread 3126…
func (b *builder) texts(g *grid, edges [columns + 1]float32) []string {
	type place struct {
		column int
		text   string
	}
	out, size := make([]string, len(g.names)), textSize*b.dp
	room := func(x *name) float32 {
		return edges[x.column+1] - bracket*b.dp - edges[x.column] -
			typeface.Width(x.prefix(g), size, x.count != "")
	}
	apart := func(x, y *name) string {
		return typeface.Differing(x.text, y.text, room(x), size, x.count != "")
	}
	first := make(map[place]int, len(g.names)) // that reads so
	for i := range g.names {
		x := &g.names[i]
		out[i] = typeface.Shorten(x.text, room(x), size, x.count != "")
		at := place{x.column, out[i]}
		k, again := first[at]
		switch {
		case !again:
			first[at] = i
		case out[i] != "" && g.names[k].text != x.text:
			out[i], out[k] = apart(x, &g.names[k]), apart(&g.names[k], x)
		}
	}
	return out
}

// name writes a name, of which text fits, in the middle of its rows, and how many leaves there are
// below it.
func (b *builder) name(l *layer, x *name, text string, g *grid, r geom.Rect) {
	pal, size := b.st.Palette, textSize*b.dp
	bold := x.count != ""
	if text == "" {
		return
	}
	mid, half, below := (r.Y0+r.Y1)/2, labelRow/2*b.dp, b.below(x, g)
	two := below != "" && typeface.Width(below, size, false) <= r.W()
	if two {
		mid -= half
	}
	ink := pal.Secondary
	if bold {
		ink = pal.Text
	}
	write(l, geom.Rect{X0: r.X0, X1: r.X1, Y0: mid - half, Y1: mid + half}, x.prefix(g)+text, ink, size,
		bold)
	if two {
		write(l, geom.Rect{X0: r.X0, X1: r.X1, Y0: mid + half, Y1: mid + 3*half}, below, pal.Secondary,
			size, false)
	}
}
