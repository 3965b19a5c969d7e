package ui

import (
	"fmt"
	"strings"

	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/command"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/words"
)

// hiddenList is the control of hidden threads: how many there are, and a list that drops from it, to
// bring them back.
type hiddenList struct {
	drop kit.Drop
	rows map[int]*widget.Clickable
	all  widget.Clickable
}

func (l *hiddenList) clicked(a *App, gtx layout.Context, st *session.State) {
	l.drop.Update(gtx)
	if l.all.Clicked(gtx) {
		a.S.BringBack()
	}
	for line, c := range l.rows {
		if c.Clicked(gtx) {
			a.S.BringBack(line)
		}
	}
	if len(st.Circle().Hidden) == 0 {
		l.drop.Close()
	}
}

func (l *hiddenList) layout(a *App, gtx layout.Context, st *session.State) layout.Dimensions {
	n := len(st.Circle().Hidden)
	d := a.kit.Button(gtx, &l.drop.Toggle, fmt.Sprintf("%d hidden", n), "List hidden threads", l.drop.Open())
	l.drop.Layout(a.kit, gtx, d.Size.Y, n+1, func(gtx layout.Context, i int) layout.Dimensions {
		if i == n {
			return a.kit.Button(gtx, &l.all, "bring all back", command.Get(command.BringBack).Title, true)
		}
		line := nth(st, i)
		tp := st.Pair.Threads[line]
		name := words.PairName(st, tp)
		text := strings.TrimSpace(name + " " + words.PairIDs(st, tp))
		return a.kit.Button(gtx, l.row(line), text, "Bring back "+name, false)
	})
	return d
}

// nth returns the i-th hidden line.
func nth(st *session.State, i int) int {
	for k := range st.Pair.Threads {
		if st.Circle().Hidden[k] {
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
