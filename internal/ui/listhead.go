package ui

import (
	"strings"

	"gioui.org/layout"
	"gioui.org/widget"
)

// filtered takes what was typed into a list's filter and returns it as it is compared.
func filtered(gtx layout.Context, e *widget.Editor) string {
	e.SingleLine = true
	for {
		if _, ok := e.Update(gtx); !ok {
			return strings.ToLower(strings.TrimSpace(e.Text()))
		}
	}
}

// filterField is the field above a list that chooses from it.
func (a *App) filterField(e *widget.Editor, hint, name string) layout.FlexChild {
	return layout.Rigid(func(gtx layout.Context) layout.Dimensions {
		return layout.Inset{Right: 8, Bottom: 6}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
			return a.field(gtx, e, hint, name)
		})
	})
}

// chosenOrder returns which order of a list was clicked, else the one it has.
func chosenOrder(gtx layout.Context, clicks []widget.Clickable, now int) int {
	for i := range clicks {
		if clicks[i].Clicked(gtx) {
			now = i
		}
	}
	return now
}

// ordering lets the user choose what a list is sorted by; of names the orders.
func (a *App) ordering(clicks []widget.Clickable, now int, of func(i int) (label, name string)) layout.FlexChild {
	return a.choice(clicks, now, "by", of)
}

// choice is a row of alternatives after a word.
func (a *App) choice(clicks []widget.Clickable, now int, word string,
	of func(i int) (label, name string)) layout.FlexChild {
	return layout.Rigid(func(gtx layout.Context) layout.Dimensions {
		children := []layout.FlexChild{layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.look.label(gtx, word, style{size: small, color: a.look.pal.Secondary})
		}), space(2)}
		for i := range clicks {
			children = append(children, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				label, name := of(i)
				return a.button(gtx, &clicks[i], label, name, i == now)
			}))
		}
		return layout.Flex{Alignment: layout.Middle}.Layout(gtx, children...)
	})
}
