package aggregate

import (
	"gioui.org/layout"

	"diptych/internal/aggregate"
	"diptych/internal/command"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// The view's commands.
const (
	Open              command.ID = "view-aggregate"
	ShowStates        command.ID = "aggregate-table"
	NextP             command.ID = "aggregate-simpler"
	PrevP             command.ID = "aggregate-finer"
	BestP             command.ID = "aggregate-best"
	CycleStates       command.ID = "aggregate-states-next"
	StatesFunction    command.ID = "aggregate-functions"
	StatesPackage     command.ID = "aggregate-packages"
	StatesBlocking    command.ID = "aggregate-blocking"
	SwitchResources   command.ID = "aggregate-resources"
	ByThreads         command.ID = "aggregate-threads"
	ByCode            command.ID = "aggregate-code"
	EqualShares       command.ID = "aggregate-shares"
	VirtualTime       command.ID = "aggregate-virtual"
	CycleShow         command.ID = "aggregate-show-next"
	ShowEverything    command.ID = "aggregate-all"
	ShowTheSides      command.ID = "aggregate-sides"
	ShowTheDifference command.ID = "aggregate-difference"
	ZoomBack          command.ID = "aggregate-zoom-out"
	SwitchOperator    command.ID = "aggregate-operator"
	Refold            command.ID = "aggregate-refold"
)

// StatesTab is the tab of the states.
const StatesTab = "states"

const group command.Group = "Aggregation"

var one, two = view.CommandsOf(group)

var commands = []command.Command{
	{ID: Open, Title: "View: aggregation, the whole trace as few areas", Keys: []string{"7"},
		Group: group, Needs: command.OneTrace},
	one(NextP, "Simpler: the next significant p", "Shift-S"),
	one(PrevP, "Finer: the significant p before", "Shift-W"),
	one(BestP, "The best p", "Shift-Q"),
	one(CycleStates, "States: next choice", "Shift-Z"),
	one(SwitchResources, "Aggregate threads or code", "Shift-R"),
	two(CycleShow, "Both sides and their difference, or one of these", "Shift-D"),
	one(ZoomBack, "Show the resources and the time around", "Shift-Backspace"),
	one(StatesFunction, "States are functions"),
	one(StatesPackage, "States are packages"),
	one(StatesBlocking, "States are running, waiting, I/O and off CPU"),
	one(ByThreads, "Aggregate threads"),
	one(ByCode, "Aggregate the functions of the code"),
	two(EqualShares, "Timeslices are equal shares of each run"),
	two(VirtualTime, "Timeslices are equal in virtual time"),
	two(ShowEverything, "Show A, B and their difference"),
	two(ShowTheSides, "Show A and B"),
	two(ShowTheDifference, "Show the difference alone"),
	one(SwitchOperator, "Values of aggregates are sums, or means"),
	one(Refold, "Fold resources as at first"),
	{ID: ShowStates, Title: "Aggregation: the states as a table", Keys: []string{"Ctrl-8"},
		Group: command.Show, Needs: command.OneTrace},
}

// Row returns the view's row in the table of views.
func Row() view.Row {
	return view.Row{
		Kind: session.Kind{View: View, Unmatched: true, Fresh: func() session.Own { return fresh() },
			Wants: []session.Wanted{codes.Wanted(), models.Wanted(), overviews.Wanted(),
				searches.Wanted(), partitions.Wanted(), curves.Wanted()}},
		Aliases: []string{"aggregation", "ocelotl"},
		Title:   "Aggregation", Open: Open, OwnOverview: true,
		New: New, Commands: commands, Actions: actions(), Moves: moves(),
		Enabled: map[command.ID]func(*session.State) bool{
			ZoomBack: func(st *session.State) bool { return shown(st) && len(ownOf(st).Zoom) > 0 },
			Refold:   func(st *session.State) bool { return shown(st) && len(ownOf(st).Toggled) > 0 },
		},
		Tabs: []view.Tab{{ID: StatesTab, Title: "States", Open: ShowStates, Before: "threads",
			Lead: true, New: func() view.Panel { return newPanel() }}},
		Settings: settings(),
		Picture:  Picture,
		Counts:   counts,
		About:    about,
	}
}

func shown(st *session.State) bool { return st.View == View }

// about says what is aggregated, and which threads virtual time is that of.
func about(st *session.State) string {
	o := ownOf(st)
	what := "all threads"
	switch n := len(o.Zoom); {
	case n > 0:
		what = o.Zoom[n-1].Label
	case o.Code:
		what = "all code"
	}
	if o.Virtual && st.Both() {
		what += ", in the virtual time of " + words.PairTitle(st)
	}
	return what
}

// counts tells at the right of the status line how time is cut, and on which side nothing is. Of a
// picture whose range is no longer the one that is shown, it says so.
func counts(st *session.State) string {
	o := overviewIn(st)
	if o == nil {
		return words.Visible(st)
	}
	if k, ok := modelsKey(st); ok && k.spans != o.cut.of.spans {
		return "draft until the view rests"
	}
	text := kit.Plural(o.cut.of.slices, "timeslice")
	for s, m := range o.cut.Sides {
		if o.lacks(pair.Side(s)) {
			text += "  " + plotNames[s] + " nothing"
		} else if m != nil && o.cut.of.virtual == nil {
			d := float64(m.Borders[len(m.Borders)-1]-m.Borders[0]) / float64(o.cut.of.slices)
			text += "  " + plotNames[s] + " " + value(st, d)
		}
	}
	return text
}

// lacks reports whether a side that is open has none of the resources, so that it has no plot.
func (o *overview) lacks(side pair.Side) bool {
	return o.cut.Sides[side] != nil && o.parts[side] == nil
}

func actions() map[command.ID]func(*view.Context, layout.Context) {
	return map[command.ID]func(*view.Context, layout.Context){
		ShowStates: func(c *view.Context, _ layout.Context) {
			c.S.SetView(View)
			c.ShowTab(StatesTab)
		},
	}
}

// move carries out a command in a pane that shows the view.
type move = func(*view.Context, layout.Context, view.View) bool

// owned makes a move of a change of what the pane keeps.
func owned(f func(*Own)) move {
	return func(c *view.Context, _ layout.Context, _ view.View) bool {
		change(c.S, f)
		return true
	}
}

// acted makes a move of what the session is told.
func acted(f func(*session.Session)) move {
	return func(c *view.Context, _ layout.Context, _ view.View) bool {
		f(c.S)
		return true
	}
}

func moves() map[command.ID]move {
	all := map[command.ID]move{
		command.ZoomIn:   zooming(view.ZoomStep),
		command.ZoomOut:  zooming(1 / view.ZoomStep),
		command.PanLeft:  panning(-view.PanStep),
		command.PanRight: panning(view.PanStep),

		NextP:           acted(func(s *session.Session) { step(s, +1) }),
		PrevP:           acted(func(s *session.Session) { step(s, -1) }),
		BestP:           acted(best),
		CycleStates:     owned(func(o *Own) { o.States = (o.States + 1) % 3 }),
		SwitchResources: owned(func(o *Own) { byCode(o, !o.Code) }),
		ByThreads:       owned(func(o *Own) { byCode(o, false) }),
		ByCode:          owned(func(o *Own) { byCode(o, true) }),
		EqualShares:     owned(func(o *Own) { o.Virtual = false }),
		VirtualTime:     owned(func(o *Own) { o.Virtual = true }),
		CycleShow:       owned(func(o *Own) { o.Show = (o.Show + 1) % 3 }),
		SwitchOperator:  owned(func(o *Own) { o.Operator = 1 - o.Operator }),
		Refold:          owned(func(o *Own) { o.Toggled = nil }),
		ZoomBack: func(c *view.Context, _ layout.Context, _ view.View) bool {
			return zoomOut(c.S, len(ownOf(c.S.State()).Zoom)-1)
		},
	}
	for i, id := range stateIDs {
		all[id] = owned(func(o *Own) { o.States = aggregate.States(i) })
	}
	for i, id := range showIDs {
		all[id] = owned(func(o *Own) { o.Show = Show(i) })
	}
	return all
}

// byCode chooses between threads and code as resources; what was zoomed into and folded is of the
// other kind then.
func byCode(o *Own, code bool) {
	if o.Code != code {
		o.Code, o.Zoom, o.Toggled = code, nil, nil
	}
}

// zooming zooms both sides at the pointer.
func zooming(factor float64) move {
	return func(c *view.Context, _ layout.Context, v view.View) bool {
		p, at := v.(*Pane), .5
		if p.view != nil && len(p.view.Plots) > 0 {
			at = p.share(max(p.plot(), 0))
		}
		zoomBoth(c.S, c.Aim(), at, factor)
		return true
	}
}

// panning moves both sides.
func panning(share float64) move {
	return func(c *view.Context, _ layout.Context, _ view.View) bool {
		panBoth(c.S, c.Aim(), share)
		return true
	}
}
