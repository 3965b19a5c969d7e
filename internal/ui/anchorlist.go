package ui

import (
	"image"

	"gioui.org/f32"
	"gioui.org/io/event"
	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/unit"
	"gioui.org/widget"

	"diptych/internal/align"
	"diptych/internal/command"
	"diptych/internal/pair"
	"diptych/internal/session"
)

// anchorList is the control of the anchors: how many there are, and a list that drops from it, to
// go to one or to remove it.
type anchorList struct {
	open    bool
	toggle  widget.Clickable
	discard widget.Clickable
	list    widget.List
	rows    map[align.Anchor]*anchorRow
}

type anchorRow struct{ show, remove widget.Clickable }

// listWidth is the width of the list in dp.
const listWidth unit.Dp = 380

// crossIcon removes what it stands beside.
var crossIcon = icon{{{X: 4.5, Y: 4.5}, {X: 11.5, Y: 11.5}}, {{X: 11.5, Y: 4.5}, {X: 4.5, Y: 11.5}}}

// pinIcon stands for an anchor: two heads of pins joined by a line.
var pinIcon = icon{ring(f32.Pt(8, 4), 2.3), ring(f32.Pt(8, 12), 2.3), {{X: 8, Y: 6.3}, {X: 8, Y: 9.7}}}

func (l *anchorList) layout(a *App, gtx layout.Context, st *session.State) layout.Dimensions {
	n := st.Anchors.Len()
	l.clicked(a, gtx, st)
	if n == 0 {
		l.open = false
		return layout.Dimensions{}
	}
	d := layout.Flex{Alignment: layout.Middle}.Layout(gtx,
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.pressable(gtx, &l.toggle, "List the anchors", l.open,
				func(gtx layout.Context) layout.Dimensions { return l.count(a, gtx, n) })
		}),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.iconButton(gtx, &l.discard, crossIcon, command.Get(command.RemoveAnchors).Title)
		}))
	if l.open {
		m := op.Record(gtx.Ops)
		op.Offset(image.Pt(0, d.Size.Y+gtx.Dp(4))).Add(gtx.Ops)
		l.drop(a, gtx, st)
		op.Defer(gtx.Ops, m.Stop()) // over the view below
	}
	return d
}

// count says how many anchors there are.
func (l *anchorList) count(a *App, gtx layout.Context, n int) layout.Dimensions {
	return layout.Inset{Left: 4, Right: 7, Top: 5, Bottom: 5}.Layout(gtx,
		func(gtx layout.Context) layout.Dimensions {
			return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
				layout.Rigid(func(gtx layout.Context) layout.Dimensions {
					return pinIcon.draw(gtx, a.look.pal.Text)
				}),
				space(3),
				layout.Rigid(func(gtx layout.Context) layout.Dimensions {
					return a.look.label(gtx, plural(n, "anchor"), a.look.text())
				}))
		})
}

func (l *anchorList) clicked(a *App, gtx layout.Context, st *session.State) {
	if l.toggle.Clicked(gtx) {
		l.open = !l.open
	}
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

// drop lays out the list on a card of its own.
func (l *anchorList) drop(a *App, gtx layout.Context, st *session.State) {
	width := gtx.Dp(listWidth)
	gtx.Constraints = layout.Constraints{Min: image.Pt(width, 0), Max: image.Pt(width, a.frame.Size.Y/2)}
	m := op.Record(gtx.Ops)
	d := layout.UniformInset(6).Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		all := st.Anchors.All()
		return a.rows(gtx, &l.list, len(all), func(gtx layout.Context, i int) layout.Dimensions {
			return l.line(a, gtx, st, all[i])
		})
	})
	rows, card := m.Stop(), image.Rectangle{Max: d.Size}
	fillRound(gtx, card.Add(image.Pt(0, gtx.Dp(2))).Inset(-gtx.Dp(1)), gtx.Dp(6), a.look.pal.Shadow)
	fillRound(gtx, card, gtx.Dp(5), a.look.pal.Pane)
	strokeRound(gtx, card, gtx.Dp(5), a.px(1), a.look.pal.Line)
	defer clip.Rect(card).Push(gtx.Ops).Pop()
	event.Op(gtx.Ops, l) // a press between the rows does not reach the view
	rows.Add(gtx.Ops)
}

// line is an anchor: both calls, why it does not hold if it does not, and the way to be rid of it.
func (l *anchorList) line(a *App, gtx layout.Context, st *session.State,
	x align.Anchor) layout.Dimensions {
	r, name := l.row(x), st.AnchorName(x)
	return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
		wide(func(gtx layout.Context) layout.Dimensions {
			return a.pressable(gtx, &r.show, "Go to "+name, false,
				func(gtx layout.Context) layout.Dimensions {
					return layout.Inset{Left: 6, Right: 6, Top: 4, Bottom: 4}.Layout(gtx,
						func(gtx layout.Context) layout.Dimensions { return a.anchorEnds(gtx, st, x) })
				})
		}),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.iconButton(gtx, &r.remove, crossIcon, "Remove "+name)
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
					layout.Rigid(func(gtx layout.Context) layout.Dimensions { return a.badge(gtx, side) }),
					space(6),
					wide(func(gtx layout.Context) layout.Dimensions {
						return a.look.label(gtx, st.FunctionName(end), a.look.text())
					}),
					a.cell(unit.Dp(90), startOf(st, end), right(a.look.faint())))
			})
		}))
	}
	if note := holdingNote(st.Holding(x)); note != "" {
		lines = append(lines, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.look.label(gtx, note, style{size: small, color: a.look.pal.Warn})
		}))
	}
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx, lines...)
}
