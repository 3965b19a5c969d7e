package things

import (
	"gioui.org/layout"

	"diptych/internal/command"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/scene/links"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// Call is a call of a trace.
func Call(c *view.Context, t session.Target) view.Thing {
	st := c.S.State()
	if !t.OK || !st.Loaded(t.Side) {
		return view.Thing{}
	}
	name := st.FunctionName(t)
	note := "Write a note…"
	if n, ok := st.Notes.At(session.SpotOf(t)); ok {
		note = "Edit the note: " + n.Text
	}
	return view.Thing{Name: name, Call: t, Usual: kit.Plain,
		Choose: func(c *view.Context) { c.S.Select(t) },
		Text:   func(f kit.TextFormat) string { return listed(callFacts(c.S.State(), t))(f) },
		Entries: []view.Entry{
			fitting(st, t),
			{Title: "Select its caller", Command: command.SelectParent},
			{Title: alignTitle(st, t), Command: command.AlignHere},
			{Title: note, Command: command.AddNote,
				Do: do(func(c *view.Context) { c.WriteNote(session.SpotOf(t)) })},
			{Title: "Details", Command: command.ShowDetails},
			{Title: "Durations of all calls of the function", Apart: true, Do: studying(t)},
			{Title: "Search the function", Do: do(func(c *view.Context) {
				c.S.Find(name)
				c.ShowTab(view.Functions)
			})},
			CopyText("Copy the function's name", name),
		}}
}

// fitting is the entry that fits a call. While a stretch of time is selected, the key is about that
// stretch.
func fitting(st *session.State, t session.Target) view.Entry {
	e := view.Entry{Title: "Fit it into the view", Command: command.FitSelection}
	if st.Range.OK {
		e.Command, e.Do = "", do(func(c *view.Context) { c.S.Fit(t) })
	}
	return e
}

// alignTitle says what aligning by hand would do with a call now.
func alignTitle(st *session.State, t session.Target) string {
	if st.Mark.OK && st.Mark.Side != t.Side {
		return "Align with the marked call"
	}
	return "Mark to align with another call"
}

// studying shows how long the calls of a call's function take.
func studying(t session.Target) func(*view.Context, layout.Context) {
	return do(func(c *view.Context) {
		st := c.S.State()
		if list, ok := c.Panel(view.Functions).(view.Studier); ok && st.Pair != nil {
			th, i := st.Call(t)
			list.Study(c, st.Pair.IDs(t.Side)[th.Fn[i]])
		}
	})
}

// callFacts are what is copied of a call.
func callFacts(st *session.State, t session.Target) []fact {
	th, i := st.Call(t)
	tr := st.Sides[t.Side].Trace
	fn := tr.FunctionOf(th, i)
	value := func(v int64) string { return geom.FormatValue(float64(v), string(tr.Unit)) }
	facts := []fact{{"function", fn.Name}}
	add := func(name, value string) {
		if value != "" {
			facts = append(facts, fact{name, value})
		}
	}
	add("package", fn.Package)
	add("side", t.Side.String()+" ("+st.Sides[t.Side].Name+")")
	add("thread", tr.ThreadTitle(int(t.Ref.Thread)))
	add("start", words.StartOf(st, t))
	add("duration", value(th.Dur(i)))
	add("self time", value(th.Self(i)))
	add("calls below", kit.Grouped(int(th.Size(i))-1))
	if p := st.Partner(t); p.OK {
		other, k := st.Call(p)
		add("aligned with", words.CallLine(st, p)+", thread "+other.Title()+words.At(st, ", ", other.Start(k)))
	}
	add("arguments", th.Args(i))
	return facts
}

// Match is a pair of similar calls.
func Match(c *view.Context, l *links.Link) view.Thing {
	lines := words.LinkLines(c.S.State(), l)
	var ends [2]session.Target
	for side := range ends {
		ends[side] = session.Target{Side: pair.Side(side), Ref: l.Ends[side].Ref, OK: true}
	}
	return joined(c, lines, ends,
		view.Entry{Title: "Align these two calls", Do: do(func(c *view.Context) { c.S.Anchor(ends[0], ends[1]) })})
}

// joined is what joins a call of A with one of B: a match or an anchor. Lines tell of it.
func joined(c *view.Context, lines []string, ends [2]session.Target, own view.Entry) view.Thing {
	fit := do(func(c *view.Context) {
		for _, side := range []pair.Side{pair.B, pair.A} {
			if ends[side].OK {
				c.S.Select(ends[side])
				c.S.Fit(ends[side])
			}
		}
	})
	t := view.Thing{Name: lines[0], Usual: kit.Plain, Text: Told(lines),
		Entries: []view.Entry{{Title: "Fit both calls into the view", Do: fit}, own}}
	for _, side := range []pair.Side{pair.A, pair.B} {
		if end := ends[side]; end.OK {
			t.Entries = append(t.Entries, view.Entry{Title: "Select its call in " + side.String(),
				Do: do(func(c *view.Context) {
					c.S.Select(end)
					c.TurnToDetails()
				})})
		}
	}
	return t
}
