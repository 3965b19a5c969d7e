package structure

import (
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/scene/icicle"
	"diptych/internal/typeface"
)

// This file gives all parts their place, and draws what is around them: axes, badges, scroll bars.

// Measures in dp.
const (
	gutter    = 36 // left of the treemap, for the badges
	margin    = 12 // right of it
	axisRoom  = 22
	rowHeight = 18
	labelRow  = 13 // least height of a row that bears labels
	headRoom  = 17
	trackGap  = 4
	edge      = 2  // the coloured line at a side's root edge
	middle    = 12 // least free space between the sides' stacks
	badge     = 18
	tickRoom  = 96 // least distance between two ticks
	strip     = 4  // greatest height of a folded level
	maxLabels = 240

	stripShare = .25 // of a half's height that all strips have at most
)

type builder struct {
	st  *State
	v   *View
	a   *Arena
	pal *palette.Structure
	dp  float32

	ink   [2]ink  // of icicles and treemap
	light float32 // x of the pointer, where calls in focus are brightest
}

// Build draws the view. A may be nil; with one, the View is valid until the arena's next Build.
func Build(st *State, size geom.Size, a *Arena) *View {
	if a == nil {
		a = &Arena{}
	}
	a.scene.Reset(size)
	v := &View{Scene: &a.scene, st: st, a: a}
	v.Focus.Node, v.Focus.Subtree = -1, -1
	b := builder{st: st, v: v, a: a, dp: st.Scale}
	if b.dp <= 0 {
		b.dp = 1
	}
	if st.Tree == nil || st.Palette == nil || !b.place(size) {
		return v
	}
	b.pal = st.Palette.Structure()
	b.a.cells.layOut(cellsKey{st.Tree, b.root(), st.Area, v.Treemap, b.both(), b.dp, b.pal.Border})
	for k := range v.Sides {
		if !v.Sides[k].Icicle.Empty() {
			b.draw(k)
		}
	}
	b.a.spare.pkgs.forTree(st.Tree, b.pal)
	b.focus()
	b.lighten()
	b.inks()
	b.treemap()
	for k := range v.Sides {
		if v.Sides[k].Drawing != nil {
			b.stack(k)
		}
	}
	v.Packages = b.a.spare.pkgs.top()
	b.outlines()
	for k := range v.Sides {
		if !v.Sides[k].Icicle.Empty() {
			b.axis(k)
		}
	}
	return v
}

// root returns the node that fills the pane.
func (b *builder) root() int {
	if b.st.Root <= 0 || b.st.Root >= len(b.st.Tree.Nodes) {
		return 0
	}
	return b.st.Root
}

// both reports whether two traces face each other.
func (b *builder) both() bool {
	return b.st.Sides[A].Trace != nil && b.st.Sides[B].Trace != nil
}

// place gives the treemap and the stacks over it their places, and reports whether there is room.
func (b *builder) place(size geom.Size) bool {
	pane := geom.Rect{X1: size.W, Y1: size.H}
	r := geom.Rect{X0: gutter * b.dp, X1: size.W - margin*b.dp, Y0: margin * b.dp,
		Y1: size.H - margin*b.dp}
	if b.st.Sides[A].Trace != nil {
		r.Y0 = axisRoom * b.dp
	}
	if b.st.Sides[B].Trace != nil {
		r.Y1 = size.H - axisRoom*b.dp
	}
	if r.Empty() || r.H() < 3*edge*b.dp || r.W() < 2 {
		return false
	}
	b.v.Treemap = r
	mid := (r.Y0 + r.Y1) / 2
	for k := range b.v.Sides {
		sd, h := &b.st.Sides[k], &b.v.Sides[k]
		if sd.Trace == nil || sd.Trace != b.st.Tree.Pair.Trace(pair.Side(k)) || !(sd.Focus.Len() > 0) {
			continue
		}
		h.Bounds, h.Icicle = pane, r
		if b.both() && k == A {
			h.Bounds.Y1, h.Icicle.Y1 = mid, max(mid-middle/2*b.dp, r.Y0+edge*b.dp)
		} else if b.both() {
			h.Bounds.Y0, h.Icicle.Y0 = mid, min(mid+middle/2*b.dp, r.Y1-edge*b.dp)
		}
		h.Axis = geom.Axis{Span: sd.Focus, X0: r.X0, X1: r.X1}
	}
	return true
}

// draw draws a side's stacks as they are without the pointer.
func (b *builder) draw(k int) {
	h, sd := &b.v.Sides[k], &b.st.Sides[k]
	p := icicle.Plot{
		Trace: sd.Trace, Threads: sd.Tracks, Axis: h.Axis, View: h.Icicle,
		Levels: sd.Levels, Deeper: sd.Deeper,
		Palette: b.st.Palette, Detail: icicle.Lighter, MaxLabels: maxLabels,
	}
	if k == B {
		p.Dir = icicle.Up
		p.View.Y1 -= edge * b.dp
	} else {
		p.View.Y0 += edge * b.dp
	}
	if sd.Headers {
		p.Header, p.Gap = headRoom*b.dp, trackGap*b.dp
	}
	p.Row = b.fit(k, &p)
	if p.Row >= labelRow*b.dp {
		p.TextSize = textSize * b.dp
	}
	h.Row = p.Row
	h.MaxScroll = max(0, p.Height(&b.a.stacks[k].arena)-p.View.H())
	p.Scroll = min(max(sd.Scroll, 0), h.MaxScroll)
	b.a.stacks[k].draw(stacksKey{
		side: pair.Side(k), tree: b.st.Tree, trace: sd.Trace, headers: sd.Headers, focus: sd.Focus,
		scroll: p.Scroll, levels: sd.Levels, deeper: sd.Deeper, view: p.View, row: p.Row, strip: p.FoldRow,
		fold: p.Fold, dp: b.dp, palette: *b.st.Palette,
	}, &p)
	h.Drawing = b.a.stacks[k].drawing
}

// fit returns the height of a side's rows. A stack that does not fit gets lower rows as long as
// they can bear labels; then its stem, the callers that fill the whole focus, is folded into thin
// strips; what is left over is scrolled to.
func (b *builder) fit(k int, p *icicle.Plot) float32 {
	scale, row := b.st.Rows, rowHeight*b.dp
	if scale <= 0 {
		scale = 1
	}
	if n := b.levels(k); n > 0 && float32(n)*row > p.View.H() {
		row = max(p.View.H()/float32(n), labelRow*b.dp)
		if float32(n)*row > p.View.H() {
			p.Fold = max(0, icicle.Stem(p.Trace.Threads[p.Threads[0]], b.st.Sides[k].Focus)-1)
			p.FoldRow = min(strip*b.dp, stripShare*p.View.H()/float32(max(1, p.Fold)))
			row = max(row, min((p.View.H()-float32(p.Fold)*p.FoldRow)/float32(n-min(p.Fold, n-1)),
				rowHeight*b.dp))
		}
	}
	return max(1, row*scale)
}

// levels returns how many stack levels a side shows, or 0 if it shows several threads.
func (b *builder) levels(k int) int {
	sd := &b.st.Sides[k]
	if len(sd.Tracks) != 1 {
		return 0
	}
	n := sd.Trace.Threads[sd.Tracks[0]].MaxDepth()
	if sd.Levels > 0 {
		n = min(n, max(sd.Levels, sd.Deeper.Levels(sd.Trace, sd.Tracks[0])))
	}
	return n
}

// lighten finds where calls in focus are brightest: at the pointer, or without it in the middle of
// the call in focus.
func (b *builder) lighten() {
	switch {
	case b.st.Pointer != nil:
		b.light = b.st.Pointer.X
	case len(b.a.focus.items) > 0:
		r := b.a.focus.items[0].Pick.Rect
		b.light = (r.X0 + r.X1) / 2
	default:
		b.light = (b.v.Treemap.X0 + b.v.Treemap.X1) / 2
	}
}

// axis draws a side's time axis beyond its root edge, the edge in the side's colour, its badge and,
// where there are more levels than room, its scroll bar.
func (b *builder) axis(k int) {
	h, pal := &b.v.Sides[k], b.st.Palette
	l := b.v.Scene.Layer(geom.Rect{})
	r := h.Icicle
	line := geom.Rect{X0: r.X0, X1: r.X1, Y0: r.Y0, Y1: r.Y0 + edge*b.dp}
	ticks := geom.Rect{X0: r.X0, X1: r.X1, Y0: h.Bounds.Y0, Y1: r.Y0}
	mark := geom.Rect{Y0: ticks.Y1 - 7*b.dp, Y1: ticks.Y1 - b.dp}
	at := max(r.Y0, 0)
	if k == B {
		line.Y0, line.Y1 = r.Y1-edge*b.dp, r.Y1
		ticks.Y0, ticks.Y1 = r.Y1, h.Bounds.Y1
		mark.Y0, mark.Y1 = ticks.Y0+b.dp, ticks.Y0+7*b.dp
		at = r.Y1 - badge*b.dp
	}
	l.Fill(line, pal.Side(k))
	b.ticks(k, l, ticks, mark)
	if r.H() >= badge*b.dp {
		scene.Badge(l, geom.Point{X: 9 * b.dp, Y: at}, badge*b.dp, "AB"[k:k+1], pal.Side(k), pal.OnSide)
	}
	b.scrollbar(k, l)
}

// ticks writes the labels to the right of their marks; one that would be cut at the pane's border
// is left out.
func (b *builder) ticks(k int, l *scene.Layer, room, mark geom.Rect) {
	h, pal, size := &b.v.Sides[k], b.st.Palette, textSize*b.dp
	sc := geom.Ticks(h.Axis.Span, room.W(), tickRoom*b.dp, string(b.st.Sides[k].Trace.Unit))
	free, end := room.X0, room.X1+margin*b.dp
	if cue := b.cue().Draw(l, h.Axis, room, pal.Side(k), pal.Text); !cue.Empty() {
		end = cue.X0 - 8*b.dp
	}
	write := func(x float32, text string, bold bool) bool {
		w := typeface.Width(text, size, bold) + 1
		if text == "" || x+w > end {
			return false
		}
		l.Write(scene.Text{Rect: geom.Rect{X0: x, X1: x + w, Y0: room.Y0, Y1: room.Y1}, Text: text,
			Fill: pal.Secondary, Size: size, Bold: bold})
		return true
	}
	if write(room.X0, sc.Base, true) {
		free += typeface.Width(sc.Base, size, true) + 12*b.dp
	}
	for _, t := range sc.Ticks {
		x := h.Axis.X(t.At)
		if x < free || !write(x+4*b.dp, t.Label, false) {
			continue
		}
		mark.X0, mark.X1 = x, x+b.dp
		l.Fill(mark, pal.Secondary)
	}
}

// cue returns the bar that stands for the same time on both axes.
func (b *builder) cue() scene.Cue {
	if !b.both() {
		return scene.Cue{}
	}
	return scene.NewCue(b.v.Sides[A].Axis, b.v.Sides[B].Axis, string(b.st.Sides[A].Trace.Unit), textSize*b.dp, b.dp)
}

// scrollbar shows which levels are in view.
func (b *builder) scrollbar(k int, l *scene.Layer) {
	h := &b.v.Sides[k]
	r := h.Icicle
	if h.MaxScroll <= 0 || h.Drawing == nil {
		return
	}
	thumb := min(max(r.H()*r.H()/(r.H()+h.MaxScroll), 8*b.dp), r.H())
	at := (r.H() - thumb) * h.Drawing.Scroll / h.MaxScroll
	bar := geom.Rect{X0: r.X1 + 4*b.dp, X1: r.X1 + 8*b.dp, Y0: r.Y0 + at, Y1: r.Y0 + at + thumb}
	if k == B {
		bar.Y0, bar.Y1 = r.Y1-at-thumb, r.Y1-at
	}
	l.Quads = append(l.Quads, scene.Quad{Rect: bar, Fill: b.st.Palette.Bar, Radius: 2 * b.dp, U1: 1})
}
