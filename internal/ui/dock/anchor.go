package dock

import (
	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/command"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// anchoring are the controls by which the selected call is aligned by hand.
type anchoring struct{ here, mark, remove, other widget.Clickable }

// alignHere aligns the selected call by hand. The command belongs to the view of the alignment; the
// window knows how to carry it out.
const alignHere command.ID = "align-here"

// keyOf returns the key of a command, "" if it has none.
func keyOf(c *view.Context, id command.ID) string {
	if x := c.Command(id); x != nil && len(x.Keys) > 0 {
		return x.Keys[0]
	}
	return ""
}

// layout says how the selected call stands to the anchors, and what can be done about it.
func (n *anchoring) layout(c *view.Context, gtx C, st *session.State) D {
	if !st.Both() || st.Pair == nil {
		return D{}
	}
	n.clicked(c, gtx, st)
	if x, ok := st.AnchorOf(st.Selected); ok {
		other := session.AnchorEnd(x, st.Selected.Side.Other())
		return n.anchored(c, gtx, st, other, st.Holding(x))
	}
	switch mate := st.Mate(); {
	case mate.OK:
		label := "Align with " + st.FunctionName(mate) + " in " + mate.Side.String()
		return n.row(c, gtx, label, "", mate != st.Mark)
	case st.Mark == st.Selected:
		next := "choose a call in " + st.Mark.Side.Other().String() + ", then press X"
		return n.row(c, gtx, "Unmark", next, false)
	}
	return n.row(c, gtx, "Align here", "", false)
}

// clicked does what was clicked.
func (n *anchoring) clicked(c *view.Context, gtx C, st *session.State) {
	if n.here.Clicked(gtx) {
		c.Perform(gtx, alignHere)
	}
	if n.mark.Clicked(gtx) {
		c.S.MarkHere()
	}
	x, ok := st.AnchorOf(st.Selected)
	if ok && n.remove.Clicked(gtx) {
		c.S.RemoveAnchor(x)
	}
	if ok && n.other.Clicked(gtx) {
		other := session.AnchorEnd(x, st.Selected.Side.Other())
		c.S.Select(other)
		c.S.Reveal(other)
	}
}

// row is the button, with its key or what to do next behind it, and another where the call can be
// marked instead.
func (n *anchoring) row(c *view.Context, gtx C, label, next string,
	mark bool) D {
	if next == "" {
		next = keyOf(c, alignHere)
	}
	return layout.Inset{Bottom: 8, Right: 8}.Layout(gtx, func(gtx C) D {
		return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
			layout.Rigid(func(gtx C) D {
				gtx.Constraints.Max.X -= gtx.Dp(32)
				if mark {
					gtx.Constraints.Max.X -= gtx.Dp(80)
				}
				return c.Kit.Button(gtx, &n.here, label, label, true)
			}),
			kit.Space(8),
			wide(c, next, c.Kit.Faint()),
			layout.Rigid(func(gtx C) D {
				if !mark {
					return D{}
				}
				return c.Kit.Button(gtx, &n.mark, "only mark", "Only mark", false)
			}))
	})
}

// anchored names the call that the selected one is aligned with by hand.
func (n *anchoring) anchored(c *view.Context, gtx C, st *session.State, other session.Target,
	h session.Holding) D {
	text := "Aligned by hand with"
	if note := words.HoldingNote(h); note != "" {
		text = "By hand, " + note + ":"
	}
	return layout.Inset{Bottom: 8, Right: 8}.Layout(gtx, func(gtx C) D {
		return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
			label(c, text, c.Kit.Faint()),
			layout.Rigid(func(gtx C) D {
				return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
					layout.Flexed(1, func(gtx C) D {
						return c.Kit.Pressable(gtx, &n.other, "Go to "+st.FunctionName(other), false,
							func(gtx C) D { return sideCall(c, gtx, st, other) })
					}),
					kit.Space(8),
					layout.Rigid(func(gtx C) D {
						return c.Kit.Button(gtx, &n.remove, "remove", "Remove this anchor", false)
					}))
			}))
	})
}

// sideCall names a call behind the badge of its side.
func sideCall(c *view.Context, gtx C, st *session.State, t session.Target) D {
	return layout.Inset{Top: 3, Bottom: 3, Right: 6}.Layout(gtx, func(gtx C) D {
		return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
			badge(c, t.Side),
			kit.Space(6),
			wide(c, st.FunctionName(t), c.Kit.Text()))
	})
}
