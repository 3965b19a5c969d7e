package kit

import (
	"image"

	"gioui.org/gesture"
	"gioui.org/io/event"
	"gioui.org/io/pointer"
	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
)

// Splitter is a draggable gap between two panes. Its owner keeps the size that it changes.
type Splitter struct {
	drag gesture.Drag
	from float32 // where the drag began, px
	base float32 // the size then, dp
}

// Update lays the splitter out over r and returns the new size, in dp, of the pane that it resizes.
// With sign +1 that pane grows as the pointer moves right or down, with −1 as it moves left or up.
func (p *Splitter) Update(k *Kit, gtx layout.Context, r image.Rectangle, axis gesture.Axis,
	size, sign float32) float32 {
	if r.Empty() {
		return size
	}
	defer clip.Rect(r).Push(gtx.Ops).Pop()
	cursor := pointer.CursorRowResize
	if axis == gesture.Horizontal {
		cursor = pointer.CursorColResize
	}
	cursor.Add(gtx.Ops)
	p.drag.Add(gtx.Ops)
	event.Op(gtx.Ops, p)
	for {
		e, ok := p.drag.Update(gtx.Metric, gtx.Source, axis)
		if !ok {
			return size
		}
		pos := e.Position.Y
		if axis == gesture.Horizontal {
			pos = e.Position.X
		}
		switch e.Kind {
		case pointer.Press:
			p.from, p.base = pos, size
		case pointer.Drag:
			size = p.base + sign*(pos-p.from)/k.Px(1)
			gtx.Execute(op.InvalidateCmd{})
		}
	}
}
