package kit

import (
	"strings"

	"gioui.org/layout"
	"gioui.org/widget"
)

// Filtered takes what was typed into a filter above a list and returns it as it is compared: in
// lower case, without spaces around it.
func Filtered(gtx layout.Context, e *widget.Editor) string {
	e.SingleLine = true
	for {
		if _, ok := e.Update(gtx); !ok {
			return strings.ToLower(strings.TrimSpace(e.Text()))
		}
	}
}

// FilterField is the field above a list that says which rows the list shows.
func (k *Kit) FilterField(e *widget.Editor, hint, name string) layout.FlexChild {
	return layout.Rigid(func(gtx layout.Context) layout.Dimensions {
		return layout.Inset{Right: 8, Bottom: 6}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
			return k.Field(gtx, e, hint, name)
		})
	})
}

// ChosenOrder returns the order that was clicked, by its index, else the order now.
func ChosenOrder(gtx layout.Context, clicks []widget.Clickable, now int) int {
	for i := range clicks {
		if clicks[i].Clicked(gtx) {
			now = i
		}
	}
	return now
}

// Ordering lets the user choose what a list is sorted by; of gives the label of each order and its
// name for assistive tools.
func (k *Kit) Ordering(clicks []widget.Clickable, now int,
	of func(i int) (label, name string)) layout.FlexChild {
	return layout.Rigid(func(gtx layout.Context) layout.Dimensions {
		children := []layout.FlexChild{layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return k.Label(gtx, "by", k.Caption())
		}), Space(2)}
		for i := range clicks {
			children = append(children, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				label, name := of(i)
				return k.Button(gtx, &clicks[i], label, name, i == now)
			}))
		}
		return layout.Flex{Alignment: layout.Middle}.Layout(gtx, children...)
	})
}
