package kit

import (
	"image"
	"image/color"
	"strconv"
	"strings"

	"gioui.org/f32"
	"gioui.org/font"
	"gioui.org/io/event"
	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/op/paint"

	"diptych/internal/geom"
	"diptych/internal/typeface"
)

// caption is the line below the filter: what the owner says at the left, and at the right which of
// the columns are shown, if not all are.
func (t *Table) caption(k *Kit, gtx layout.Context, beside layout.Widget) layout.Dimensions {
	children := []layout.FlexChild{Wide(func(gtx layout.Context) layout.Dimensions {
		if beside == nil {
			return layout.Dimensions{Size: gtx.Constraints.Min}
		}
		return beside(gtx)
	})}
	if others := len(t.content.Columns) - 1; t.fitting < others && t.fitting > 0 {
		text := t.pageText(k, gtx, beside, others)
		children = append(children,
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return k.Button(gtx, &t.pages[0], "‹", "Columns before", false)
			}),
			layout.Rigid(func(gtx layout.Context) layout.Dimensions { return k.Label(gtx, text, k.Caption()) }),
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return k.Button(gtx, &t.pages[1], "›", "Further columns", false)
			}))
	}
	return layout.Inset{Right: rightEdge}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		return layout.Flex{Alignment: layout.Middle}.Layout(gtx, children...)
	})
}

// pageWidth is the width of a button that leads to other columns, dp.
const pageWidth = 26

// pageText says which of the columns are shown, in as few words as leave room for what stands
// beside it, and nothing where there is none: the buttons tell that there are others. What takes
// all room that it is given, such as a text, is cut instead.
func (t *Table) pageText(k *Kit, gtx layout.Context, beside layout.Widget, others int) string {
	room := gtx.Constraints.Max.X - gtx.Dp(rightEdge+2*pageWidth)
	if beside != nil {
		free := gtx
		free.Constraints.Min = image.Point{}
		m := op.Record(gtx.Ops)
		if needs := beside(free).Size.X; needs < gtx.Constraints.Max.X {
			room -= needs
		}
		m.Stop()
	}
	brief := strconv.Itoa(t.first+1) + "–" + strconv.Itoa(t.first+t.fitting) + " of " + strconv.Itoa(others)
	for _, text := range []string{strings.TrimSuffix(brief, strconv.Itoa(others)) + Plural(others, "column"), brief} {
		if int(k.Width(text, Small)) < room {
			return text
		}
	}
	return ""
}

// measure notes what the texts of the visible rows need, and fits columns into the width. A
// column never becomes narrower while the content stays, so that scrolling does not move columns
// back and forth.
func (t *Table) measure(k *Kit, gtx layout.Context) {
	width, columns := gtx.Constraints.Max.X-gtx.Dp(rightEdge), t.content.Columns
	t.high = gtx.Dp(rowHeight)
	if len(t.widths) != len(columns) || t.scale != k.Px(1) {
		t.widths, t.scale = make([]int, len(columns)), k.Px(1)
		for i := range columns {
			w := typeface.Width(columns[i].Title, k.Px(float32(Small)), true) + k.Px(float32(sortRoom))
			t.widths[i] = max(int(w+1), gtx.Dp(leastColumn))
		}
		t.seen = [2]int{}
	}
	from := t.list.Position.First
	to := min(from+gtx.Constraints.Max.Y/t.high+2, len(t.shown))
	for at := from; at < to && t.seen != [2]int{from, to}; at++ {
		for i := 1; i < len(columns); i++ {
			w := typeface.Width(columns[i].text(t.shown[at]), k.Px(float32(Normal)), true)
			t.widths[i] = max(t.widths[i], int(w+1))
		}
	}
	t.seen = [2]int{from, to}
	t.fit(width-gtx.Dp(leastTitle), gtx.Dp(columnGap))
}

// fit decides which columns are shown beside the titles: from t.first on as many as there is room
// for, at least one. It moves t.first back where all that follow would leave room.
func (t *Table) fit(room, gap int) {
	last := len(t.widths) - 1
	t.first = min(t.first, max(last-1, 0))
	sum, back := 0, last
	for ; back > 0 && sum+t.widths[back]+gap <= room; back-- {
		sum += t.widths[back] + gap
	}
	t.first = max(0, min(t.first, back))
	t.fitting = 0
	for i, used := t.first+1, 0; i <= last; i++ {
		if used += t.widths[i] + gap; used > room && t.fitting > 0 {
			return
		}
		t.fitting++
	}
}

// cells calls draw for each column that is shown with where it lies, px: the title's first.
func (t *Table) cells(gap, width int, draw func(column, from, to int)) {
	x := width
	for i := t.first + t.fitting; i > t.first; i-- {
		draw(i, x-t.widths[i], x)
		x -= t.widths[i] + gap
	}
	draw(0, 0, x)
}

// head lays out the titles of the columns, which sort when they are clicked.
func (t *Table) head(k *Kit, gtx layout.Context) layout.Dimensions {
	size := image.Pt(gtx.Constraints.Max.X, gtx.Dp(headHeight))
	t.cells(gtx.Dp(columnGap), size.X-gtx.Dp(rightEdge), func(i, from, to int) {
		At(gtx, image.Rect(from, 0, to, size.Y), func(gtx layout.Context) { t.headCell(k, gtx, i) })
	})
	line := max(1, gtx.Dp(1))
	Fill(gtx, image.Rect(0, size.Y-line, size.X, size.Y), k.Pal.Line)
	return layout.Dimensions{Size: size}
}

// headCell is the title of a column, with an arrow if the table is sorted by it.
func (t *Table) headCell(k *Kit, gtx layout.Context, i int) {
	c := &t.content.Columns[i]
	size := gtx.Constraints.Max
	k.Pressable(gtx, &t.heads[i], "Sort by "+c.about(), false,
		func(gtx layout.Context) layout.Dimensions {
			ink := Style{Size: Small, Color: k.Pal.Secondary, Weight: font.Medium}
			if c.Head != nil {
				ink.Color = c.Head(k)
			}
			if i == t.order {
				ink.Weight = font.Bold
			}
			room, arrow := image.Rectangle{Max: size}, 0
			switch {
			case i == 0:
				room.Min.X = gtx.Dp(titleInset)
				arrow = room.Min.X + int(typeface.Width(c.Title, k.Px(float32(Small)), true))
			case i == t.order:
				room.Max.X -= gtx.Dp(sortRoom)
				arrow = room.Max.X
			}
			if i > 0 && c.Number != nil {
				ink = Right(ink)
			}
			At(gtx, room, func(gtx layout.Context) { k.middle(gtx, c.Title, ink) })
			if i == t.order {
				t.arrow(k, gtx, arrow+gtx.Dp(3), ink.Color)
			}
			return layout.Dimensions{Size: size}
		})
}

// middle draws a text in the middle of the height, over the whole width.
func (k *Kit) middle(gtx layout.Context, text string, ink Style) {
	gtx.Constraints.Min.X = gtx.Constraints.Max.X
	m := op.Record(gtx.Ops)
	d := k.Label(gtx, text, ink)
	call := m.Stop()
	defer op.Offset(image.Pt(0, (gtx.Constraints.Max.Y-d.Size.Y)/2)).Push(gtx.Ops).Pop()
	call.Add(gtx.Ops)
}

// arrow draws the sign of the order: it points up where values rise from top to bottom.
func (t *Table) arrow(k *Kit, gtx layout.Context, x int, ink color.NRGBA) {
	left, wide, mid := float32(x), k.Px(6), float32(gtx.Constraints.Max.Y)/2
	base, tip := mid-k.Px(2), mid+k.Px(2)
	if t.Rising() {
		base, tip = tip, base
	}
	var p clip.Path
	p.Begin(gtx.Ops)
	p.MoveTo(f32.Pt(left, base))
	p.LineTo(f32.Pt(left+wide, base))
	p.LineTo(f32.Pt(left+wide/2, tip))
	p.Close()
	paint.FillShape(gtx.Ops, ink, clip.Outline{Path: p.End()}.Op())
}

// Rising reports whether the listed values rise from top to bottom.
func (t *Table) Rising() bool {
	return t.turned == (t.content.Columns[t.order].Number != nil)
}

// rows lays out the visible rows.
func (t *Table) rows(k *Kit, gtx layout.Context) layout.Dimensions {
	if len(t.shown) == 0 {
		return k.Hint(gtx, t.emptiness())
	}
	area := image.Rectangle{Max: gtx.Constraints.Max}
	t.resize(area.Dy())
	defer clip.Rect(area).Push(gtx.Ops).Pop()
	event.Op(gtx.Ops, &t.body)
	focused := gtx.Focused(&t.body) && !t.quiet
	d := k.Rows(gtx, &t.list, len(t.shown), func(gtx layout.Context, at int) layout.Dimensions {
		return t.row(k, gtx, at, focused)
	})
	if focused {
		k.ring(gtx, area, t.content.Of)
	}
	t.tip(k, gtx)
	return d
}

// emptiness says why no rows are listed.
func (t *Table) emptiness() string {
	if t.query != "" {
		return "None of the " + t.content.Of + " has “" + t.query + "” in its name."
	}
	if t.content.Len > 0 { // such as what is searched for in the whole window
		return "None of the " + t.content.Of + " is among what is asked for."
	}
	return "There are no " + t.content.Of + "."
}

// row lays out one row.
func (t *Table) row(k *Kit, gtx layout.Context, at int, focused bool) layout.Dimensions {
	row := t.shown[at]
	size := image.Pt(gtx.Constraints.Max.X, gtx.Dp(rowHeight))
	area := image.Rectangle{Max: size}
	defer clip.Rect(area).Push(gtx.Ops).Pop()
	semantic.Button.Add(gtx.Ops)
	semantic.LabelOp(t.content.Verb + " " + t.Title(row)).Add(gtx.Ops)
	pointer.CursorPointer.Add(gtx.Ops)
	if tint := k.tint(t.over == at, t.cursor == row); tint.A > 0 {
		FillRound(gtx, area, gtx.Dp(4), tint)
	}
	if focused && t.cursor == row {
		StrokeRound(gtx, area.Inset(1), gtx.Dp(4), k.Px(1), k.Pal.A)
	}
	t.cells(gtx.Dp(columnGap), size.X-gtx.Dp(rightEdge), func(i, from, to int) {
		At(gtx, image.Rect(from, 0, to, size.Y), func(gtx layout.Context) { t.cell(k, gtx, i, row) })
	})
	return layout.Dimensions{Size: size}
}

// cell lays out one cell.
func (t *Table) cell(k *Kit, gtx layout.Context, i, row int) {
	c := &t.content.Columns[i]
	ink, text := k.Text(), c.text(row)
	if c.Ink != nil {
		ink = c.Ink(k, row, ink)
	}
	if i == 0 {
		left := t.mark(k, gtx, row)
		text = t.shorten(row, text, float32(gtx.Constraints.Max.X-left), k.Px(float32(Normal)))
		defer op.Offset(image.Pt(left, 0)).Push(gtx.Ops).Pop()
		gtx.Constraints.Max.X -= left
	} else if c.Number != nil {
		ink = Right(ink)
	}
	k.middle(gtx, text, ink)
}

// shorten returns a title as it fits into so many px.
func (t *Table) shorten(row int, title string, room, size float32) string {
	if t.content.Shorten == nil || typeface.Width(title, size, false) <= room {
		return typeface.Shorten(title, room, size, false)
	}
	return t.content.Shorten(row, room, size)
}

const titleInset = 4 // dp

// mark draws the dot of a row, if it has one, and returns how far its title is indented, px.
func (t *Table) mark(k *Kit, gtx layout.Context, row int) int {
	left, d := gtx.Dp(titleInset), gtx.Dp(10)
	if t.content.Mark == nil {
		return left
	}
	if c, ok := t.content.Mark(k, row); ok {
		y := (gtx.Constraints.Max.Y - d) / 2
		FillRound(gtx, image.Rect(left, y, left+d, y+d), d/2, c)
	}
	return left + d + gtx.Dp(6)
}

// tip shows the title of the row under the pointer in full, if it was shortened.
func (t *Table) tip(k *Kit, gtx layout.Context) {
	if t.over < 0 || t.over >= len(t.shown) {
		return
	}
	title, width := t.Title(t.shown[t.over]), gtx.Constraints.Max.X-gtx.Dp(rightEdge)
	t.cells(gtx.Dp(columnGap), width, func(i, _, to int) {
		if i == 0 {
			width = to - gtx.Dp(titleInset)
		}
	})
	if typeface.Width(title, k.Px(float32(Normal)), false) <= float32(width) {
		return
	}
	y := float32((t.over-t.list.Position.First)*t.high - t.list.Position.Offset)
	k.TipOver(gtx, []string{title}, geom.Rect{Y0: y, Y1: y + float32(t.high)}, geom.Point{})
}
