package dock

import (
	"strings"

	"gioui.org/io/key"
	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// ThreadList is the table of the pairs of threads, or the matrix of how alike threads are. Choosing
// a pair shows it, and any thread of A can be paired with another of B. It says so if another
// pairing would be better.
type ThreadList struct {
	modes      [2]widget.Clickable // table and matrix
	table      kit.Table           // of the pairs
	candidates kit.Table           // of B's threads, while one is being picked
	matrix     matrix
	advice     advice

	of      *pair.Pair // what was listed last
	current int        // the pair that the cursor was put on last, −1 for none
	picking bool
	forA    int // the thread of A a partner is being picked for
	repair  widget.Clickable
	cancel  widget.Clickable
}

// candidatesOf is what the table of candidates depends on.
type candidatesOf struct {
	pair *pair.Pair
	forA int
}

// Layout lays the tab out.
func (t *ThreadList) Layout(c *view.Context, gtx C, st *session.State) D {
	if st.Pair == nil {
		t.picking = false
		if st.Apart != nil {
			return c.Kit.Hint(gtx, words.Apart(st))
		}
		return c.Kit.Hint(gtx, "Threads are listed once a trace is open.")
	}
	t.clicked(c, gtx, st)
	st = c.S.State() // the pairs may be others now
	t.refresh(st)
	t.matrix.shown = t.matrix.shown && st.Alike.Shown
	var lines []layout.FlexChild
	if st.Both() {
		lines = append(lines, layout.Rigid(func(gtx C) D {
			return layout.Inset{Bottom: 4}.Layout(gtx, func(gtx C) D {
				return c.Kit.Segments(gtx, t.modes[:], []string{"pairs", "similarities"},
					[]string{"List the pairs of threads", "Compare threads with each other"}, t.mode(st))
			})
		}), layout.Rigid(func(gtx C) D { return t.advice.layout(c, gtx, st) }))
	}
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx, append(lines,
		layout.Flexed(1, func(gtx C) D { return t.content(c, gtx, st) }))...)
}

// mode returns the index of what is shown.
func (t *ThreadList) mode(st *session.State) int {
	if st.Alike.Shown {
		return 1
	}
	return 0
}

func (t *ThreadList) content(c *view.Context, gtx C, st *session.State) D {
	switch {
	case st.Both() && st.Alike.Shown:
		return t.matrix.layout(c, gtx, st)
	case t.picking:
		return t.candidates.Layout(c.Kit, gtx, func(gtx C) D { return t.heading(c, gtx, st) })
	}
	return t.table.Layout(c.Kit, gtx, func(gtx C) D { return t.heading(c, gtx, st) })
}

// refresh lists anew when the pairing has changed, or who a partner is picked for.
func (t *ThreadList) refresh(st *session.State) {
	if t.of != st.Pair {
		t.of, t.picking, t.current = st.Pair, false, -1 // that thread of A may be gone
	}
	t.table.Show(st.Pair, func() kit.Content { return pairContent(st) })
	if t.picking {
		t.candidates.Show(candidatesOf{st.Pair, t.forA}, func() kit.Content { return candidateContent(st) })
	}
	current := st.Current
	if st.Process {
		current = -1
	}
	if current != t.current {
		t.current = current
		t.table.SetCursor(current)
	}
}

// clicked does what was clicked and pressed, in what was listed for t.of.
func (t *ThreadList) clicked(c *view.Context, gtx C, st *session.State) {
	for i := range t.modes {
		if t.modes[i].Clicked(gtx) {
			t.picking = false
			t.matrix.show(c, st, i == 1)
		}
	}
	t.advice.hear(c, gtx, st)
	if t.cancel.Clicked(gtx) {
		t.picking = false
	}
	if t.of != st.Pair {
		return
	}
	row := t.table.Cursor()
	if t.repair.Clicked(gtx) && canRepair(st, row) {
		t.Pick(st.Pair.Threads[row].A)
	}
	if row, ok := t.table.Update(gtx); ok && !t.picking {
		c.S.ShowPair(row)
	}
	if row, ok := t.candidates.Update(gtx); ok && t.picking {
		c.S.Repair(t.forA, row)
		t.picking = false
	}
}

// canRepair reports whether the thread of A in a row can get another partner.
func canRepair(st *session.State, row int) bool {
	return st.Both() && row >= 0 && row < len(st.Pair.Threads) && st.Pair.Threads[row].A >= 0
}

// Pick lists the threads of B for the user to choose the partner of a thread of A.
func (t *ThreadList) Pick(a int) { t.picking, t.forA = true, a }

func (t *ThreadList) press(k key.Event) bool {
	was := t.picking && k.Name == key.NameEscape
	if was {
		t.picking = false
	}
	return was
}

// Copy implements view.Copier.
func (t *ThreadList) Copy(format kit.TextFormat, whole bool) string {
	switch {
	case t.matrix.shown:
		return t.matrix.copied(format, whole)
	case t.picking:
		return t.candidates.Text(format, whole)
	}
	return t.table.Text(format, whole)
}

// heading says what is listed, and offers another partner for the thread that the cursor is on.
func (t *ThreadList) heading(c *view.Context, gtx C, st *session.State) D {
	text, button := kit.Plural(len(t.table.Listed()), "pair")+" of threads", layout.Rigid(
		func(gtx C) D {
			if !canRepair(st, t.table.Cursor()) {
				return D{}
			}
			return c.Kit.Button(gtx, &t.repair, "pair with …", "Pair with another thread", false)
		})
	if t.picking {
		of := st.Sides[pair.A].Trace.Threads[t.forA]
		text = "Pair “" + threadWords(of) + "” of A with …"
		button = layout.Rigid(func(gtx C) D {
			return c.Kit.Button(gtx, &t.cancel, "cancel", "Cancel pairing", false)
		})
	}
	return layout.Flex{Alignment: layout.Middle}.Layout(gtx, wide(c, text, headingInk(c)), button)
}

// threadWords names a thread, with its id if the name does not have it.
func threadWords(th *trace.Thread) string {
	return strings.TrimSpace(th.Title() + " " + words.OwnID(th))
}

// pairContent is the table of the pairs of which a side has calls.
func pairContent(st *session.State) kit.Content {
	all := st.Pair.Threads
	calls := func(side pair.Side, row int) int {
		if th := words.ThreadOf(st, side, all[row]); th != nil {
			return th.Len()
		}
		return 0
	}
	columns := []kit.Column{
		{Title: "threads", Text: func(row int) string { return words.PairName(st, all[row]) }}}
	for _, side := range []pair.Side{pair.A, pair.B} {
		if st.Loaded(side) {
			columns = append(columns, callsColumn(st, side, func(row int) (float64, bool) {
				return float64(calls(side, row)), all[row].On(side) >= 0
			}))
		}
	}
	columns = append(columns,
		kit.Column{Title: "ids", Text: func(row int) string { return words.PairIDs(st, all[row]) }})
	return kit.Content{Len: len(all), Of: "threads", Verb: "Show threads", Order: 1, Columns: columns,
		Hidden: func(row int) bool { return calls(pair.A, row)+calls(pair.B, row) == 0 }}
}

// callsColumn has the numbers of calls of a side.
func callsColumn(st *session.State, side pair.Side, number func(row int) (float64, bool)) kit.Column {
	noun := st.Sides[side].Trace.Kind.CallNoun()
	return kit.Column{Title: noun + "s " + side.String(), Head: sideHead(side), Format: formatCount,
		Number: number}
}

// candidateContent is the table of B's threads, of which one can be picked.
func candidateContent(st *session.State) kit.Content {
	threads := st.Sides[pair.B].Trace.Threads
	return kit.Content{Len: len(threads), Of: "threads", Verb: "Pair with", Order: 1,
		Columns: []kit.Column{
			{Title: "thread", Text: func(row int) string { return threads[row].Title() }},
			callsColumn(st, pair.B, func(row int) (float64, bool) { return float64(threads[row].Len()), true }),
			{Title: "id", Text: func(row int) string { return words.OwnID(threads[row]) }},
			{Title: "now with", About: "thread of A that it is paired with now", Text: func(row int) string {
				k := st.Pair.Partner(pair.B, row)
				if k < 0 {
					return "–"
				}
				return threadWords(st.Sides[pair.A].Trace.Threads[k])
			}}}}
}
