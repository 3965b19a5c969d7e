package aligned

import (
	"image/color"

	"diptych/internal/align"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/scene/icicle"
	"diptych/internal/trace"
)

// status draws the merged tree, a row for each stack level, in the colours of what became of the
// calls; what has moved is hatched.
func (b *builder) status() {
	if b.statusBounds.Empty() {
		return
	}
	s := b.v.Scene
	under := s.Layer(geom.Rect{})
	b.name(under, b.statusBounds, "status")
	p := icicle.Plot{
		Trace: b.p.Status, Threads: []int{0}, Axis: b.v.Axis, View: b.statusBounds,
		Row: b.statusRow, Scroll: b.statusScroll(), Palette: b.st.Palette, Fill: fills(b.pal),
		RunFill: b.runFill,
	}
	if b.st.Filter.Any() {
		p.Emphasis = b.statusEmphasis
	}
	rows := s.Layer(p.View)
	b.v.Status = p.Draw(rows, &b.a.status)
	for k := range rows.Quads {
		rows.Quads[k].Shade = scene.Flat // shading would stain colours that mean something
	}
	over := s.Layer(p.View)
	b.shares(over)
	b.part(over)
	b.hatch(over)
	for side := range b.v.Sides {
		for _, ref := range b.hover[side] {
			b.outline(over, pair.Side(side), ref, icicle.Hovered)
		}
		for _, ref := range b.selected[side] {
			b.outline(over, pair.Side(side), ref, icicle.Selected)
		}
	}
}

// leastParted is the width in dp from which on a node is parted from the next.
const leastParted = 8

// part draws lines between the rows, and between nodes wide enough.
func (b *builder) part(l *scene.Layer) {
	ink, r := palette.WithAlpha(b.st.Palette.Pane, 0xb0), b.statusBounds
	for c := range b.v.Status.Cells {
		if end := b.v.Axis.X(float64(b.p.tree().End(c.From))); !c.Run &&
			c.Rect.W() >= leastParted*b.dp && end <= r.X1 {
			l.Fill(geom.Rect{X0: end - b.dp, X1: end, Y0: c.Rect.Y0, Y1: c.Rect.Y1}, ink)
		}
	}
	if b.statusRow < 2*statusLeast*b.dp {
		return
	}
	for k := range b.levels() { // all are in sight: only rows of the least height scroll
		y := r.Y0 + float32(k+1)*b.statusRow
		l.Fill(geom.Rect{X0: r.X0, X1: r.X1, Y0: y - b.dp, Y1: y}, ink)
	}
}

// statusScroll returns how far the status is scrolled: as far through its levels as the stacks are
// through theirs.
func (b *builder) statusScroll() float32 {
	hidden := float32(b.levels())*b.statusRow - b.statusBounds.H()
	if b.v.MaxScroll <= 0 || hidden <= 0 {
		return 0
	}
	return hidden * b.scroll / b.v.MaxScroll
}

// fills are the colours of kinds.
func fills(a *palette.Alignment) []color.NRGBA {
	return []color.NRGBA{a.Equal, a.Different, a.GapA, a.GapB, a.GapA, a.GapB, a.GapA, a.GapB}
}

// runFill returns the ground of a run of narrow nodes, on which shares draws what differs.
func (b *builder) runFill(_, from, to int) color.NRGBA {
	n := b.p.count(from, to)
	if n[align.Equal] > 0 {
		return b.pal.Equal
	}
	most := align.Different
	for _, s := range differing {
		if n[s] > n[most] {
			most = s
		}
	}
	return b.pal.State(int(most))
}

// differing are the states that a run tells the shares of, from its lower border up.
var differing = [...]align.State{align.Different, align.GapA, align.GapB}

// leastShare is the height in dp of a share of a run, however small it is.
const leastShare = 2

// shares draws over each run how many of its nodes are in which state, if not all are equal.
// Hues are not mixed: a mixture of yellow and blue is neither.
func (b *builder) shares(l *scene.Layer) {
	for c := range b.v.Status.Cells {
		if !c.Run || b.st.Filter.Any() && !b.matters(c.From, c.To, 0) {
			continue
		}
		n, y := b.p.count(c.From, c.To), c.Rect.Y1
		if n[align.Equal] == c.To-c.From {
			continue
		}
		for _, s := range differing {
			if n[s] == 0 {
				continue
			}
			share := float32(n[s]) / float32(c.To-c.From)
			r := c.Rect
			r.Y1, r.Y0 = y, max(y-max(share*r.H(), leastShare*b.dp), c.Rect.Y0)
			fill := b.pal.State(int(s))
			if !b.st.Filter.States.Has(s) {
				fill = palette.Mix(fill, b.st.Palette.Pane, .65)
			}
			l.Fill(r, fill)
			y = r.Y0
		}
	}
}

// hatch marks what has moved, and runs of which most that has no partner has.
func (b *builder) hatch(l *scene.Layer) {
	if len(b.p.Moves) == 0 {
		return
	}
	th := b.p.tree()
	ink := palette.WithAlpha(b.st.Palette.Pane, 0xa0)
	for c := range b.v.Status.Cells {
		on := hasMoved(th.Fn[c.From])
		if c.Run {
			n := b.p.tally.in(c.From, c.To)
			moved := n[movedA] + n[movedB]
			on = 2*moved > uint32(c.To-c.From)
		}
		if on {
			l.Quads = append(l.Quads, scene.Quad{Rect: c.Rect, Fill: ink, Shade: scene.Hatch, U1: 1})
		}
	}
}

// outline marks the node of a side's call.
func (b *builder) outline(l *scene.Layer, s pair.Side, ref trace.CallRef, m icicle.Mark) {
	if b.p.holds(s, ref) {
		b.v.Status.Outline(l, nodeRef(b.p.NodeOf(s, int(ref.Call))), b.dp, m)
	}
}
