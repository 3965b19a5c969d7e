package dock

import (
	"fmt"
	"strconv"

	"gioui.org/layout"
	"gioui.org/unit"
	"gioui.org/widget"

	"diptych/internal/command"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// noteList lists the notes. A click goes to one; beside it are the ways to change and to delete it.
type noteList struct {
	list widget.List
	rows map[int]*noteRow // by number
}

type noteRow struct{ show, edit, remove widget.Clickable }

const noNotes = "There are no notes. Select a call, or a time with Shift-drag, and press "

// Layout lays the list out.
func (l *noteList) Layout(c *view.Context, gtx C, st *session.State) D {
	all := st.Notes.All()
	if len(all) == 0 {
		return c.Kit.Hint(gtx, noNotes+c.Command(command.AddNote).Keys[0]+".")
	}
	for i := range all {
		l.hear(c, gtx, all[i])
	}
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
		listed(c, &l.list, len(all), func(gtx C, i int) D { return l.row(c, gtx, st, all[i]) }))
}

func (l *noteList) of(n session.Note) *noteRow {
	if l.rows == nil {
		l.rows = map[int]*noteRow{}
	}
	if l.rows[n.Number] == nil {
		l.rows[n.Number] = &noteRow{}
	}
	return l.rows[n.Number]
}

func (l *noteList) hear(c *view.Context, gtx C, n session.Note) {
	r := l.of(n)
	switch {
	case r.remove.Clicked(gtx):
		c.S.RemoveNote(n.Number)
	case r.edit.Clicked(gtx):
		c.WriteNote(n.Spot)
	case r.show.Clicked(gtx):
		c.S.ShowNote(n)
	}
}

// row is a note: its number and text over the call or the time that it belongs to.
func (l *noteList) row(c *view.Context, gtx C, st *session.State, n session.Note) D {
	r, text, place := l.of(n), c.Kit.Text(), c.Kit.Caption()
	text.Lines = 6
	if n.Lost() {
		place.Color = c.Kit.Pal.Warn
	}
	number := strconv.Itoa(n.Number)
	return layout.Flex{Alignment: layout.Start}.Layout(gtx,
		kit.Wide(func(gtx C) D {
			return c.Kit.Pressable(gtx, &r.show, fmt.Sprintf("Go to note %s: %s", number, n.Text), false,
				func(gtx C) D {
					return layout.Inset{Left: 6, Right: 6, Top: 5, Bottom: 5}.Layout(gtx, func(gtx C) D {
						return layout.Flex{Alignment: layout.Start}.Layout(gtx, badge(c, n.Side), kit.Space(6),
							c.Kit.Cell(unit.Dp(22), number, kit.Right(c.Kit.Faint())), kit.Space(8),
							kit.Wide(func(gtx C) D {
								return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
									label(c, n.Text, text), label(c, words.NotePlace(st, &n), place))
							}))
					})
				})
		}),
		layout.Rigid(func(gtx C) D {
			if n.Lost() {
				return D{}
			}
			return c.Kit.Button(gtx, &r.edit, "edit", "Edit note "+number, false)
		}),
		layout.Rigid(func(gtx C) D {
			return c.Kit.IconButton(gtx, &r.remove, kit.CrossIcon, "Delete note "+number)
		}))
}
