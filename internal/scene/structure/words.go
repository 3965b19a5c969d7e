package structure

import (
	"image/color"
	"math"
	"slices"
	"strings"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/structure"
	"diptych/internal/typeface"
)

// This file writes names into the treemap. Texts lie over all shapes, so a name may only be where
// no stack is, and where no other name is. A name that does not fit at the upper left of its cell
// goes to the right or further down in it. Names that do not depend on the pointer are kept.

// wordsKey is what the kept names depend on.
type wordsKey struct {
	laidOut int
	drawn   [2]int
	palette palette.Palette
}

// words is the kept names, and what of the treemap is taken by stacks and names.
type words struct {
	key   wordsKey
	taken taken
	now   taken // with what is written in this frame
	texts []scene.Text
	under []int32        // by text: the cell that it begins in, as an index into cells.drawn
	named map[int32]bool // the nodes whose names these are
}

// cellPx is the size in dp of what is taken or free as a whole.
const cellPx = 4

// taken tells which parts of a rectangle are taken.
type taken struct {
	rect geom.Rect
	px   float32
	w, h int
	bits []bool
}

func (t *taken) reset(r geom.Rect, px float32) {
	t.rect, t.px = r, px
	t.w, t.h = int(math.Ceil(float64(r.W()/px))), int(math.Ceil(float64(r.H()/px)))
	n := t.w * t.h
	t.bits = slices.Grow(t.bits[:0], n)[:n]
	clear(t.bits)
}

// copyFrom makes t the same as o.
func (t *taken) copyFrom(o *taken) {
	bits := append(t.bits[:0], o.bits...)
	*t = *o
	t.bits = bits
}

// columns returns the columns that [x0, x1) touches, and rows the rows.
func (t *taken) columns(x0, x1 float32) (int, int) {
	return max(0, int((x0-t.rect.X0)/t.px)),
		min(t.w, int(math.Ceil(float64((x1-t.rect.X0)/t.px))))
}

func (t *taken) rows(y0, y1 float32) (int, int) {
	return max(0, int((y0-t.rect.Y0)/t.px)),
		min(t.h, int(math.Ceil(float64((y1-t.rect.Y0)/t.px))))
}

// take takes all of r.
func (t *taken) take(r geom.Rect) {
	if r = r.Intersect(t.rect); r.Empty() {
		return
	}
	x0, x1 := t.columns(r.X0, r.X1)
	y0, y1 := t.rows(r.Y0, r.Y1)
	for y := y0; y < y1; y++ {
		row := t.bits[y*t.w+x0 : y*t.w+x1]
		for i := range row {
			row[i] = true
		}
	}
}

// gap returns the first free stretch of at least so many px within r's width and height, or the
// widest one.
func (t *taken) gap(r geom.Rect, wanted float32) (x0, x1 float32) {
	c0, c1 := t.columns(r.X0, r.X1)
	r0, r1 := t.rows(r.Y0, r.Y1)
	best, bestTo := 0, 0
	from := c0
	for x := c0; x <= c1; x++ {
		if x < c1 && t.isFree(x, r0, r1) {
			continue
		}
		if x-from > bestTo-best {
			best, bestTo = from, x
		}
		if float32(bestTo-best)*t.px >= wanted+t.px {
			break
		}
		from = x + 1
	}
	x0 = max(r.X0, t.rect.X0+float32(best)*t.px)
	return x0, min(r.X1, t.rect.X0+float32(bestTo)*t.px)
}

func (t *taken) isFree(x, r0, r1 int) bool {
	for y := r0; y < r1; y++ {
		if t.bits[y*t.w+x] {
			return false
		}
	}
	return true
}

// write writes the names of cells, which are filled as the quads say.
func (b *builder) write(l *scene.Layer, filled []scene.Quad) {
	w := &b.a.words
	k := wordsKey{laidOut: b.a.cells.laidOut, drawn: b.drawn(), palette: *b.st.Palette}
	if w.key != k {
		w.key = k
		b.writeKept()
	}
	for i, t := range w.texts {
		if k := w.under[i]; k != notBeneath {
			t.Fill = b.legible(t.Fill, filled[k].Fill)
		}
		l.Write(t)
	}
	b.writeImage(l, filled)
}

// shaded is how dark a cushion is at the upper left of a cell, where its name is.
const shaded = .15

// legible returns the ink for a name on a cell of some colour: a quiet one only where that can be
// read.
func (b *builder) legible(ink, fill color.NRGBA) color.NRGBA {
	pal, ground := b.st.Palette, palette.Mix(fill, color.NRGBA{A: 0xff}, shaded)
	return palette.Legible(palette.Legible(ink, pal.Text, ground), pal.OnSide, ground)
}

// writeKept writes the names that do not depend on the pointer: groups, from outer ones on, and
// large cells.
func (b *builder) writeKept() {
	w, c, pal := &b.a.words, &b.a.cells, b.st.Palette
	w.texts, w.under, w.named = w.texts[:0], w.under[:0], map[int32]bool{}
	w.taken.reset(b.v.Treemap, cellPx*b.dp)
	for s := range b.v.Sides {
		if b.v.Sides[s].Drawing == nil {
			continue
		}
		for i := range b.a.stacks[s].shapes {
			w.taken.take(b.a.stacks[s].shown(&b.a.stacks[s].shapes[i]))
		}
		for _, q := range b.a.stacks[s].heads {
			w.taken.take(q.Rect.Intersect(b.v.Sides[s].Drawing.View))
		}
	}
	put := func(n int32, form label) {
		if len(w.texts) < maxNodeNames {
			if t, ok := b.name(&w.taken, int(n), form); ok {
				w.texts, w.named[n] = append(w.texts, t), true
				w.under = append(w.under, c.cellAt(geom.Point{X: t.Rect.X0 + 1, Y: (t.Rect.Y0 + t.Rect.Y1) / 2}))
			}
		}
	}
	quiet := palette.Mix(pal.Text, b.pal.Cell, .12)
	for _, n := range c.bordered {
		put(n, label{ink: pal.Text, bold: true})
	}
	for _, n := range c.open {
		put(n, label{ink: quiet})
	}
	for _, n := range c.drawn {
		if b.bears(c.rects[n]) {
			put(n, label{ink: quiet, whole: c.rects[n].W() < largeCellW*b.dp})
		}
	}
}

// Sizes of cells, dp.
const (
	largeCellW = 90 // from which on a cell bears its name whatever is in focus
	wholeCellW = 44 // from which on it does if the name has room in it
	largeCellH = 34
	imageNames = 80 // cells of the focus that bear their names at most
)

// bears reports whether a cell may bear its name whatever is in focus.
func (b *builder) bears(r geom.Rect) bool {
	return r.W() >= wholeCellW*b.dp && r.H() >= largeCellH*b.dp
}

// writeImage writes the names of cells in focus.
func (b *builder) writeImage(l *scene.Layer, filled []scene.Quad) {
	w, c, m := &b.a.words, &b.a.cells, &b.a.focus
	if len(m.cells) == 0 || len(m.cells) > 20*imageNames {
		return
	}
	w.now.copyFrom(&w.taken)
	n := 0
	for _, k := range m.cells {
		node := int(c.drawn[k])
		r := c.rects[node]
		if w.named[int32(node)] || r.W() >= largeCellW*b.dp && r.H() >= largeCellH*b.dp {
			continue // it has its name, or it has no room for it
		}
		ink := b.legible(b.st.Palette.Text, filled[k].Fill)
		if t, ok := b.name(&w.now, node, label{ink: ink, middle: true}); ok {
			l.Write(t)
			if n++; n == imageNames {
				return
			}
		}
	}
}

// label is how a name is written.
type label struct {
	ink    color.NRGBA
	bold   bool
	middle bool // in the middle of the cell's height first
	whole  bool // not shortened
}

const (
	textSize  = 11
	textRoom  = 14 // height of a line, dp
	mostLines = 12 // that are looked at for a free place, half a line apart,
	moreLines = 40 // and then a whole one, so that a group has a name, if a short one
	leastText = 30 // width of a name that is cut, dp
	nameGap   = 6  // after a name, dp
)

// name finds a place for a node's name in its cell.
func (b *builder) name(t *taken, node int, form label) (scene.Text, bool) {
	r := b.a.cells.rects[node]
	r = r.Intersect(b.v.Treemap).Inset(2 * b.dp)
	if r.W() < leastLabelW*b.dp || r.H() < leastLabelH*b.dp {
		return scene.Text{}, false
	}
	name := b.nameOf(node, form.bold)
	size, room := textSize*b.dp, min(textRoom*b.dp, r.H())
	wanted := typeface.Width(name, size, form.bold) + 2
	start := r.Y0
	if form.middle {
		start = max(r.Y0, (r.Y0+r.Y1-room)/2)
	}
	var best geom.Rect
	lines := mostLines
	if form.bold {
		lines += moreLines
	}
	for i := range lines {
		y := start + float32(i+max(0, i-mostLines))*room/2
		if y+room > r.Y1+.5 || i >= mostLines && best.W() >= leastText*b.dp {
			break
		}
		line := geom.Rect{X0: r.X0, X1: r.X1, Y0: y, Y1: y + room}
		line.X0, line.X1 = t.gap(line, wanted)
		if line.W() > best.W() {
			best = line
		}
		if best.W() >= wanted {
			break
		}
	}
	return b.nameAt(t, node, name, best, form)
}

// nameAt writes a name into a free line, shortened if it has to be.
func (b *builder) nameAt(t *taken, node int, name string, line geom.Rect, form label) (
	scene.Text, bool) {
	size := textSize * b.dp
	text := name
	if typeface.Width(name, size, form.bold) > line.W() {
		if line.W() < leastText*b.dp || form.whole {
			return scene.Text{}, false
		}
		text = shorten(name, b.st.Tree.Nodes[node].Kind, line.W(), size, form.bold)
	}
	if text == "" {
		return scene.Text{}, false
	}
	line.X1 = min(line.X1, line.X0+typeface.Width(text, size, form.bold)+1)
	t.take(geom.Rect{X0: line.X0, X1: line.X1 + nameGap*b.dp, Y0: line.Y0, Y1: line.Y1})
	return scene.Text{Rect: line, Text: text, Fill: form.ink, Size: size, Bold: form.bold}, true
}

// nameOf returns what to call a node: in the top level its full name, elsewhere that within its
// parent.
func (b *builder) nameOf(node int, full bool) string {
	t := b.st.Tree
	if !full {
		return t.Label(node)
	}
	return t.NameIn(b.root(), t.ChainEnd(node))
}

// shorten takes the outermost parts off a name until it fits, and then cuts it.
func shorten(name string, kind structure.Kind, width, size float32, bold bool) string {
	if kind == structure.Function {
		return typeface.Shorten(name, width, size, bold)
	}
	for typeface.Width(name, size, bold) > width {
		i := strings.IndexByte(name, '/')
		if k := strings.Index(name, "::"); k >= 0 && (i < 0 || k < i) {
			i = k + 1
		}
		if i < 0 {
			break
		}
		name = name[i+1:]
	}
	if bold {
		size *= 1.08 // bold letters are wider than those that Clip measures
	}
	return typeface.Clip(name, width, size)
}
