// Package dock is the pane on the right of the window: a tab for each list, and one for the details
// of the selected call. Most tabs are the window's own. A view brings others in its Row, and the
// dock knows nothing else of them. The package knows no view; it holds the tab of groups, which two
// views bring.
package dock

import (
	"slices"

	"gioui.org/io/key"
	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/command"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
)

// C and D are short for what every function that lays something out takes and returns.
type (
	C = layout.Context
	D = layout.Dimensions
)

// The tabs, by id. Groups is not the window's own: see GroupsTab.
const (
	Findings  = "findings"
	Details   = "details"
	Groups    = session.GroupsTab
	Threads   = "threads"
	Functions = view.Functions
	Problems  = "problems"
	Runs      = "runs"
	Notes     = "notes"
	Range     = "range"
)

// Dock is the pane. The zero value is not usable: see New.
type Dock struct {
	Open bool

	tab   string       // the one that is shown, by id
	last  bool         // which is the last window's: in this one nobody has asked for it
	view  session.View // that the tab was last chosen for
	heads map[string]*widget.Clickable
	more  kit.Drop // the tabs that there is no room for

	marked   session.Range // as of the last frame
	contents map[content]view.Panel
}

// content tells the contents of tabs apart: what a view brings for itself, or by = "" for what
// views share and for the window's own tabs.
type content struct {
	id string
	by session.View
}

// New returns a dock that is open at the findings.
func New() *Dock {
	return &Dock{Open: true, tab: Findings, heads: map[string]*widget.Clickable{},
		contents: map[content]view.Panel{}}
}

// own are the tabs of the window.
var own = []view.Tab{
	{ID: Findings, Title: "Findings", Open: command.ShowFindings, New: made[findingList]},
	{ID: Details, Title: "Details", Open: command.ShowDetails, New: made[details]},
	{ID: Threads, Title: "Threads", Open: command.ShowThreads, New: made[ThreadList]},
	{ID: Functions, Title: "Functions", Open: command.ShowFunctions, New: made[functionList]},
	{ID: Problems, Title: "Problems", Open: command.ShowProblems, New: made[problemList]},
	{ID: Runs, Title: "Runs", Open: command.ShowRuns, New: made[runList]},
	{ID: Notes, Title: "Notes", Open: command.ShowNotes, New: made[noteList]},
	{ID: Range, Title: "Range", Open: command.ShowRange, New: made[rangeList]},
}

// made returns a new panel of a type.
func made[T any, P interface {
	*T
	view.Panel
}]() view.Panel {
	return P(new(T))
}

// tabsBeside returns the tabs beside a view, from left to right: the window's own, and between them
// those that the view brings. Runs, notes and a range have a tab while there are any.
func (d *Dock) tabsBeside(st *session.State, row *view.Row) []view.Tab {
	empty := map[string]bool{Runs: st.Runs == nil, Notes: st.Notes.Len() == 0, Range: !st.Range.OK}
	tabs := slices.DeleteFunc(slices.Clone(own), func(t view.Tab) bool {
		asked := d.tab == t.ID && !(d.last && st.Pair != nil)
		return empty[t.ID] && !asked
	})
	for _, t := range row.Tabs {
		at := find(tabs, t.Before)
		if at < 0 {
			at = len(tabs)
		}
		tabs = slices.Insert(tabs, at, t)
	}
	return tabs
}

func find(tabs []view.Tab, id string) int {
	return slices.IndexFunc(tabs, func(t view.Tab) bool { return t.ID == id })
}

// Tab returns the id of the tab that is shown.
func (d *Dock) Tab() string { return d.tab }

// Turn turns to the tab that was shown last, be the dock open or not. If what is open then has
// nothing for it, the dock turns to another one.
func (d *Dock) Turn(id string) { d.tab, d.last = id, true }

// Show opens the dock and turns to a tab.
func (d *Dock) Show(id string) { d.Open, d.tab, d.last = true, id, false }

// TurnToDetails leaves the findings for the details, when a call is chosen in the picture.
func (d *Dock) TurnToDetails() {
	if d.tab == Findings {
		d.tab = Details
	}
}

// Press gives keys to a list that is being picked from.
func (d *Dock) Press(k key.Event) bool {
	return d.Open && d.tab == Threads && d.own(Threads).(*ThreadList).press(k)
}

// Forget drops the lists, which refer to traces, but for that of one tab.
func (d *Dock) Forget(but string) {
	for of, panel := range d.contents {
		if of.id != but {
			view.Empty(panel)
			delete(d.contents, of)
		}
	}
}

// Panel returns the content of a tab beside a view, nil if there is no such tab. The dock keeps
// each content until it forgets it.
func (d *Dock) Panel(id string, row *view.Row) view.Panel {
	i := find(row.Tabs, id)
	if i < 0 {
		return d.own(id)
	}
	if row.Tabs[i].Shared {
		return d.panel(&row.Tabs[i], "")
	}
	return d.panel(&row.Tabs[i], row.View)
}

// own returns the content of one of the window's own tabs, nil if there is no such tab.
func (d *Dock) own(id string) view.Panel {
	if i := find(own, id); i >= 0 {
		return d.panel(&own[i], "")
	}
	return nil
}

// panel returns the content of a tab that a view brings, or "" for all. It makes it if need be.
func (d *Dock) panel(t *view.Tab, by session.View) view.Panel {
	of := content{t.ID, by}
	if d.contents[of] == nil {
		d.contents[of] = t.New()
	}
	return d.contents[of]
}

// turn chooses another tab where what is open or the view in the active pane asks for it.
func (d *Dock) turn(st *session.State, row *view.Row, tabs []view.Tab) {
	if st.Any() && !st.Facing() {
		d.TurnToDetails() // there is nothing to find in one trace
	}
	if st.Range.OK && !d.marked.OK {
		d.tab = Range
	}
	d.marked = st.Range
	fresh, gone := d.view != row.View, find(tabs, d.tab) < 0
	d.view = row.View
	if !gone && !(fresh && (d.tab == Findings || d.tab == Details)) {
		return
	}
	lead := slices.IndexFunc(tabs, func(t view.Tab) bool {
		return t.Lead && (t.Silent == nil || !t.Silent(st))
	})
	switch {
	case lead >= 0:
		d.tab = tabs[lead].ID
	case gone && st.Both():
		d.tab = Findings
	case gone:
		d.tab = Details
	}
}

// Layout lays the dock out. The row is that of the view in the active pane.
func (d *Dock) Layout(c *view.Context, gtx C, st *session.State,
	row *view.Row) D {
	tabs := d.tabsBeside(st, row)
	d.turn(st, row, tabs)
	for i := range tabs {
		if d.headOf(tabs[i].ID).Clicked(gtx) {
			d.tab = tabs[i].ID
			d.more.Close()
		}
	}
	c.S.SetTab(d.tab)
	st = c.S.State()
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
		layout.Rigid(func(gtx C) D { return d.layoutHeads(c, gtx, st, tabs) }),
		layout.Flexed(1, func(gtx C) D {
			return layout.Inset{Left: 14, Right: 6, Top: 10, Bottom: 8}.Layout(gtx,
				func(gtx C) D {
					gtx.Constraints.Min = gtx.Constraints.Max
					return d.Panel(d.tab, row).Layout(c, gtx, st)
				})
		}),
	)
}

func (d *Dock) headOf(id string) *widget.Clickable {
	if d.heads[id] == nil {
		d.heads[id] = &widget.Clickable{}
	}
	return d.heads[id]
}

// Tabs returns the ids of the tabs beside a view, from left to right.
func (d *Dock) Tabs(st *session.State, row *view.Row) (ids []string) {
	for _, t := range d.tabsBeside(st, row) {
		ids = append(ids, t.ID)
	}
	return ids
}

// Dismiss closes what has dropped from the dock, and reports whether there was anything.
func (d *Dock) Dismiss() bool {
	was := d.Open && d.more.Open()
	d.more.Close()
	return was
}
