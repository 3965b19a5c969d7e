package ui

import (
	"image"

	"gioui.org/font"
	"gioui.org/io/event"
	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	"gioui.org/layout"
	"gioui.org/op/clip"
	"gioui.org/widget"

	"diptych/internal/command"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/words"
)

// paneHead stands above a pane when there are several: what it shows, and the controls that split,
// exchange and close it. A press anywhere in the pane makes it the active one.
type paneHead struct {
	controls [len(headControls)]widget.Clickable
	press    struct{ _ byte }
}

// headControls are the commands of a head, from left to right.
var headControls = [...]struct {
	id   command.ID
	icon kit.Icon
}{
	{command.SplitRight, splitRightIcon},
	{command.SplitDown, splitDownIcon},
	{command.ExchangePanes, kit.SwapIcon},
	{command.OnlyPane, onlyIcon},
	{command.ClosePane, kit.CrossIcon},
}

// square is the outline of a pane in an icon.
var square = [][2]float32{{2.5, 3.5}, {13.5, 3.5}, {13.5, 12.5}, {2.5, 12.5}, {2.5, 3.5}}

var (
	splitRightIcon = kit.Polylines(square, [][2]float32{{8, 3.5}, {8, 12.5}})
	splitDownIcon  = kit.Polylines(square, [][2]float32{{2.5, 8}, {13.5, 8}})
	onlyIcon       = kit.Polylines(square, [][2]float32{{5.5, 6}, {10.5, 6}, {10.5, 10}, {5.5, 10}, {5.5, 6}})
)

// layout draws the head over the top of the pane's rectangle r.
func (h *paneHead) layout(a *App, gtx layout.Context, r image.Rectangle) {
	st := a.S.State()
	active := st.ID == st.Active
	h.hearPress(a, gtx, st.ID, r)
	head := image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+a.kit.Dp(headHeight))
	kit.At(gtx, head, func(gtx layout.Context) {
		if active {
			kit.Fill(gtx, image.Rect(0, 0, head.Dx(), a.kit.Dp(2)), a.kit.Pal.A)
		}
		layout.Flex{Alignment: layout.Middle}.Layout(gtx,
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				gtx.Constraints.Max.X -= a.kit.Dp(headButton) // of the last button
				ink := a.kit.Text()
				if active {
					ink.Color, ink.Weight = a.kit.Pal.AText, font.Medium
				}
				return layout.Inset{Left: 4, Right: 8}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
					return a.kit.Label(gtx, a.row(st.View).Title, ink)
				})
			}),
			kit.Wide(func(gtx layout.Context) layout.Dimensions {
				return a.kit.Label(gtx, h.about(a, st), a.kit.Faint())
			}),
			layout.Rigid(func(gtx layout.Context) layout.Dimensions { return h.buttons(a, gtx, st.ID) }))
	})
}

// about says what the pane shows: its threads, unless the view knows better.
func (h *paneHead) about(a *App, st *session.State) string {
	if about := a.row(st.View).About; about != nil {
		return about(st)
	}
	if st.Process {
		return "all threads"
	}
	return words.PairTitle(st)
}

// headButton is the width of a button, dp.
const headButton = 28

// buttons are the controls; they act on their own pane. Where there is no room for all, the last
// ones stay, above all that which closes the pane.
func (h *paneHead) buttons(a *App, gtx layout.Context, id session.PaneID) layout.Dimensions {
	var children []layout.FlexChild
	hidden := max(0, len(headControls)-gtx.Constraints.Max.X/a.kit.Dp(headButton))
	for i, x := range headControls {
		if i < hidden && i < len(headControls)-1 {
			continue
		}
		if h.controls[i].Clicked(gtx) {
			a.S.Activate(id)
			a.Perform(gtx, x.id)
		}
		children = append(children, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.kit.IconButton(gtx, &h.controls[i], x.icon, a.Command(x.id).Title)
		}))
	}
	return layout.Flex{Alignment: layout.Middle}.Layout(gtx, children...)
}

// hearPress makes the pane active when it is pressed, whatever else the press does there.
func (h *paneHead) hearPress(a *App, gtx layout.Context, id session.PaneID, r image.Rectangle) {
	area := clip.Rect(r).Push(gtx.Ops)
	pass := pointer.PassOp{}.Push(gtx.Ops)
	event.Op(gtx.Ops, &h.press)
	semantic.LabelOp("Pane: " + a.row(a.S.State().View).Title).Add(gtx.Ops)
	pass.Pop()
	area.Pop()
	for {
		e, ok := gtx.Event(pointer.Filter{Target: &h.press, Kinds: pointer.Press})
		if !ok {
			return
		}
		if p, ok := e.(pointer.Event); ok && p.Kind == pointer.Press {
			a.S.Activate(id)
		}
	}
}
