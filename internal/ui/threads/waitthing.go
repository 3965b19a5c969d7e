package threads

import (
	"gioui.org/layout"

	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/things"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
	"diptych/internal/wait/table"
)

// Thing implements view.Holder: a line of the table of waits.
func (l *Waits) Thing(c *view.Context, pointed bool) view.Thing {
	for k, r := range l.shown {
		at := !pointed && r.Key == l.chosen
		if click := l.clicks[r.Key]; pointed && click != nil {
			at = click.Hovered()
		}
		if at {
			return l.lineThing(c, k, r)
		}
	}
	return view.Thing{}
}

func (l *Waits) lineThing(c *view.Context, k int, r *table.Row) view.Thing {
	who := r.Who[0]
	if r.Who[1] != "" {
		who += " ← " + r.Who[1]
	}
	entries := []view.Entry{
		{Title: "Show the longest such wait", Do: func(c *view.Context, _ layout.Context) { l.choose(c, k) }},
		{Command: NextWait}, {Command: PrevWait}}
	if r.Line >= 0 {
		entries = append(entries, view.Entry{Title: "Take the thread to the middle",
			Do: func(c *view.Context, _ layout.Context) { c.S.FocusLine(r.Line) }})
	}
	return view.Thing{Name: who, Usual: kit.Plain, Entries: entries,
		Choose: func(*view.Context) { l.chosen = r.Key },
		Text:   func(f kit.TextFormat) string { return things.Told(l.told(c.S.State(), who, r))(f) }}
}

// told is what a line tells, each in words of its own.
func (l *Waits) told(st *session.State, who string, r *table.Row) (told []string) {
	waited := l.both(func(s pair.Side) string {
		return s.String() + " " + words.TimeText(l.table.Sides[s], r.WaitNs[s]) + " in " +
			kit.Plural(int(r.Count[s]), "wait")
	})
	for _, text := range []string{who, waited, r.Roles, l.about(r), l.heldBy(st, r)} {
		if text != "" {
			told = append(told, text)
		}
	}
	return told
}
