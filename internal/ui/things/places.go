package things

import (
	"fmt"

	"diptych/internal/align"
	"diptych/internal/command"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// Note is a note of the user's, by its flag or its line in the dock.
func Note(c *view.Context, n session.Note) view.Thing {
	lines := words.NoteLines(c.S.State(), &n)
	t := view.Thing{Name: fmt.Sprintf("Note %d: %s", n.Number, n.Text), Usual: kit.Plain, Text: Told(lines),
		Entries: []view.Entry{
			{Title: "Go to it", Do: do(func(c *view.Context) { c.S.ShowNote(n) })},
			{Title: "Edit its text…", Do: do(func(c *view.Context) { c.WriteNote(n.Spot) })},
			{Title: "Delete it", Do: do(func(c *view.Context) { c.S.RemoveNote(n.Number) })},
		}}
	if n.Lost() {
		t.Entries = t.Entries[2:]
	}
	return t
}

// Anchor is what pairs two calls by hand.
func Anchor(c *view.Context, x align.Anchor) view.Thing {
	st := c.S.State()
	ends := [2]session.Target{session.AnchorEnd(x, pair.A), session.AnchorEnd(x, pair.B)}
	return joined(c, words.AnchorLines(st, x), ends,
		view.Entry{Title: "Remove the anchor", Do: do(func(c *view.Context) { c.S.RemoveAnchor(x) })})
}

// Mark is the call that waits to be aligned with another one.
func Mark(c *view.Context) view.Thing {
	t := Call(c, c.S.State().Mark)
	t.Entries = append([]view.Entry{{Title: "Unmark it", Do: do(func(c *view.Context) { c.S.Unmark() })}},
		t.Entries...)
	return t
}

// Threads is a pair of threads, by its index in the pairing.
func Threads(c *view.Context, line int) view.Thing {
	st := c.S.State()
	if st.Pair == nil || line < 0 || line >= len(st.Pair.Threads) {
		return view.Thing{}
	}
	name := words.PairName(st, st.Pair.Threads[line])
	return view.Thing{Name: name, Usual: kit.Plain,
		Text: Told([]string{name, words.PairIDs(st, st.Pair.Threads[line])}),
		Entries: []view.Entry{
			{Title: "Show this pair of threads", Do: do(func(c *view.Context) { c.S.ShowPair(line) })},
			{Title: "Show all threads", Command: command.ScopeProcess},
			{Title: "List the threads", Command: command.ShowThreads},
			CopyText("Copy the name", name),
		}}
}

// Ground is where nothing is drawn: a time of a side.
func Ground(c *view.Context, side pair.Side, at float64) view.Thing {
	st := c.S.State()
	if !st.Loaded(side) {
		return view.Thing{Entries: moves()}
	}
	time := geom.FormatValue(at, words.UnitOf(st))
	t := view.Thing{Name: side.String() + " at " + time}
	if st.Range.OK && st.Range.On(side).Contains(at) {
		t = Stretch(c)
	}
	if !st.Profile() {
		t.Entries = append(t.Entries, view.Entry{Title: "Write a note at " + time + "…", Apart: true,
			Do: do(func(c *view.Context) { c.WriteNote(session.Spot{Side: side, At: at}) })})
	}
	t.Entries = append(t.Entries, moves()...)
	return t
}

// Stretch is the selected stretch of time, if there is one.
func Stretch(c *view.Context) view.Thing {
	st := c.S.State()
	if !st.Range.OK {
		return view.Thing{}
	}
	side, span := st.Range.Side, st.Range.Span
	value := func(v float64) string { return geom.FormatValue(v, words.UnitOf(st)) }
	return view.Thing{Name: value(span.Len()) + " of " + side.String(), Usual: kit.Plain,
		Text: listed([]fact{{"side", side.String() + " (" + st.Sides[side].Name + ")"},
			{"start", value(span.Start)}, {"end", value(span.End)}, {"length", value(span.Len())}}),
		Entries: []view.Entry{
			{Title: "Fit the selected time into the view", Command: command.FitSelection},
			{Title: "Functions in the selected time", Command: command.ShowRange},
			{Title: "Select no time", Do: do(func(c *view.Context) { c.S.ClearRange() })},
		}}
}
