package dock

import (
	"context"

	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/session"
	"diptych/internal/stats"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// functionList is the table of all functions, or of those that the search finds: their calls and
// times on either side, and what the alignment says of them. Choosing one goes to its calls.
type functionList struct {
	table     functionTable
	durations durations
	due       func() // what waits for the functions to be counted, if anything does
}

// foundFunctions are the functions of both traces, counted in all of their time.
var foundFunctions = session.Result[*pair.Pair, *stats.Table]{
	Slot: "functions", Label: "Counting functions",
	Key: func(st *session.State) (*pair.Pair, bool) {
		return st.Pair, st.Pair != nil && st.Tab == Functions
	},
	Find: func(ctx context.Context, p *pair.Pair, report progress.Func) (*stats.Table, error) {
		return stats.Count(ctx, p, stats.Everything(p), report)
	},
}

// Layout lays the table out.
func (f *functionList) Layout(c *view.Context, gtx C, st *session.State) D {
	if !f.refresh(st) {
		return c.Kit.Hint(gtx, noFunctions(st))
	}
	if row, ok := f.table.Update(gtx); ok {
		c.S.ChooseFunction(f.table.of(row).ID)
	}
	if due := f.due; due != nil {
		f.due = nil
		due()
	}
	return f.table.layout(c, gtx, c.S.State(), &f.durations, false)
}

// Copy implements view.Copier.
func (f *functionList) Copy(format kit.TextFormat, whole bool) string {
	return f.table.Text(format, whole)
}

// refresh lists anew what has changed, and reports whether there is anything to list.
func (f *functionList) refresh(st *session.State) bool {
	counted, ok := foundFunctions.Of(st)
	if !ok {
		return false
	}
	var aligned []align.Difference
	if st.Aligned != nil && st.Aligned.Pair == counted.Pair {
		aligned = st.Aligned.Differences
	}
	f.table.show(st, counted, aligned)
	return true
}

// Study implements view.Studier: it puts the cursor on the function.
func (f *functionList) Study(c *view.Context, id uint32) {
	c.ShowTab(Functions)
	if !f.refresh(c.S.State()) {
		f.due = func() { f.Study(c, id) }
		return
	}
	for row := range f.table.counted.Functions {
		if f.table.of(row).ID == id {
			f.table.SetCursor(row)
		}
	}
	c.S.StudyFunction(id, false)
}

// noFunctions says why there is nothing to list.
func noFunctions(st *session.State) string {
	switch {
	case !st.Any():
		return "Functions are listed once a trace is open."
	case st.Apart != nil:
		return words.Apart(st)
	}
	return "The functions are being counted."
}

// StepFunction chooses the next of the functions listed, or with by −1 the one before.
func (d *Dock) StepFunction(c *view.Context, by int) {
	list := d.own(Functions).(*functionList)
	if !list.refresh(c.S.State()) {
		c.ShowTab(Functions)
		list.due = func() { d.StepFunction(c, by) }
		return
	}
	t := &list.table
	if row := t.Step(by); row >= 0 {
		c.S.ChooseFunction(t.of(row).ID)
	}
}

// functionTable is a table of functions. The tabs of all functions and of a range both have one.
type functionTable struct {
	kit.Table
	counted *stats.Table
	study   widget.Clickable
}

// functionsOf is what a functionTable is made of.
type functionsOf struct {
	counted *stats.Table
	aligned *align.Difference // the first
	runs    *session.ComparedRuns
	query   string
	place   *session.Place
}

// of returns the function of a row.
func (t *functionTable) of(row int) *stats.Function { return &t.counted.Functions[row] }

// layout lays out the table, and below it the durations of a function if they are asked for. Ranged
// says that they are those of calls in the selected range.
func (t *functionTable) layout(c *view.Context, gtx C, st *session.State, d *durations, ranged bool) D {
	row := t.Cursor()
	if t.study.Clicked(gtx) && row >= 0 {
		c.S.StudyFunction(t.of(row).ID, ranged)
		st = c.S.State()
	}
	if study, ok := st.Studied(); ok && study.Ranged == ranged && row >= 0 && t.of(row).ID != study.ID {
		c.S.StudyFunction(t.of(row).ID, ranged) // they are of the function that the cursor is on
		st = c.S.State()
	}
	parts := d.layout(c, gtx, st, ranged)
	table := layout.Flexed(1, func(gtx C) D {
		return t.Layout(c.Kit, gtx, func(gtx C) D { return t.heading(c, gtx, st, row >= 0 && parts == nil) })
	})
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx, append([]layout.FlexChild{table}, parts...)...)
}

// heading says what is listed, and offers the durations of the function that the cursor is on.
func (t *functionTable) heading(c *view.Context, gtx C, st *session.State, offer bool) D {
	return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
		wide(c, t.caption(st), headingInk(c)),
		layout.Rigid(func(gtx C) D {
			if !offer {
				return D{}
			}
			return c.Kit.Button(gtx, &t.study, "durations", "Durations of the function's calls", false)
		}))
}

// caption says how many functions are listed.
func (t *functionTable) caption(st *session.State) string {
	n, all := len(t.Listed()), len(t.counted.Functions)
	text := kit.Plural(all, "function")
	if n < all {
		text = kit.Grouped(n) + " of " + text
	}
	if w := &t.counted.Window; w.One {
		text += " on " + words.PairLabel(st, w.Threads)
	}
	if q := st.Search.Query; q != "" {
		text += " with “" + q + "”"
	}
	return text
}

// show lists the functions that were counted, those alone that the search finds if there is one.
func (t *functionTable) show(st *session.State, counted *stats.Table, aligned []align.Difference) {
	rev := functionsOf{counted: counted, runs: st.ComparedRuns(), query: st.Search.Query,
		place: st.Search.Place}
	if len(aligned) > 0 {
		rev.aligned = &aligned[0]
	}
	t.counted = counted
	t.Show(rev, func() kit.Content {
		columns := functionColumns{st: st, counted: counted}
		all, order := columns.list(aligned)
		return kit.Content{Len: len(counted.Functions), Of: "functions", Verb: "Go to",
			Columns: all, Order: order, Hidden: hiddenBySearch(st, counted)}
	})
}

// hiddenBySearch says which rows the search does not find; nil if nothing is searched.
func hiddenBySearch(st *session.State, counted *stats.Table) func(row int) bool {
	if st.Search.Query == "" {
		return nil
	}
	found := make([]bool, len(counted.Pair.Names))
	for side, fns := range st.Search.Fns {
		for fn, id := range counted.Pair.IDs(pair.Side(side)) {
			if fn < len(fns) && fns[fn] {
				found[id] = true
			}
		}
	}
	return func(row int) bool { return !found[counted.Functions[row].ID] }
}
