package kit

import (
	"image"

	"gioui.org/io/event"
	"gioui.org/io/pointer"
	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/unit"
	"gioui.org/widget"
)

// Flow lays controls out in rows. While it is closed only those of the first row, or of the first
// Rows, are shown, and a button tells that there are more; so a wide window shows everything and a
// narrow one what matters most, which comes first.
//
// Where there is little room for what is below, Menu keeps the flow at one row: the button then
// drops all controls on a card that lies over what is below, instead of adding rows that push it
// down.
type Flow struct {
	Of   string // what the controls are settings of, in the plural: "matches"
	Menu bool   // show the controls that are hidden on a card
	Rows int    // rows shown while it is closed; 0 for one

	open bool
	more widget.Clickable
	rows int // in the last frame

	menu  bool        // what Menu was in the last frame
	list  widget.List // the rows of the card
	shade struct{ _ byte }
}

// The height of a row and the gap between controls.
const (
	FlowRow unit.Dp = 30
	flowGap unit.Dp = 14
)

// Height returns what the rows take, in px, as of the last frame.
func (f *Flow) Height(k *Kit) int { return max(f.rows, 1) * k.Dp(float32(FlowRow)) }

// Open reports whether the card of a Menu is open.
func (f *Flow) Open() bool { return f.Menu && f.open }

// Close closes the card of a Menu and reports whether it was open.
func (f *Flow) Close() bool {
	was := f.Open()
	if was {
		f.open = false
	}
	return was
}

// Layout lays out items and, at the right end of the first row, tail.
func (f *Flow) Layout(k *Kit, gtx layout.Context, tail layout.Widget, items []layout.Widget) {
	f.update(gtx)
	width, row, gap := gtx.Constraints.Max.X, gtx.Dp(FlowRow), gtx.Dp(flowGap)
	free := gtx
	free.Constraints = layout.Constraints{Max: image.Pt(width, row)}
	last := f.tail(k, free, tail, items, f.open)
	if f.Open() {
		placeInRow(gtx, last, image.Pt(width-last.size.X, 0), row)
		f.rows = 1
		f.drop(k, gtx, items)
		return
	}
	closed := max(f.Rows, 1)
	most := closed
	if f.open {
		most = len(items)
	}
	rows := pack(free, items, width-last.size.X-gap, most)
	if !f.open && len(rows) > closed { // the button takes room, so it comes where it is needed
		last = f.tail(k, free, tail, items, true)
		rows = pack(free, items, width-last.size.X-gap, most)[:closed]
	}
	f.rows = max(len(rows), 1)
	for i := range f.rows { // in the order in which Tab is to go through them
		if i < len(rows) {
			rows[i].layout(gtx, i*row)
		}
		if i == 0 {
			placeInRow(gtx, last, image.Pt(width-last.size.X, 0), row)
		}
	}
}

// update hears whether the button or, while a card is open, anything beside the card was pressed.
func (f *Flow) update(gtx layout.Context) {
	if f.menu != f.Menu {
		f.menu, f.open = f.Menu, false
	}
	if f.more.Clicked(gtx) {
		f.open = !f.open
	}
	for {
		e, ok := gtx.Event(pointer.Filter{Target: &f.shade, Kinds: pointer.Press})
		if !ok {
			return
		}
		if p, ok := e.(pointer.Event); ok && p.Kind == pointer.Press && f.Close() {
			gtx.Execute(op.InvalidateCmd{})
		}
	}
}

// tail records what stands at the right end, with or without the button. Where there is no room for
// it beside the first control, it does without the text.
func (f *Flow) tail(k *Kit, gtx layout.Context, tail layout.Widget, items []layout.Widget,
	button bool) recorded {
	last := f.end(k, gtx, tail, button)
	if len(items) > 0 && !f.Open() {
		if _, first := record(gtx, items[0]); first.X > gtx.Constraints.Max.X-last.size.X-gtx.Dp(flowGap) {
			last = f.end(k, gtx, layout.Spacer{}.Layout, button)
		}
	}
	return last
}

func (f *Flow) end(k *Kit, gtx layout.Context, tail layout.Widget, button bool) recorded {
	children := []layout.FlexChild{layout.Rigid(tail)}
	if button {
		label, name := "more", "More settings of the "+f.Of
		if f.open {
			label, name = "less", "Fewer settings of the "+f.Of
		}
		children = append(children, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return k.Button(gtx, &f.more, label, name, f.open)
		}))
	}
	call, size := record(gtx, func(gtx layout.Context) layout.Dimensions {
		return layout.Flex{Alignment: layout.Middle}.Layout(gtx, children...)
	})
	return recorded{call, size}
}

// drop lays out all items on a card below the row. Controls that are laid out later in the frame do
// not cover it, and a press beside it reaches nothing but the flow, which closes the card.
func (f *Flow) drop(k *Kit, gtx layout.Context, items []layout.Widget) {
	m := op.Record(gtx.Ops)
	const all = 1 << 20 // px; the whole window, wherever in it the flow is
	shade := clip.Rect(image.Rect(-all, -all, all, all)).Push(gtx.Ops)
	event.Op(gtx.Ops, &f.shade)
	shade.Pop()
	op.Offset(image.Pt(0, gtx.Dp(FlowRow+4))).Add(gtx.Ops)
	gtx.Constraints = layout.Constraints{Max: image.Pt(gtx.Constraints.Max.X, k.Size.Y/2)}
	floating(k, gtx, &f.list, func(gtx layout.Context) layout.Dimensions {
		room := gtx
		room.Constraints.Max.Y = gtx.Dp(FlowRow)
		rows := pack(room, items, gtx.Constraints.Max.X, len(items))
		return k.Rows(gtx, &f.list, len(rows), func(gtx layout.Context, i int) layout.Dimensions {
			return rows[i].layout(gtx, 0)
		})
	})
	op.Defer(gtx.Ops, m.Stop())
}

// recorded is a control that was laid out and is not shown yet.
type recorded struct {
	call op.CallOp
	size image.Point
}

// flowRow is a row of controls.
type flowRow []recorded

// pack lays items out and divides them into rows, none of them shown yet. Room is the width of the
// first row in px; further ones have all there is. It stops at the first item that goes to one more
// than most rows. Where some items stay hidden anyway, a first one that is too wide does, too.
func pack(gtx layout.Context, items []layout.Widget, room, most int) (rows []flowRow) {
	x, gap := 0, gtx.Dp(flowGap)
	for i, item := range items {
		free := gtx
		if i == 0 {
			free.Constraints.Max.X = max(room, 0)
		}
		call, size := record(free, item)
		if i == 0 && size.X > room && most < len(items) {
			rows, x = append(rows, nil), size.X
		}
		if x == 0 && rows == nil || x > 0 && x+size.X > room {
			if rows != nil {
				x, room = 0, gtx.Constraints.Max.X
			}
			rows = append(rows, nil)
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], recorded{call, size})
		if len(rows) > most {
			return rows
		}
		x += size.X + gap
	}
	return rows
}

// layout shows a row y px below the origin.
func (r flowRow) layout(gtx layout.Context, y int) layout.Dimensions {
	x, height, gap := 0, gtx.Dp(FlowRow), gtx.Dp(flowGap)
	for _, item := range r {
		placeInRow(gtx, item, image.Pt(x, y), height)
		x += item.size.X + gap
	}
	return layout.Dimensions{Size: image.Pt(max(0, x-gap), height)}
}

// record lays w out without showing it yet.
func record(gtx layout.Context, w layout.Widget) (op.CallOp, image.Point) {
	m := op.Record(gtx.Ops)
	d := w(gtx)
	return m.Stop(), d.Size
}

// placeInRow adds what was recorded at p, in the middle of a row.
func placeInRow(gtx layout.Context, r recorded, p image.Point, row int) {
	defer op.Offset(p.Add(image.Pt(0, (row-r.size.Y)/2))).Push(gtx.Ops).Pop()
	r.call.Add(gtx.Ops)
}
