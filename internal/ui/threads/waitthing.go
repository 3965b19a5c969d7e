package threads

import (
	"gioui.org/layout"

	"diptych/internal/ui/things"
	"diptych/internal/ui/view"
)

// Thing implements view.Holder: a line of the table of waits.
func (l *Waits) Thing(_ *view.Context, pointed bool) view.Thing {
	if l.table == nil {
		return view.Thing{}
	}
	return things.Row(&l.lines, pointed, func(row int) []view.Entry {
		entries := []view.Entry{
			{Title: "Show the longest such wait", Do: func(c *view.Context, _ layout.Context) { l.choose(c, row) }},
			{Command: NextWait}, {Command: PrevWait}}
		if line := l.rows[row].Line; line >= 0 {
			entries = append(entries, view.Entry{Title: "Take the thread to the middle",
				Do: func(c *view.Context, _ layout.Context) { c.S.FocusLine(line) }})
		}
		return entries
	})
}
