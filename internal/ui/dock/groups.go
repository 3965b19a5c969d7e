package dock

import (
	"cmp"
	"slices"
	"strings"

	"gioui.org/font"
	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/command"
	"diptych/internal/match"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// GroupList lists the groups of matches in what both sides show: click one to see it.
type GroupList struct {
	filter widget.Editor
	list   widget.List
	sorts  [len(groupOrders)]widget.Clickable
	order  int
	clicks kit.Clicks[match.Group]
	shown  []int           // indices into the session's list
	of     []match.Summary // what shown was listed from
	query  string
	sorted int  // the order that shown is in
	listed bool // shown has been listed at least once
	chosen match.Group
}

// GroupsTab is the tab of groups. The views of matches and of the alignment both bring it.
func GroupsTab() view.Tab {
	return view.Tab{ID: Groups, Title: "Groups", Open: command.ShowGroups, Before: Threads,
		Shared: true, New: func() view.Panel { return &GroupList{} }}
}

// groupOrders are the ways to sort.
var groupOrders = [...]struct {
	label, name string
	less        func(a, b *match.Summary) int
}{
	{"time", "Sort by share of time", func(a, b *match.Summary) int {
		return cmp.Compare(min(b.Share[0], b.Share[1]), min(a.Share[0], a.Share[1]))
	}},
	{"matches", "Sort by number of matches", func(a, b *match.Summary) int {
		return cmp.Compare(b.Matches, a.Matches)
	}},
	{"similarity", "Sort by similarity, weakest first", func(a, b *match.Summary) int {
		return cmp.Compare(a.Similarity, b.Similarity)
	}},
	{"order", "Sort by start in A", func(a, b *match.Summary) int { return cmp.Compare(a.A, b.A) }},
}

// Layout lays the list out.
func (g *GroupList) Layout(c *view.Context, gtx C, st *session.State) D {
	if hint := noGroups(st); hint != "" {
		return c.Kit.Hint(gtx, hint)
	}
	query := kit.Filtered(gtx, &g.filter)
	g.order = kit.ChosenOrder(gtx, g.sorts[:], g.order)
	g.refresh(st, query)
	if of, ok := g.clicks.Clicked(gtx); ok {
		g.chooseGroup(c, of)
	}
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
		c.Kit.FilterField(&g.filter, "Filter groups by function", "Filter groups"),
		c.Kit.Ordering(g.sorts[:], g.order, func(i int) (label, name string) {
			return groupOrders[i].label, groupOrders[i].name
		}),
		layout.Rigid(func(gtx C) D { return g.heading(c, gtx, st) }),
		listed(c, &g.list, len(g.shown), func(gtx C, i int) D { return g.row(c, gtx, st, g.shown[i]) }))
}

// noGroups says why there are no groups to list, "" if there may be some.
func noGroups(st *session.State) string {
	switch {
	case !st.Both():
		return "Groups of matching calls are listed once two traces are open."
	case st.Apart != nil:
		return notCompared(st)
	case st.Found == nil:
		return "The traces are being compared."
	}
	return ""
}

// refresh filters and sorts anew when the groups, the filter or the order have changed.
func (g *GroupList) refresh(st *session.State, q string) {
	list := st.Found.Groups.List
	same := len(g.of) == len(list) && (len(list) == 0 || &g.of[0] == &list[0])
	if g.listed && same && g.query == q && g.sorted == g.order {
		return
	}
	g.listed = true
	g.of, g.query, g.sorted, g.shown = list, q, g.order, g.shown[:0]
	for i := range list {
		a, b := words.GroupNames(st, &list[i])
		if strings.Contains(strings.ToLower(a), q) || strings.Contains(strings.ToLower(b), q) {
			g.shown = append(g.shown, i)
		}
	}
	slices.SortStableFunc(g.shown, func(i, j int) int {
		return groupOrders[g.order].less(&list[i], &list[j])
	})
}

// chooseGroup shows a group that was clicked, if the session still has it.
func (g *GroupList) chooseGroup(c *view.Context, of match.Group) {
	for i := range g.of {
		if g.of[i].Group == of {
			g.choose(c, i)
			return
		}
	}
}

// choose shows the group of an index of the session's list.
func (g *GroupList) choose(c *view.Context, i int) {
	g.chosen = g.of[i].Group
	st := c.S.State()
	c.S.FocusGroup(i)
	for side, root := range [2]int{g.chosen.A, g.chosen.B} {
		ref := st.Found.Ref(pair.Side(side), root)
		c.Raise(session.Target{Side: pair.Side(side), Ref: ref, OK: true})
	}
}

// heading says how many groups there are and among which calls they were looked for.
func (g *GroupList) heading(c *view.Context, gtx C, st *session.State) D {
	text := words.GroupsHeading(&st.Found.Groups, len(g.shown))
	return layout.Inset{Top: 4, Bottom: 4, Right: 8}.Layout(gtx, func(gtx C) D {
		ink := headingInk(c)
		ink.Lines = 3
		return c.Kit.Label(gtx, text, ink)
	})
}

// row is one group: its root functions over what it covers on either side.
func (g *GroupList) row(c *view.Context, gtx C, st *session.State, i int) D {
	s := &g.of[i]
	na, nb := words.GroupNames(st, s)
	title := na
	if na != nb {
		title += "  |  " + nb
	}
	on := g.isChosen(st, s)
	return c.Kit.Pressable(gtx, g.clicks.Row(s.Group), "Show group "+title, on, func(gtx C) D {
		return layout.Inset{Left: 6, Right: 8, Top: 5, Bottom: 6}.Layout(gtx,
			func(gtx C) D { return g.facts(c, gtx, title, s) })
	})
}

// facts are a group's name, what it covers and what it holds.
func (g *GroupList) facts(c *view.Context, gtx C, title string, s *match.Summary) D {
	name := c.Kit.Text()
	name.Weight, name.Lines = font.Medium, 2
	text := words.GroupText(s)
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
		label(c, title, name),
		layout.Rigid(layout.Spacer{Height: 3}.Layout),
		layout.Rigid(func(gtx C) D { return g.shares(c, gtx, s) }),
		layout.Rigid(layout.Spacer{Height: 3}.Layout),
		label(c, text, c.Kit.Caption()))
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

// shares draws how much of the time shown the group's roots take, a bar for each side.
func (g *GroupList) shares(c *view.Context, gtx C, s *match.Summary) D {
	var bars []layout.FlexChild
	for k, share := range s.Share {
		if k > 0 {
			bars = append(bars, kit.Space(10))
		}
		bars = append(bars, layout.Flexed(1, func(gtx C) D {
			return c.Kit.ShareBar(gtx, k, share)
		}))
	}
	return layout.Flex{Alignment: layout.Middle}.Layout(gtx, bars...)
}

// StepGroup shows the group after the one that is selected in the tab of groups; with by −1 the one
// before. It reports false if the view in the active pane does not bring that tab.
func StepGroup(c *view.Context, by int) bool {
	g, ok := c.Panel(Groups).(*GroupList)
	if ok {
		g.Step(c, by)
	}
	return ok
}

// Step shows the group after the one that is selected in the list, or with by −1 the one before.
func (g *GroupList) Step(c *view.Context, by int) {
	st := c.S.State()
	if st.Found == nil || len(st.Found.Groups.List) == 0 {
		return
	}
	g.refresh(st, g.query)
	n := len(g.shown)
	if n == 0 {
		return
	}
	at := slices.IndexFunc(g.shown, func(i int) bool { return g.isChosen(st, &g.of[i]) })
	if at < 0 && by < 0 {
		at = 0 // the one before the first is the last
	}
	c.ShowTab(Groups)
	at = ((at+by)%n + n) % n
	g.choose(c, g.shown[at])
	g.list.ScrollTo(max(0, at-3))
}
