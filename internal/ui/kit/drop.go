package kit

import (
	"image"

	"gioui.org/io/event"
	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/unit"
	"gioui.org/widget"
)

// Drop is a list that drops from a button and lies over what is below.
type Drop struct {
	Toggle widget.Clickable // the button that opens and closes the list
	open   bool
	list   widget.List
}

// dropWidth is the width of the list, at most.
const dropWidth unit.Dp = 380

// Update opens or closes the list when its button was clicked.
func (d *Drop) Update(gtx layout.Context) {
	if d.Toggle.Clicked(gtx) {
		d.open = !d.open
	}
}

// Open reports whether the list is open.
func (d *Drop) Open() bool { return d.open }

// Close closes the list.
func (d *Drop) Close() { d.open = false }

// DropButton opens and closes a list. It names what is chosen of it.
func (k *Kit) DropButton(gtx layout.Context, d *Drop, label, name string) layout.Dimensions {
	return k.Pressable(gtx, &d.Toggle, name, d.open, func(gtx layout.Context) layout.Dimensions {
		return layout.Inset{Left: 9, Right: 5, Top: 5, Bottom: 5}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
			return k.Dropping(gtx, label, k.Text())
		})
	})
}

// Dropping is a text and a sign that a list drops from it.
func (k *Kit) Dropping(gtx layout.Context, label string, ink Style) layout.Dimensions {
	return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
		layout.Rigid(func(gtx layout.Context) layout.Dimensions { return k.Label(gtx, label, ink) }),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions { return DownIcon.Draw(gtx, ink.Color) }))
}

// DownWidth is what the sign of Dropping takes beside its text.
const DownWidth unit.Dp = 16

// Layout lays out n rows on a card below a control that is height px high, if the list is open.
// Controls that are laid out later in the frame do not cover it.
func (d *Drop) Layout(k *Kit, gtx layout.Context, height, n int, row layout.ListElement) {
	if !d.open {
		return
	}
	m := op.Record(gtx.Ops)
	op.Offset(image.Pt(0, height+gtx.Dp(4))).Add(gtx.Ops)
	d.card(k, gtx, n, row)
	op.Defer(gtx.Ops, m.Stop())
}

// card lays out the list on its card, at most half as high as the window.
func (d *Drop) card(k *Kit, gtx layout.Context, n int, row layout.ListElement) {
	gtx.Constraints = layout.Constraints{Max: image.Pt(gtx.Dp(dropWidth), k.Size.Y/2)}
	floating(k, gtx, d, func(gtx layout.Context) layout.Dimensions {
		return k.Rows(gtx, &d.list, n, row)
	})
}

// floating lays w out on a card. A press between the controls on it goes to tag, so that it does
// not reach what is beneath.
func floating(k *Kit, gtx layout.Context, tag event.Tag, w layout.Widget) {
	m := op.Record(gtx.Ops)
	dims := layout.UniformInset(6).Layout(gtx, w)
	content, card := m.Stop(), image.Rectangle{Max: dims.Size}
	k.FloatingCard(gtx, card)
	defer clip.Rect(card).Push(gtx.Ops).Pop()
	event.Op(gtx.Ops, tag)
	content.Add(gtx.Ops)
}
