package dock

import (
	"fmt"
	"image"
	"image/color"
	"math"

	"gioui.org/f32"
	"gioui.org/io/event"
	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/unit"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/session"
	"diptych/internal/typeface"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
)

// Measures of the matrix, in dp: cells are as wide as there is room for, between two limits.
const (
	leastCell, mostCell unit.Dp = 18, 40
	mostRowLabel        unit.Dp = 150
	mostColumnLabel     unit.Dp = 110
	labelGap            unit.Dp = 6
)

// matrixView is where the cells of a matrix lie, px.
type matrixView struct {
	origin image.Point // of the cells: right of the labels of the rows, below those of the columns
	room   image.Point // for cells
	cell   int
	n      image.Point // columns and rows
	scroll image.Point
}

// fit fits a matrix of n columns and rows into an area, with labels of the given width and height.
func (v *matrixView) fit(n, area, labels image.Point, least, most int) {
	v.n, v.origin, v.room = n, labels, area.Sub(labels)
	v.cell = max(least, min(most, v.room.X/max(n.X, 1)))
	v.scrollBy(image.Point{})
}

// scrollBy scrolls, at most to the last cell.
func (v *matrixView) scrollBy(by image.Point) {
	v.scroll.X = max(0, min(v.scroll.X+by.X, v.n.X*v.cell-v.room.X))
	v.scroll.Y = max(0, min(v.scroll.Y+by.Y, v.n.Y*v.cell-v.room.Y))
}

// reveal scrolls as little as shows a cell.
func (v *matrixView) reveal(cell image.Point) {
	r := v.rect(cell).Sub(v.origin)
	by := image.Pt(max(r.Max.X-v.room.X, 0), max(r.Max.Y-v.room.Y, 0))
	v.scrollBy(by)
	r = r.Sub(by)
	v.scrollBy(image.Pt(min(r.Min.X, 0), min(r.Min.Y, 0)))
}

// rect returns where a cell lies.
func (v *matrixView) rect(cell image.Point) image.Rectangle {
	at := cell.Mul(v.cell).Sub(v.scroll).Add(v.origin)
	return image.Rectangle{Min: at, Max: at.Add(image.Pt(v.cell, v.cell))}
}

// visible returns the cells that are visible, at least in part.
func (v *matrixView) visible() image.Rectangle {
	if v.cell == 0 {
		return image.Rectangle{}
	}
	r := image.Rectangle{Min: v.scroll.Div(v.cell),
		Max: v.scroll.Add(v.room).Add(image.Pt(v.cell-1, v.cell-1)).Div(v.cell)}
	return r.Intersect(image.Rectangle{Max: v.n})
}

// cellAt returns the cell at a point, and whether there is one.
func (v *matrixView) cellAt(p image.Point) (cell image.Point, ok bool) {
	p = p.Sub(v.origin)
	if v.cell == 0 || p.X < 0 || p.Y < 0 || p.X >= v.room.X || p.Y >= v.room.Y {
		return image.Point{}, false
	}
	cell = p.Add(v.scroll).Div(v.cell)
	return cell, cell.In(image.Rectangle{Max: v.n})
}

// draw draws the labels and the cells that are visible.
func (m *matrix) draw(c *view.Context, gtx C, st *session.State) D {
	area := image.Rectangle{Max: gtx.Constraints.Max.Sub(image.Pt(gtx.Dp(8), 0))}
	labels := image.Pt(min(m.labelWidth(c, pair.A, gtx.Dp(mostRowLabel)), area.Dx()/3),
		min(m.labelWidth(c, pair.B, gtx.Dp(mostColumnLabel)), area.Dy()/3))
	m.view.fit(m.size(), area.Size(), labels, gtx.Dp(leastCell), gtx.Dp(mostCell))
	defer clip.Rect(area).Push(gtx.Ops).Pop()
	event.Op(gtx.Ops, &m.body)
	semantic.LabelOp("Matrix of similarities").Add(gtx.Ops)
	pointer.CursorPointer.Add(gtx.Ops)
	m.drawLabels(c, gtx)
	m.drawCells(c, gtx)
	if gtx.Focused(&m.body) {
		kit.StrokeRound(gtx, area.Inset(1), gtx.Dp(5), c.Kit.Px(1.5), c.Kit.Pal.A)
	}
	if cell, ok := m.view.cellAt(m.at); ok && m.over {
		c.Kit.TipOver(gtx, m.tip(cell), kit.Rect(m.view.rect(cell)),
			geom.Point{X: float32(m.at.X), Y: float32(m.at.Y)})
	}
	return D{Size: gtx.Constraints.Max}
}

// labelWidth returns what the longest label of a side needs, px.
func (m *matrix) labelWidth(c *view.Context, side pair.Side, most int) int {
	widest := float32(0)
	for _, text := range m.labels[side] {
		widest = max(widest, typeface.Width(text.String(), c.Kit.Px(float32(kit.Small)), false))
	}
	return min(int(widest+1)+c.Kit.Dp(float32(labelGap)), most)
}

// shortened returns the label as it fits into so many px. It shortens the title and keeps the id,
// which tells threads of one title apart.
func (l threadLabel) shortened(room, size float32) string {
	rest := room - typeface.Width(" "+l.id, size, false)
	return threadLabel{typeface.Shorten(l.title, rest, size, false), l.id}.String()
}

// drawLabels names rows, and columns from bottom to top.
func (m *matrix) drawLabels(c *view.Context, gtx C) {
	v, size := &m.view, c.Kit.Px(float32(kit.Small))
	gap, line := gtx.Dp(labelGap), int(size*1.3)
	text := func(side pair.Side, i, room int) (string, kit.Style) {
		ink := kit.Style{Size: kit.Small, Color: c.Kit.Pal.SideText(int(side))}
		return m.labels[side][i].shortened(float32(room), size), ink
	}
	shown := v.visible()
	rows := clip.Rect(image.Rect(0, v.origin.Y, v.origin.X, v.origin.Y+v.room.Y)).Push(gtx.Ops)
	for y := shown.Min.Y; y < shown.Max.Y; y++ {
		r := v.rect(image.Pt(0, y))
		s, ink := text(pair.A, y, v.origin.X-gap)
		kit.At(gtx, image.Rect(0, r.Min.Y+(v.cell-line)/2, v.origin.X-gap, r.Max.Y),
			func(gtx C) { c.Kit.Label(gtx, s, kit.Right(ink)) })
	}
	rows.Pop()
	defer clip.Rect(image.Rect(v.origin.X, 0, v.origin.X+v.room.X, v.origin.Y)).Push(gtx.Ops).Pop()
	for x := shown.Min.X; x < shown.Max.X; x++ {
		r := v.rect(image.Pt(x, 0))
		s, ink := text(pair.B, x, v.origin.Y-gap)
		corner := f32.Pt(float32(r.Min.X+(v.cell-line)/2), float32(v.origin.Y-gap))
		turned := op.Affine(f32.AffineId().Rotate(f32.Point{}, -math.Pi/2).Offset(corner)).Push(gtx.Ops)
		gtx := gtx
		gtx.Constraints = layout.Constraints{Max: image.Pt(v.origin.Y-gap, line*2)}
		c.Kit.Label(gtx, s, ink)
		turned.Pop()
	}
}

// drawCells draws the visible cells: darker for more alike, a frame for a pair in use, a dot for
// one that would be better.
func (m *matrix) drawCells(c *view.Context, gtx C) {
	v := &m.view
	defer clip.Rect{Min: v.origin, Max: v.origin.Add(v.room)}.Push(gtx.Ops).Pop()
	shown := v.visible()
	for y := shown.Min.Y; y < shown.Max.Y; y++ {
		for x := shown.Min.X; x < shown.Max.X; x++ {
			cell := image.Pt(x, y)
			r := v.rect(cell).Inset(max(gtx.Dp(1)/2, 1))
			share := float32(m.found.Similarity(y, x))
			if inUse := m.found.Now[y] == x; inUse {
				kit.StrokeRound(gtx, r, gtx.Dp(2), c.Kit.Px(2), c.Kit.Pal.Text)
				kit.Fill(gtx, r.Inset(gtx.Dp(3)), similarityColour(c.Kit.Pal, share))
			} else if kit.Fill(gtx, r, similarityColour(c.Kit.Pal, share)); m.found.Best[y] == x {
				m.drawDot(c, gtx, r)
			}
			if gtx.Focused(&m.body) && cell == m.cursor {
				kit.StrokeRound(gtx, r.Inset(-1), gtx.Dp(3), c.Kit.Px(2), c.Kit.Pal.Hover)
			}
		}
	}
}

// similarityColour goes from the ground of controls, for nothing in common, to that of secondary
// text, which is dark on light and light on dark.
func similarityColour(pal *palette.Palette, share float32) color.NRGBA {
	return palette.Mix(pal.Raised, pal.Secondary, share)
}

// drawDot marks a cell as better than the pair in use: a dot in the colour of warnings on a ring in
// the pane's, so that it stands out on any cell.
func (m *matrix) drawDot(c *view.Context, gtx C, r image.Rectangle) {
	d := min(r.Dx(), gtx.Dp(12))
	dot := image.Rectangle{Max: image.Pt(d, d)}.Add(r.Min).Add(r.Size().Sub(image.Pt(d, d)).Div(2))
	kit.FillRound(gtx, dot, d/2, c.Kit.Pal.Pane)
	kit.FillRound(gtx, dot.Inset(gtx.Dp(2)), d/2-gtx.Dp(2), c.Kit.Pal.Warn)
}

// tip names both threads of a cell and says how alike they are.
func (m *matrix) tip(cell image.Point) []string {
	y, x := cell.Y, cell.X
	lines := []string{fmt.Sprintf("similarity %.3f", m.found.Similarity(y, x))}
	for s, i := range [2]int{y, x} {
		tr := m.found.Pair.Trace(pair.Side(s))
		th := tr.Threads[m.found.Threads[s][i]]
		lines = append(lines, kit.Joined(pair.Side(s).String()+" "+threadWords(th), processOf(tr, th),
			kit.Plural(th.Len(), tr.Kind.CallNoun())))
	}
	switch {
	case m.found.Now[y] == x:
		lines = append(lines, "a pair now; click shows it")
	case m.found.Best[y] == x:
		lines = append(lines, "a pair of the best pairing; click pairs them")
	default:
		lines = append(lines, "click pairs them")
	}
	return lines
}

// legend explains the marks.
func (m *matrix) legend(c *view.Context, gtx C) D {
	swatch := func(draw func(gtx C, r image.Rectangle)) layout.FlexChild {
		return layout.Rigid(func(gtx C) D {
			r := image.Rectangle{Max: image.Pt(gtx.Dp(14), gtx.Dp(14))}
			draw(gtx, r)
			return D{Size: r.Max}
		})
	}
	ramp := func(share float32) layout.FlexChild {
		return swatch(func(gtx C, r image.Rectangle) { kit.Fill(gtx, r, similarityColour(c.Kit.Pal, share)) })
	}
	left := ""
	if n := m.found.Left[pair.A] + m.found.Left[pair.B]; n > 0 {
		left = kit.Plural(n, "less busy thread") + " left out"
	}
	return layout.Inset{Top: 6}.Layout(gtx, func(gtx C) D {
		children := []layout.FlexChild{label(c, "0", c.Kit.Caption()), kit.Space(4), ramp(0), ramp(.25),
			ramp(.5), ramp(.75), ramp(1), kit.Space(4), label(c, "1", c.Kit.Caption()), kit.Space(12),
			swatch(func(gtx C, r image.Rectangle) {
				kit.StrokeRound(gtx, r.Inset(1), gtx.Dp(2), c.Kit.Px(2), c.Kit.Pal.Text)
			}), kit.Space(4), label(c, "pair", c.Kit.Caption())}
		if m.found.Gain > 0 {
			children = append(children, kit.Space(12),
				swatch(func(gtx C, r image.Rectangle) { m.drawDot(c, gtx, r) }), kit.Space(4),
				label(c, "better", c.Kit.Caption()))
		}
		return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
			append(children, kit.Space(12), wide(c, left, c.Kit.Caption()))...)
	})
}
