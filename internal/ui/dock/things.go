package dock

import (
	"strings"

	"gioui.org/layout"

	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/things"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// This file says what in the tabs can be pointed at and chosen, and what can be done with it.

// Thing implements view.Holder for the tab that is shown. If the tab's table does not say more, the
// thing is the row under its cursor, which can be copied.
func (d *Dock) Thing(c *view.Context, pointed bool) view.Thing {
	panel := c.Panel(d.tab)
	if h, ok := panel.(view.Holder); ok && d.Open {
		return h.Thing(c, pointed)
	}
	if t, ok := panel.(view.Copier); ok && d.Open {
		return copied(t)
	}
	return view.Thing{}
}

// copied is the row that the cursor is on, of which nothing is known but its text.
func copied(t view.Copier) view.Thing {
	if t.Copy(kit.Plain, false) == "" {
		return view.Thing{}
	}
	return view.Thing{Name: "The chosen row", Usual: kit.TSV,
		Text: func(f kit.TextFormat) string { return t.Copy(f, false) }}
}

// act is what an entry does that needs no frame.
func act(f func(c *view.Context)) func(*view.Context, layout.Context) {
	return func(c *view.Context, _ layout.Context) { f(c) }
}

// entries are what can be done with a function of a table. Ranged says that the table is that of
// the selected range.
func (t *functionTable) entries(row int, ranged bool, show func(c *view.Context)) []view.Entry {
	f := t.of(row)
	name := t.counted.Pair.Names[f.ID]
	return []view.Entry{
		{Title: "Go to its calls", Do: act(show)},
		{Title: "Durations of its calls", Do: act(func(c *view.Context) { c.S.StudyFunction(f.ID, ranged) })},
		{Title: "Search the function", Do: act(func(c *view.Context) { c.S.Find(name) })},
		things.CopyText("Copy the name", name),
	}
}

// Thing implements view.Holder: a function.
func (f *functionList) Thing(_ *view.Context, pointed bool) view.Thing {
	return things.Row(&f.table.Table, pointed, func(row int) []view.Entry {
		return f.table.entries(row, false, func(c *view.Context) { c.S.ChooseFunction(f.table.of(row).ID) })
	})
}

// Thing implements view.Holder: a function of the selected range.
func (l *rangeList) Thing(_ *view.Context, pointed bool) view.Thing {
	return things.Row(&l.table.Table, pointed, func(row int) []view.Entry {
		return l.table.entries(row, true, func(c *view.Context) { showFirst(c, c.S.State(), l.table.of(row)) })
	})
}

// Thing implements view.Holder: a group of matches.
func (g *GroupList) Thing(_ *view.Context, pointed bool) view.Thing {
	return things.Row(&g.table, pointed, func(row int) []view.Entry {
		return []view.Entry{{Title: "Show the group", Do: act(func(c *view.Context) { g.choose(c, g.next(row)) })}}
	})
}

// Thing implements view.Holder: a finding, of the differences or the view's own.
func (f *findingList) Thing(c *view.Context, pointed bool) view.Thing {
	i := f.chosen
	if pointed {
		if k, ok := f.own.Hovered(); ok {
			return ownThing(ownFindings(c, c.S.State()), k)
		}
		k, ok := f.clicks.Hovered()
		if i = k; !ok {
			return view.Thing{}
		}
	}
	if f.of == nil || i < 0 || i >= len(f.of.Findings) {
		return view.Thing{}
	}
	x := &f.of.Findings[i]
	return sentence(x.Text, f.sizes(i), func(c *view.Context) { f.chosen = i },
		func(c *view.Context) { c.S.GoTo(x) })
}

// sizes tells what a finding owns of the difference, in words; "" if nothing.
func (f *findingList) sizes(i int) string {
	elapsed, work := f.of.Owns(&f.of.Findings[i])
	if work != "" {
		work = "work " + work
	}
	return kit.Joined(elapsed, work)
}

func ownThing(own []view.Finding, k int) view.Thing {
	if k >= len(own) {
		return view.Thing{}
	}
	return sentence(own[k].Text, own[k].Size, nil, own[k].Show)
}

// sentence is a finding: it is copied as its sentence, with its size after it.
func sentence(text, size string, choose, show func(c *view.Context)) view.Thing {
	whole := text
	if size != "" {
		whole = strings.TrimSuffix(text, ".") + " (" + size + ")."
	}
	return view.Thing{Name: text, Usual: kit.Plain, Choose: choose, Text: things.Told([]string{whole}),
		Entries: []view.Entry{{Title: "Show where", Do: act(show)}}}
}

// Thing implements view.Holder: the call that is told of, or a caller or callee.
func (d *details) Thing(c *view.Context, pointed bool) view.Thing {
	t := c.S.State().Selected
	if call, ok := d.clicks.Hovered(); ok && pointed && d.of.OK {
		t = session.Target{Side: d.of.Side, OK: true,
			Ref: trace.CallRef{Thread: d.of.Ref.Thread, Call: int32(call)}}
	}
	return things.Call(c, t)
}

// Thing implements view.Holder: a pair of threads.
func (t *ThreadList) Thing(c *view.Context, pointed bool) view.Thing {
	switch {
	case t.of != c.S.State().Pair:
		return view.Thing{}
	case t.picking || t.matrix.shown:
		return copied(t)
	}
	return things.Row(&t.table, pointed, func(row int) []view.Entry { return things.Threads(c, row).Entries })
}

// Thing implements view.Holder: a run of a side.
func (l *runList) Thing(_ *view.Context, pointed bool) view.Thing {
	return things.Row(&l.table, pointed, func(row int) []view.Entry {
		r := l.rows[row]
		return []view.Entry{{Title: "Show this run", Do: act(func(c *view.Context) { c.S.ShowRun(r.side, r.k) })}}
	})
}

// Thing implements view.Holder: all problems together, to be handed on.
func (p *problemList) Thing(c *view.Context, pointed bool) view.Thing {
	lines := problemLines(c.S.State())
	if !pointed || len(lines) == 0 {
		return view.Thing{}
	}
	return view.Thing{Name: "Problems", Usual: kit.Plain,
		Text: things.Told(append([]string{"Problems"}, lines...))}
}

func problemLines(st *session.State) (lines []string) {
	for i := range st.Faults {
		f := &st.Faults[i]
		lines = append(lines, f.Label+": "+f.Why, f.Stack)
	}
	for _, d := range st.Damaged {
		lines = append(lines, d.Sentence())
	}
	if st.Apart != nil {
		lines = append(lines, words.Apart(st))
	}
	if text := recordedOtherwise(st); text != "" {
		lines = append(lines, text)
	}
	for side := range st.Sides {
		sd, of := &st.Sides[side], pair.Side(side).String()+": "
		if sd.Err != nil {
			lines = append(lines, of+sd.Err.Error())
		}
		if sd.Trace == nil {
			continue
		}
		for _, d := range sd.Trace.Diagnostics {
			lines = append(lines, of+kit.Grouped(int(d.Count))+" × "+string(d.Code)+": "+d.Code.Meaning()+" "+d.Example)
		}
	}
	return lines
}

// Thing implements view.Holder: a note.
func (l *noteList) Thing(c *view.Context, pointed bool) view.Thing {
	for number, r := range l.rows {
		if pointed && r.show.Hovered() {
			if n, ok := c.S.State().Notes.Get(number); ok {
				return things.Note(c, n)
			}
		}
	}
	return view.Thing{}
}
