package ui

import (
	"cmp"
	"slices"
	"strings"

	"gioui.org/font"
	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/match"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/words"
)

// groupList lists the groups of matches in what both sides show: click one to see it.
type groupList struct {
	filter widget.Editor
	list   widget.List
	sorts  [len(groupOrders)]widget.Clickable
	order  int
	rows   map[match.Group]*widget.Clickable
	shown  []int           // indices into the session's list
	of     []match.Summary // what shown was listed from
	query  string
	sorted int // the order that shown is in
	chosen match.Group
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

func (g *groupList) layout(a *App, gtx layout.Context, st *session.State) layout.Dimensions {
	switch {
	case !st.Both():
		return a.kit.Hint(gtx, "Groups of matching calls are listed once two traces are open.")
	case st.Found == nil:
		return a.kit.Hint(gtx, "The traces are being compared.")
	}
	query := kit.Filtered(gtx, &g.filter)
	g.order = kit.ChosenOrder(gtx, g.sorts[:], g.order)
	g.refresh(st, query)
	g.clicked(a, gtx, st)
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
		a.kit.FilterField(&g.filter, "Filter groups by function", "Filter groups"),
		a.kit.Ordering(g.sorts[:], g.order, func(i int) (label, name string) {
			return groupOrders[i].label, groupOrders[i].name
		}),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions { return g.heading(a, gtx, st) }),
		layout.Flexed(1, func(gtx layout.Context) layout.Dimensions {
			return a.kit.Rows(gtx, &g.list, len(g.shown), func(gtx layout.Context, i int) layout.Dimensions {
				gtx.Constraints.Max.X -= gtx.Dp(10) // the scroll bar's
				gtx.Constraints.Min.X = gtx.Constraints.Max.X
				return g.row(a, gtx, st, g.shown[i])
			})
		}))
}

// refresh filters and sorts anew when the groups, the filter or the order have changed.
func (g *groupList) refresh(st *session.State, q string) {
	list := st.Found.Groups.List
	same := len(g.of) == len(list) && (len(list) == 0 || &g.of[0] == &list[0])
	if g.rows != nil && same && g.query == q && g.sorted == g.order {
		return
	}
	if g.rows == nil || !same {
		g.rows = map[match.Group]*widget.Clickable{}
	}
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

func (g *groupList) clicked(a *App, gtx layout.Context, st *session.State) {
	for i := range st.Found.Groups.List {
		if c := g.rows[st.Found.Groups.List[i].Group]; c != nil && c.Clicked(gtx) {
			g.choose(a, i)
		}
	}
}

// choose shows the group of an index of the session's list.
func (g *groupList) choose(a *App, i int) {
	g.chosen = g.of[i].Group
	st := a.S.State()
	a.S.FocusGroup(i)
	for side, root := range [2]int{g.chosen.A, g.chosen.B} {
		a.main.raise(a, session.Target{Side: pair.Side(side), Ref: st.Found.Ref(pair.Side(side), root), OK: true})
	}
}

// heading says how many groups there are and among which calls they were looked for.
func (g *groupList) heading(a *App, gtx layout.Context, st *session.State) layout.Dimensions {
	text := words.GroupsHeading(&st.Found.Groups, len(g.shown))
	return layout.Inset{Top: 4, Bottom: 4, Right: 8}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		return a.kit.Label(gtx, text, kit.Style{Size: kit.Small, Color: a.kit.Pal.Secondary,
			Weight: font.Medium, Lines: 3})
	})
}

// row is one group: its root functions over what it covers on either side.
func (g *groupList) row(a *App, gtx layout.Context, st *session.State, i int) layout.Dimensions {
	s := &g.of[i]
	c := g.rows[s.Group]
	if c == nil {
		c = &widget.Clickable{}
		g.rows[s.Group] = c
	}
	na, nb := words.GroupNames(st, s)
	title := na
	if na != nb {
		title += "  |  " + nb
	}
	on := g.isChosen(st, s)
	return a.kit.Pressable(gtx, c, "Show group "+title, on, func(gtx layout.Context) layout.Dimensions {
		return layout.Inset{Left: 6, Right: 8, Top: 5, Bottom: 6}.Layout(gtx,
			func(gtx layout.Context) layout.Dimensions { return g.facts(a, gtx, title, s) })
	})
}

// facts are a group's name, what it covers and what it holds.
func (g *groupList) facts(a *App, gtx layout.Context, title string, s *match.Summary) layout.Dimensions {
	name := a.kit.Text()
	name.Weight, name.Lines = font.Medium, 2
	text := words.GroupText(s)
	line := func(w layout.Widget) layout.FlexChild { return layout.Rigid(w) }
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
		line(func(gtx layout.Context) layout.Dimensions { return a.kit.Label(gtx, title, name) }),
		line(layout.Spacer{Height: 3}.Layout),
		line(func(gtx layout.Context) layout.Dimensions { return g.shares(a, gtx, s) }),
		line(layout.Spacer{Height: 3}.Layout),
		line(func(gtx layout.Context) layout.Dimensions {
			return a.kit.Label(gtx, text, a.kit.Caption())
		}))
}

// isChosen reports whether the group was chosen last and its call in A is still selected.
func (g *groupList) isChosen(st *session.State, s *match.Summary) bool {
	if s.Group != g.chosen || !st.Selected.OK || st.Selected.Side != pair.A {
		return false
	}
	calls := &st.Found.Graph.Sides[pair.A].Calls
	th, call := calls.At(s.A)
	return calls.Threads[th] == st.Sides[pair.A].Trace.Threads[st.Selected.Ref.Thread] &&
		call == int(st.Selected.Ref.Call)
}

// shares draws how much of the time shown the group's roots take, a bar for each side.
func (g *groupList) shares(a *App, gtx layout.Context, s *match.Summary) layout.Dimensions {
	var bars []layout.FlexChild
	for k, share := range s.Share {
		if k > 0 {
			bars = append(bars, kit.Space(10))
		}
		bars = append(bars, layout.Flexed(1, func(gtx layout.Context) layout.Dimensions {
			return a.kit.ShareBar(gtx, k, share)
		}))
	}
	return layout.Flex{Alignment: layout.Middle}.Layout(gtx, bars...)
}
