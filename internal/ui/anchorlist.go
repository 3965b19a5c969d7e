package ui

import (
	"gioui.org/layout"
	"gioui.org/unit"
	"gioui.org/widget"

	"diptych/internal/align"
	"diptych/internal/command"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
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

func (l *anchorList) layout(a *App, gtx layout.Context, st *session.State) layout.Dimensions {
	n := st.Anchors.Len()
	l.clicked(a, gtx, st)
	if n == 0 {
		l.drop.Close()
		return layout.Dimensions{}
	}
	d := layout.Flex{Alignment: layout.Middle}.Layout(gtx,
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.kit.Pressable(gtx, &l.drop.Toggle, "List the anchors", l.drop.Open(),
				func(gtx layout.Context) layout.Dimensions { return l.count(a, gtx, n) })
		}),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.kit.IconButton(gtx, &l.discard, kit.CrossIcon, command.Get(command.RemoveAnchors).Title)
		}))
	all := st.Anchors.All()
	l.drop.Layout(a.kit, gtx, d.Size.Y, n, func(gtx layout.Context, i int) layout.Dimensions {
		return l.line(a, gtx, st, all[i])
	})
	return d
}

// count says how many anchors there are.
func (l *anchorList) count(a *App, gtx layout.Context, n int) layout.Dimensions {
	return layout.Inset{Left: 4, Right: 7, Top: 5, Bottom: 5}.Layout(gtx,
		func(gtx layout.Context) layout.Dimensions {
			return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
				layout.Rigid(func(gtx layout.Context) layout.Dimensions {
					return kit.PinIcon.Draw(gtx, a.kit.Pal.Text)
				}),
				kit.Space(3),
				layout.Rigid(func(gtx layout.Context) layout.Dimensions {
					return a.kit.Label(gtx, kit.Plural(n, "anchor"), a.kit.Text())
				}))
		})
}

func (l *anchorList) clicked(a *App, gtx layout.Context, st *session.State) {
	l.drop.Update(gtx)
	if l.discard.Clicked(gtx) {
		a.perform(gtx, command.RemoveAnchors)
	}
	for _, x := range st.Anchors.All() {
		r := l.row(x)
		if r.remove.Clicked(gtx) {
			a.S.RemoveAnchor(x)
		}
		if r.show.Clicked(gtx) {
			p := pinned{anchor: x}
			a.choosePin(&p, pair.A)
			a.S.Reveal(session.AnchorEnd(x, pair.A))
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
func (l *anchorList) line(a *App, gtx layout.Context, st *session.State,
	x align.Anchor) layout.Dimensions {
	r, name := l.row(x), st.AnchorName(x)
	return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
		kit.Wide(func(gtx layout.Context) layout.Dimensions {
			return a.kit.Pressable(gtx, &r.show, "Go to "+name, false,
				func(gtx layout.Context) layout.Dimensions {
					return layout.Inset{Left: 6, Right: 6, Top: 4, Bottom: 4}.Layout(gtx,
						func(gtx layout.Context) layout.Dimensions { return a.anchorEnds(gtx, st, x) })
				})
		}),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.kit.IconButton(gtx, &r.remove, kit.CrossIcon, "Remove "+name)
		}))
}

// anchorEnds names both calls of an anchor under each other, and says why it does not hold.
func (a *App) anchorEnds(gtx layout.Context, st *session.State, x align.Anchor) layout.Dimensions {
	var lines []layout.FlexChild
	for _, side := range []pair.Side{pair.A, pair.B} {
		end := session.AnchorEnd(x, side)
		lines = append(lines, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return layout.Inset{Bottom: 2}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
				return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
					layout.Rigid(func(gtx layout.Context) layout.Dimensions { return a.kit.Badge(gtx, side) }),
					kit.Space(6),
					kit.Wide(func(gtx layout.Context) layout.Dimensions {
						return a.kit.Label(gtx, st.FunctionName(end), a.kit.Text())
					}),
					a.kit.Cell(unit.Dp(90), words.StartOf(st, end), kit.Right(a.kit.Faint())))
			})
		}))
	}
	if note := words.HoldingNote(st.Holding(x)); note != "" {
		lines = append(lines, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.kit.Label(gtx, note, kit.Style{Size: kit.Small, Color: a.kit.Pal.Warn})
		}))
	}
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx, lines...)
}
