package kit

import (
	"image"

	"gioui.org/font"
	"gioui.org/layout"
	"gioui.org/op"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/typeface"
)

// TipBox shows lines of text in a box beside a shape, near the pointer at p, so that the box does
// not cover what it explains. The first line is a title.
func (k *Kit) TipBox(gtx layout.Context, lines []string, shape geom.Rect, p geom.Point) {
	k.TipPlaced(gtx, lines, func(size image.Point) image.Point {
		return besides(shape, p, size, gtx.Constraints.Max, gtx.Dp(10))
	})
}

// TipOver is TipBox for panels: the box may stand out of the panel, and lies over all else.
func (k *Kit) TipOver(gtx layout.Context, lines []string, shape geom.Rect, p geom.Point) {
	m := op.Record(gtx.Ops)
	k.TipBox(gtx, lines, shape, p)
	op.Defer(gtx.Ops, m.Stop())
}

// TipPlaced shows lines of text in a box; place is given the size of the box and says where its
// upper left corner goes.
func (k *Kit) TipPlaced(gtx layout.Context, lines []string, place func(image.Point) image.Point) {
	macro := op.Record(gtx.Ops)
	free := gtx
	free.Constraints = layout.Constraints{Max: gtx.Constraints.Max}
	free.Constraints.Max.X = min(gtx.Dp(420), free.Constraints.Max.X)
	d := layout.Inset{Left: 10, Right: 10, Top: 7, Bottom: 7}.Layout(free,
		func(gtx layout.Context) layout.Dimensions { return k.tipText(gtx, lines) })
	call := macro.Stop()
	defer op.Offset(place(d.Size)).Push(gtx.Ops).Pop()
	box := image.Rectangle{Max: d.Size}
	k.FloatingCard(gtx, box)
	call.Add(gtx.Ops)
}

// tipText lays out the lines of a tooltip.
func (k *Kit) tipText(gtx layout.Context, lines []string) layout.Dimensions {
	var rows []layout.FlexChild
	for i, s := range lines {
		ink := k.Caption()
		if i == 0 {
			ink = Style{Size: Normal, Color: k.Pal.Text, Weight: font.Medium, Lines: 3}
		}
		rows = append(rows, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return k.Label(gtx, s, ink)
		}))
	}
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx, rows...)
}

// besides places a box of the given size below the shape, else above it, near the pointer, within
// the pane.
func besides(shape geom.Rect, p geom.Point, size, pane image.Point, gap int) image.Point {
	x := min(max(0, int(p.X)+gap), max(0, pane.X-size.X))
	below, above := int(shape.Y1)+gap, int(shape.Y0)-gap-size.Y
	switch {
	case below+size.Y <= pane.Y:
		return image.Pt(x, below)
	case above >= 0:
		return image.Pt(x, above)
	}
	// The shape fills the pane's height: stand beside the pointer instead.
	if x = int(p.X) + 2*gap; x+size.X > pane.X {
		x = int(p.X) - 2*gap - size.X
	}
	return image.Pt(max(0, x), max(0, min(int(p.Y)+gap, pane.Y-size.Y)))
}

// Clearest returns where in a pane a box of the given size covers least of the boxes: right or left
// of p and below or above it, gap px away. Of equally good places it takes the one to the right,
// then the one below.
func Clearest(boxes []geom.Rect, p geom.Point, size, pane image.Point, gap int) image.Point {
	at := image.Pt(int(p.X), int(p.Y))
	right, left := at.X+gap, at.X-gap-size.X
	below, above := at.Y+gap, at.Y-gap-size.Y
	var best image.Point
	least := float32(-1)
	for _, c := range []image.Point{{right, below}, {left, below}, {right, above}, {left, above}} {
		c.X = max(0, min(c.X, pane.X-size.X))
		c.Y = max(0, min(c.Y, pane.Y-size.Y))
		covered := covers(c, size, boxes)
		if at.In(image.Rectangle{Min: c, Max: c.Add(size)}) {
			covered += float32(pane.X * pane.Y) // what is pointed at counts for more than all else
		}
		if least < 0 || covered < least {
			best, least = c, covered
		}
	}
	return best
}

// covers returns the area, px², that a box of the given size at pos covers of the boxes.
func covers(pos, size image.Point, boxes []geom.Rect) float32 {
	tip := geom.Rect{X0: float32(pos.X), X1: float32(pos.X + size.X),
		Y0: float32(pos.Y), Y1: float32(pos.Y + size.Y)}
	sum := float32(0)
	for _, b := range boxes {
		if r := tip.Intersect(b); !r.Empty() {
			sum += r.W() * r.H()
		}
	}
	return sum
}

// RangeMark shows a selected range r of a side, with its length on the side's colour: in the middle
// of the edge that faces the other side, within a pane width px wide.
func (k *Kit) RangeMark(gtx layout.Context, r image.Rectangle, side pair.Side, width int,
	text string) {
	Fill(gtx, r, k.Pal.Faint(int(side)))
	StrokeRound(gtx, r, 0, k.Px(1), k.Pal.Side(int(side)))
	w := int(typeface.Width(text, k.Px(float32(Small)), true)) + gtx.Dp(12)
	h := gtx.Dp(18)
	x := max(0, min((r.Min.X+r.Max.X-w)/2, width-w))
	y := r.Max.Y - h
	if side == pair.B {
		y = r.Min.Y
	}
	box := image.Rect(x, y, x+w, y+h)
	FillRound(gtx, box, gtx.Dp(3), k.Pal.Side(int(side)))
	At(gtx, box, func(gtx layout.Context) {
		Centred(gtx, func(gtx layout.Context) layout.Dimensions {
			return k.Label(gtx, text, Style{Size: Small, Color: k.Pal.OnSide, Weight: font.Bold})
		})
	})
}
