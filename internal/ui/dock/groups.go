package dock

import (
	"diptych/internal/command"
	"diptych/internal/geom"
	"diptych/internal/match"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// GroupList is the table of the groups of matches in what both sides show: choose one to see it.
// Groups of a single match with the same functions, such as the tasks of an event loop, share a
// row.
type GroupList struct {
	table  kit.Table
	rows   []groupRow
	of     []match.Summary // what rows are made of
	chosen match.Group
	due    func() // what waits for the groups, if anything does
}

// groupRow is a row of the table: one group, or several of one match each.
type groupRow struct {
	title   string
	groups  []int      // indices into the session's list
	share   [2]float64 // of the time shown that the root calls take
	matches uint64
	similar float64 // mean over the matches
}

// GroupsTab is the tab of groups. The views of matches and of the alignment both bring it.
func GroupsTab() view.Tab {
	return view.Tab{ID: Groups, Title: "Groups", Open: command.ShowGroups, Before: Threads,
		Shared: true, New: func() view.Panel { return &GroupList{} }}
}

// Layout lays the table out.
func (g *GroupList) Layout(c *view.Context, gtx C, st *session.State) D {
	if hint := noGroups(st); hint != "" {
		return c.Kit.Hint(gtx, hint)
	}
	g.refresh(st)
	if row, ok := g.table.Update(gtx); ok {
		g.choose(c, g.next(row))
	}
	if due := g.due; due != nil && !st.Found.Groups.Busy {
		g.due = nil
		due()
	}
	return g.table.Layout(c.Kit, gtx, func(gtx C) D {
		ink := headingInk(c)
		ink.Lines = 3
		return c.Kit.Label(gtx, words.GroupsHeading(&st.Found.Groups, g.listed()), ink)
	})
}

// Copy implements view.Copier.
func (g *GroupList) Copy(format kit.TextFormat, whole bool) string {
	return g.table.Text(format, whole)
}

// noGroups says why there are no groups to list, "" if there may be some.
func noGroups(st *session.State) string {
	switch {
	case !st.Both():
		return "Groups of matching calls are listed once two traces are open."
	case st.Apart != nil:
		return words.Apart(st)
	case st.Found == nil:
		return "The traces are being compared."
	case st.Found.Groups.Of == session.GroupsOf{}:
		return "The groups are being looked for."
	}
	return ""
}

// refresh makes the rows anew when the groups have changed.
func (g *GroupList) refresh(st *session.State) {
	list := st.Found.Groups.List
	rev := (*match.Summary)(nil)
	if len(list) > 0 {
		rev = &list[0]
	}
	g.table.Show(groupsOf{st.Found.Graph, rev}, func() kit.Content {
		g.of, g.rows = list, foldGroups(st, list)
		return kit.Content{Len: len(g.rows), Of: "groups", Verb: "Show group", Order: 1,
			Columns: g.columns(st)}
	})
}

// groupsOf is what the rows depend on.
type groupsOf struct {
	graph *match.Graph
	first *match.Summary
}

// foldGroups makes a row for each group, and one for all groups of a single match between functions
// of the same names.
func foldGroups(st *session.State, list []match.Summary) []groupRow {
	var rows []groupRow
	single := map[string]int{}
	for i := range list {
		s := &list[i]
		title, b := words.GroupNames(st, s)
		if title != b {
			title += "  |  " + b
		}
		if at, ok := single[title]; ok && s.Matches == 1 {
			rows[at].add(i, s)
			continue
		}
		if s.Matches == 1 {
			single[title] = len(rows)
		}
		rows = append(rows, groupRow{title: title, groups: []int{i}, share: s.Share,
			matches: s.Matches, similar: s.Similarity})
	}
	for i := range rows {
		rows[i].sumUp(list)
	}
	distinguish(st, rows, list)
	return rows
}

// distinguish adds to titles that several rows have what tells these rows apart: the threads of the
// root calls, their callers, and where both are the same, when they start.
func distinguish(st *session.State, rows []groupRow, list []match.Summary) {
	for step := range 3 {
		same := map[string][]int{}
		for i := range rows {
			same[rows[i].title] = append(same[rows[i].title], i)
		}
		if len(same) == len(rows) {
			return
		}
		of := words.GroupStarts
		switch step {
		case 0:
			of = words.GroupThreads(st)
		case 1:
			of = words.GroupCallers
		}
		for _, alike := range same {
			if len(alike) > 1 {
				addWhatDiffers(st, rows, alike, list, of)
			}
		}
	}
}

// addWhatDiffers adds to the titles of rows what of says of their first groups, unless it says the
// same of all.
func addWhatDiffers(st *session.State, rows []groupRow, alike []int, list []match.Summary,
	of func(*session.State, *match.Summary) (a, b string)) {
	texts, differ := make([]string, len(alike)), false
	for k, i := range alike {
		a, b := of(st, &list[rows[i].groups[0]])
		if texts[k] = a; a != b {
			texts[k] += " | " + b
		}
		differ = differ || texts[k] != texts[0]
	}
	if !differ {
		return
	}
	for k, i := range alike {
		rows[i].title = kit.Joined(rows[i].title, texts[k])
	}
}

// add adds a group of one match to a row.
func (r *groupRow) add(i int, s *match.Summary) {
	n := float64(len(r.groups))
	r.similar = (r.similar*n + s.Similarity) / (n + 1)
	r.groups, r.matches = append(r.groups, i), r.matches+1
}

// sumUp says in the title how many groups share the row, and adds up what time they cover. Several
// groups may have the same root call on one side, which counts once; calls of several threads may
// add up to more than all of the time, which is said to be all.
func (r *groupRow) sumUp(list []match.Summary) {
	if len(r.groups) == 1 {
		return
	}
	r.title, r.share = kit.Grouped(len(r.groups))+" × "+r.title, [2]float64{}
	var seen [2]map[int]bool
	for side := range seen {
		seen[side] = map[int]bool{}
		for _, i := range r.groups {
			if root := [2]int{list[i].A, list[i].B}[side]; !seen[side][root] {
				seen[side][root] = true
				r.share[side] = min(r.share[side]+list[i].Share[side], 1)
			}
		}
	}
}

// columns are what is told of a group, first how much of the time it covers on both sides.
func (g *GroupList) columns(st *session.State) []kit.Column {
	number := func(title, about string, format func(float64) string, of func(r *groupRow) float64) kit.Column {
		return kit.Column{Title: title, About: about, Format: format,
			Number: func(row int) (float64, bool) { return of(&g.rows[row]), true }}
	}
	sum := func(title, about string, format func(float64) string, of func(r *groupRow) float64) kit.Column {
		c := number(title, about, format, of)
		c.Number = func(row int) (float64, bool) { return of(&g.rows[row]), g.rows[row].matches > 0 }
		return c
	}
	columns := []kit.Column{
		{Title: "group", Text: func(row int) string { return g.rows[row].title }},
		number("time", "share of the time shown on both sides", kit.Percent,
			func(r *groupRow) float64 { return min(r.share[0], r.share[1]) })}
	for _, side := range []pair.Side{pair.A, pair.B} {
		share := number(side.String(), "share of the time shown of "+side.String(), kit.Percent,
			func(r *groupRow) float64 { return r.share[side] })
		share.Head = sideHead(side)
		columns = append(columns, share)
	}
	value := func(v float64) string { return geom.FormatValue(v, words.UnitOf(st)) }
	calls := &st.Found.Graph.Sides[pair.A].Calls
	return append(columns,
		sum("matches", "number of matches", formatCount,
			func(r *groupRow) float64 { return float64(r.matches) }),
		sum("similar", "mean similarity of the matches", kit.Percent,
			func(r *groupRow) float64 { return r.similar }),
		number("start", "start in A", value, func(r *groupRow) float64 {
			th, call := calls.At(g.of[r.groups[0]].A)
			return float64(calls.Threads[th].Start(call))
		}))
}

// listed returns how many groups the listed rows stand for.
func (g *GroupList) listed() (n int) {
	for _, row := range g.table.Listed() {
		n += len(g.rows[row].groups)
	}
	return n
}

// next returns the group of a row to be shown: the one after the chosen one, if that is one of the
// row's.
func (g *GroupList) next(row int) int {
	groups := g.rows[row].groups
	for k, i := range groups {
		if g.of[i].Group == g.chosen {
			return groups[(k+1)%len(groups)]
		}
	}
	return groups[0]
}

// choose shows the group of an index of the session's list.
func (g *GroupList) choose(c *view.Context, i int) {
	g.chosen = g.of[i].Group
	c.S.FocusGroup(i)
}

// isChosen reports whether the group was chosen last and its call in A is still selected.
func (g *GroupList) isChosen(st *session.State, s *match.Summary) bool {
	if s.Group != g.chosen || !st.Selected.OK || st.Selected.Side != pair.A {
		return false
	}
	calls := &st.Found.Graph.Sides[pair.A].Calls
	th, call := calls.At(s.A)
	return calls.Threads[th] == st.Sides[pair.A].Trace.Threads[st.Selected.Ref.Thread] &&
		call == int(st.Selected.Ref.Call)
}

// Step shows the group after the one that is selected in the table, or with by −1 the one before:
// row by row, in a row one group after the other. Groups that are not known yet are looked for
// first.
func (g *GroupList) Step(c *view.Context, by int) {
	c.ShowTab(Groups)
	c.S.SetTab(Groups)
	st := c.S.State()
	if st.Found == nil {
		return
	}
	if st.Found.Groups.Busy {
		of := st.GroupsShown()
		g.due = func() {
			if c.S.State().Found.Groups.Of == of { // else something else is shown by now
				g.Step(c, by)
			}
		}
		return
	}
	g.refresh(st)
	type place struct{ row, group int }
	var places []place
	at := -1
	for _, row := range g.table.Listed() {
		for _, i := range g.rows[row].groups {
			if g.isChosen(st, &g.of[i]) {
				at = len(places)
			}
			places = append(places, place{row, i})
		}
	}
	n := len(places)
	if n == 0 {
		return
	}
	if at < 0 && by < 0 {
		at = 0 // the one before the first is the last
	}
	to := places[((at+by)%n+n)%n]
	g.table.SetCursor(to.row)
	g.choose(c, to.group)
}
