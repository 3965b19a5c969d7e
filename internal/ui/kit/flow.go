package kit

import (
	"image"

	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/unit"
	"gioui.org/widget"
)

// Flow lays controls out in rows. While it is closed only those of the first row are shown, and a
// button tells that there are more; so a wide window shows everything and a narrow one what matters
// most, which comes first.
type Flow struct {
	open bool
	more widget.Clickable
	rows int    // in the last frame
	cut  bool   // whether some controls are hidden
	Of   string // what the controls are settings of, in the plural: "matches"
}

// The height of a row and the gap between controls.
const (
	FlowRow unit.Dp = 30
	flowGap unit.Dp = 14
)

// Height returns what the rows take, in px, as of the last frame.
func (f *Flow) Height(k *Kit) int { return max(f.rows, 1) * k.Dp(float32(FlowRow)) }

// Layout lays out items and, at the right end of the first row, tail.
func (f *Flow) Layout(k *Kit, gtx layout.Context, tail layout.Widget, items []layout.Widget) {
	if f.more.Clicked(gtx) {
		f.open = !f.open
	}
	width, row, gap := gtx.Constraints.Max.X, gtx.Dp(FlowRow), gtx.Dp(flowGap)
	free := gtx
	free.Constraints = layout.Constraints{Max: image.Pt(width, row)}
	last, lastSize := record(free, func(gtx layout.Context) layout.Dimensions {
		return f.tail(k, gtx, tail)
	})
	room := width - lastSize.X - gap
	placeInRow(gtx, last, lastSize, image.Pt(width-lastSize.X, 0), row)

	x, y := 0, 0
	f.rows, f.cut = 1, false
	for _, item := range items {
		call, size := record(free, item)
		if x > 0 && x+size.X > room {
			f.cut = true
			if !f.open {
				break
			}
			x, y, room = 0, y+row, width
			f.rows++
		}
		placeInRow(gtx, call, size, image.Pt(x, y), row)
		x += size.X + gap
	}
}

// tail is what stands at the right end, with the button if there is more to show.
func (f *Flow) tail(k *Kit, gtx layout.Context, tail layout.Widget) layout.Dimensions {
	children := []layout.FlexChild{layout.Rigid(tail)}
	if f.cut || f.open {
		label, name := "more", "More settings of the "+f.Of
		if f.open {
			label, name = "less", "Fewer settings of the "+f.Of
		}
		children = append(children, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return k.Button(gtx, &f.more, label, name, f.open)
		}))
	}
	return layout.Flex{Alignment: layout.Middle}.Layout(gtx, children...)
}

// record lays w out without showing it yet.
func record(gtx layout.Context, w layout.Widget) (op.CallOp, image.Point) {
	m := op.Record(gtx.Ops)
	d := w(gtx)
	return m.Stop(), d.Size
}

// placeInRow adds what was recorded at p, in the middle of a row.
func placeInRow(gtx layout.Context, call op.CallOp, size, p image.Point, row int) {
	defer op.Offset(p.Add(image.Pt(0, (row-size.Y)/2))).Push(gtx.Ops).Pop()
	call.Add(gtx.Ops)
}
