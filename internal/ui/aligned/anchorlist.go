package aligned

import (
	"gioui.org/layout"
	"gioui.org/unit"
	"gioui.org/widget"

	"diptych/internal/align"
	"diptych/internal/command"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/pins"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// anchorList is the control of the anchors: how many there are, and a list that drops from it, to
// go to one or to remove it.
type anchorList struct {
	drop    kit.Drop
	discard widget.Clickable
	rows    map[align.Anchor]*anchorRow
}

type anchorRow struct{ show, remove widget.Clickable }

func (l *anchorList) layout(c *view.Context, gtx layout.Context, st *session.State) layout.Dimensions {
	n := st.Anchors.Len()
	l.clicked(c, gtx, st)
	if n == 0 {
		l.drop.Close()
		return layout.Dimensions{}
	}
	d := layout.Flex{Alignment: layout.Middle}.Layout(gtx,
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return c.Kit.Pressable(gtx, &l.drop.Toggle, "List the anchors", l.drop.Open(),
				func(gtx layout.Context) layout.Dimensions { return l.count(c, gtx, n) })
		}),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return c.Kit.IconButton(gtx, &l.discard, kit.CrossIcon, c.Command(command.RemoveAnchors).Title)
		}))
	all := st.Anchors.All()
	l.drop.Layout(c.Kit, gtx, d.Size.Y, n, func(gtx layout.Context, i int) layout.Dimensions {
		return l.line(c, gtx, st, all[i])
	})
	return d
}

// count says how many anchors there are.
func (l *anchorList) count(c *view.Context, gtx layout.Context, n int) layout.Dimensions {
	return layout.Inset{Left: 4, Right: 7, Top: 5, Bottom: 5}.Layout(gtx,
		func(gtx layout.Context) layout.Dimensions {
			return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
				layout.Rigid(func(gtx layout.Context) layout.Dimensions {
					return kit.PinIcon.Draw(gtx, c.Kit.Pal.Text)
				}),
				kit.Space(3),
				layout.Rigid(func(gtx layout.Context) layout.Dimensions {
					return c.Kit.Label(gtx, kit.Plural(n, "anchor"), c.Kit.Text())
				}))
		})
}

func (l *anchorList) clicked(c *view.Context, gtx layout.Context, st *session.State) {
	l.drop.Update(gtx)
	if l.discard.Clicked(gtx) {
		c.Perform(gtx, command.RemoveAnchors)
	}
	for _, x := range st.Anchors.All() {
		r := l.row(x)
		if r.remove.Clicked(gtx) {
			c.S.RemoveAnchor(x)
		}
		if r.show.Clicked(gtx) {
			p := pins.Pin{Anchor: x}
			p.Choose(c, pair.A)
			c.S.Reveal(session.AnchorEnd(x, pair.A))
		}
	}
}

func (l *anchorList) row(x align.Anchor) *anchorRow {
	r := l.rows[x]
	if r == nil {
		if l.rows == nil {
			l.rows = map[align.Anchor]*anchorRow{}
		}
		r = &anchorRow{}
		l.rows[x] = r
	}
	return r
}

// line is an anchor: both calls, why it does not hold if it does not, and the way to be rid of it.
func (l *anchorList) line(c *view.Context, gtx layout.Context, st *session.State,
	x align.Anchor) layout.Dimensions {
	r, name := l.row(x), st.AnchorName(x)
	return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
		kit.Wide(func(gtx layout.Context) layout.Dimensions {
			return c.Kit.Pressable(gtx, &r.show, "Go to "+name, false,
				func(gtx layout.Context) layout.Dimensions {
					return layout.Inset{Left: 6, Right: 6, Top: 4, Bottom: 4}.Layout(gtx,
						func(gtx layout.Context) layout.Dimensions { return anchorEnds(c, gtx, st, x) })
				})
		}),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return c.Kit.IconButton(gtx, &r.remove, kit.CrossIcon, "Remove "+name)
		}))
}

// anchorEnds names both calls of an anchor under each other, and says why it does not hold.
func anchorEnds(c *view.Context, gtx layout.Context, st *session.State, x align.Anchor) layout.Dimensions {
	var lines []layout.FlexChild
	for _, side := range []pair.Side{pair.A, pair.B} {
		end := session.AnchorEnd(x, side)
		lines = append(lines, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return layout.Inset{Bottom: 2}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
				return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
					layout.Rigid(func(gtx layout.Context) layout.Dimensions { return c.Kit.Badge(gtx, side) }),
					kit.Space(6),
					kit.Wide(func(gtx layout.Context) layout.Dimensions {
						return c.Kit.Label(gtx, st.FunctionName(end), c.Kit.Text())
					}),
					c.Kit.Cell(unit.Dp(90), words.StartOf(st, end), kit.Right(c.Kit.Faint())))
			})
		}))
	}
	if note := words.HoldingNote(st.Holding(x)); note != "" {
		lines = append(lines, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return c.Kit.Label(gtx, note, kit.Style{Size: kit.Small, Color: c.Kit.Pal.Warn})
		}))
	}
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx, lines...)
}
