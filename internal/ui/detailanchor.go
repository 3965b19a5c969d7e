package ui

import (
	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/command"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/words"
)

// anchoring are the controls by which the selected call is aligned by hand.
type anchoring struct{ here, mark, remove, other widget.Clickable }

// layout says how the selected call stands to the anchors, and what can be done about it.
func (c *anchoring) layout(a *App, gtx layout.Context, st *session.State) layout.Dimensions {
	if c.here.Clicked(gtx) {
		a.perform(gtx, command.AlignHere)
	}
	if c.mark.Clicked(gtx) {
		a.S.MarkHere()
	}
	if x, ok := st.AnchorOf(st.Selected); ok {
		if c.remove.Clicked(gtx) {
			a.S.RemoveAnchor(x)
		}
		other := session.AnchorEnd(x, st.Selected.Side.Other())
		if c.other.Clicked(gtx) {
			a.S.Select(other)
			a.S.Reveal(other)
		}
		return c.anchored(a, gtx, st, other, st.Holding(x))
	}
	switch mate := st.Mate(); {
	case mate.OK:
		label := "Align with " + st.FunctionName(mate) + " in " + mate.Side.String()
		return c.row(a, gtx, label, "", mate != st.Mark)
	case st.Mark == st.Selected:
		next := "choose a call in " + st.Mark.Side.Other().String() + ", then press X"
		return c.row(a, gtx, "Unmark", next, false)
	}
	return c.row(a, gtx, "Align here", "", false)
}

// row is the button, with its key or what to do next behind it, and another where the call can be
// marked instead.
func (c *anchoring) row(a *App, gtx layout.Context, label, next string,
	mark bool) layout.Dimensions {
	if next == "" {
		next = command.Get(command.AlignHere).Keys[0]
	}
	return layout.Inset{Bottom: 8, Right: 8}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				gtx.Constraints.Max.X -= gtx.Dp(32)
				if mark {
					gtx.Constraints.Max.X -= gtx.Dp(80)
				}
				return a.kit.Button(gtx, &c.here, label, label, true)
			}),
			kit.Space(8),
			kit.Wide(func(gtx layout.Context) layout.Dimensions { return a.kit.Label(gtx, next, a.kit.Faint()) }),
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				if !mark {
					return layout.Dimensions{}
				}
				return a.kit.Button(gtx, &c.mark, "only mark", "Only mark", false)
			}))
	})
}

// anchored names the call that the selected one is aligned with by hand.
func (c *anchoring) anchored(a *App, gtx layout.Context, st *session.State, other session.Target,
	h session.Holding) layout.Dimensions {
	text := "Aligned by hand with"
	if note := words.HoldingNote(h); note != "" {
		text = "By hand, " + note + ":"
	}
	return layout.Inset{Bottom: 8, Right: 8}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return a.kit.Label(gtx, text, a.kit.Faint())
			}),
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
					layout.Flexed(1, func(gtx layout.Context) layout.Dimensions {
						return a.kit.Pressable(gtx, &c.other, "Go to "+st.FunctionName(other), false,
							func(gtx layout.Context) layout.Dimensions { return a.sideCall(gtx, st, other) })
					}),
					kit.Space(8),
					layout.Rigid(func(gtx layout.Context) layout.Dimensions {
						return a.kit.Button(gtx, &c.remove, "remove", "Remove this anchor", false)
					}))
			}))
	})
}

// sideCall names a call behind the badge of its side.
func (a *App) sideCall(gtx layout.Context, st *session.State, t session.Target) layout.Dimensions {
	return layout.Inset{Top: 3, Bottom: 3, Right: 6}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
			layout.Rigid(func(gtx layout.Context) layout.Dimensions { return a.kit.Badge(gtx, t.Side) }),
			kit.Space(6),
			kit.Wide(func(gtx layout.Context) layout.Dimensions {
				return a.kit.Label(gtx, st.FunctionName(t), a.kit.Text())
			}))
	})
}
