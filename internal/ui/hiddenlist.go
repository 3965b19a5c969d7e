package ui

import (
	"fmt"
	"image"
	"strings"

	"gioui.org/io/event"
	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/widget"

	"diptych/internal/command"
	"diptych/internal/session"
)

// hiddenList is the control of hidden threads: how many there are, and a list that drops from it, to
// bring them back.
type hiddenList struct {
	open   bool
	toggle widget.Clickable
	list   widget.List
	card   struct{ _ byte }
	rows   map[int]*widget.Clickable
	all    widget.Clickable
}

func (l *hiddenList) clicked(a *App, gtx layout.Context, st *session.State) {
	if l.toggle.Clicked(gtx) {
		l.open = !l.open
	}
	if l.all.Clicked(gtx) {
		a.S.BringBack()
	}
	for line, c := range l.rows {
		if c.Clicked(gtx) {
			a.S.BringBack(line)
		}
	}
	if len(st.Circle.Hidden) == 0 {
		l.open = false
	}
}

func (l *hiddenList) layout(a *App, gtx layout.Context, st *session.State) layout.Dimensions {
	n := len(st.Circle.Hidden)
	d := a.button(gtx, &l.toggle, fmt.Sprintf("%d hidden", n), "List hidden threads", l.open)
	if l.open {
		m := op.Record(gtx.Ops)
		op.Offset(image.Pt(0, d.Size.Y+gtx.Dp(4))).Add(gtx.Ops)
		l.drop(a, gtx, st)
		op.Defer(gtx.Ops, m.Stop()) // over the view below
	}
	return d
}

// drop lays out the list on a card of its own.
func (l *hiddenList) drop(a *App, gtx layout.Context, st *session.State) {
	gtx.Constraints = layout.Constraints{Max: image.Pt(gtx.Dp(listWidth), a.frame.Size.Y/2)}
	m := op.Record(gtx.Ops)
	d := layout.UniformInset(6).Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		n := len(st.Circle.Hidden)
		return a.rows(gtx, &l.list, n+1, func(gtx layout.Context, i int) layout.Dimensions {
			if i == n {
				return a.button(gtx, &l.all, "bring all back", command.Get(command.BringBack).Title, true)
			}
			line := nth(st, i)
			tp := st.Pair.Threads[line]
			name := pairName(st, tp)
			text := strings.TrimSpace(name + " " + pairIDs(st, tp))
			return a.button(gtx, l.row(line), text, "Bring back "+name, false)
		})
	})
	rows, card := m.Stop(), image.Rectangle{Max: d.Size}
	fillRound(gtx, card.Add(image.Pt(0, gtx.Dp(2))).Inset(-gtx.Dp(1)), gtx.Dp(6), a.look.pal.Shadow)
	fillRound(gtx, card, gtx.Dp(5), a.look.pal.Pane)
	strokeRound(gtx, card, gtx.Dp(5), a.px(1), a.look.pal.Line)
	defer clip.Rect(card).Push(gtx.Ops).Pop()
	event.Op(gtx.Ops, &l.card) // a press between the rows does not reach the view
	rows.Add(gtx.Ops)
}

// nth returns the i-th hidden line.
func nth(st *session.State, i int) int {
	for k := range st.Pair.Threads {
		if st.Circle.Hidden[k] {
			if i == 0 {
				return k
			}
			i--
		}
	}
	return 0
}

func (l *hiddenList) row(line int) *widget.Clickable {
	if l.rows == nil {
		l.rows = map[int]*widget.Clickable{}
	}
	if l.rows[line] == nil {
		l.rows[line] = &widget.Clickable{}
	}
	return l.rows[line]
}
