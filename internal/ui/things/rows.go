package things

import (
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
)

// Row is a row of a table, of which entries say what can be done with it. The menu of a right click
// is about the row that the cursor is on, for that is where the click puts it.
func Row(t *kit.Table, pointed bool, entries func(row int) []view.Entry) view.Thing {
	row := t.Chosen(pointed)
	if row < 0 {
		return view.Thing{}
	}
	return view.Thing{Name: t.Title(row), Usual: kit.TSV, Tag: t.Tag(), Entries: entries(row),
		Choose: func(*view.Context) { t.SetCursor(row) },
		Text:   func(f kit.TextFormat) string { return t.Text(f, false) }}
}
