package threads

import (
	"gioui.org/layout"

	"diptych/internal/command"
	"diptych/internal/geom"
	"diptych/internal/scene/threads"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// The view's commands.
const (
	Open           command.ID = "view-threads"
	ShowWaits      command.ID = "waits"
	NextWait       command.ID = "next-wait"
	PrevWait       command.ID = "previous-wait"
	ToggleObjects  command.ID = "wait-colours"
	ToggleReleases command.ID = "all-releases"
	ToggleIdle     command.ID = "idle-threads"
	ToggleRoles    command.ID = "fold-roles"
	ToggleCritical command.ID = "critical-path"
	NextStretch    command.ID = "next-stretch"
	PrevStretch    command.ID = "previous-stretch"
	HideThread     command.ID = "hide-thread"
	BringBack      command.ID = "bring-back"
	ResetCircle    command.ID = "reset-threads"
)

// The view of the alignment has these commands; here they step through the table of waits.
const (
	nextDifference command.ID = "next-difference"
	prevDifference command.ID = "previous-difference"
)

// WaitsTab is the tab of the table of waits.
const WaitsTab = "waits"

// Row is the view's row of the table of views.
func Row() view.Row {
	return view.Row{
		Kind: session.Kind{View: session.Threads, Unmatched: true,
			Fresh: func() session.Own { return &session.Circle{} }},
		Title:       "Threads",
		Open:        Open,
		OwnOverview: true,
		New:         New,
		Commands:    commands,
		Actions:     actions(),
		Moves:       moves(),
		Enabled: map[command.ID]func(*session.State) bool{
			BringBack:  func(st *session.State) bool { return len(st.Circle().Hidden) > 0 },
			HideThread: func(st *session.State) bool { return st.View == session.Threads },
		},
		Tabs: []view.Tab{{ID: WaitsTab, Title: "Waits", Open: ShowWaits, Before: "threads", Lead: true,
			Silent: (*session.State).Profile, New: func() view.Panel { return &Waits{} }}},
		Settings: settings(),
		Picture:  Picture,
		Counts: func(st *session.State) string {
			return kit.Joined(words.WaitCounts(st), words.Visible(st))
		},
		Describe: words.WaitLine,
	}
}

const group command.Group = "Threads"

var commands = []command.Command{
	{ID: Open, Title: "View: threads, who waits on whom", Keys: []string{"5"},
		Group: group, Needs: command.OneTrace},
	{ID: NextWait, Title: "Next line of the table of waits", Keys: []string{"J"},
		Group: group, Needs: command.OneTrace},
	{ID: PrevWait, Title: "Previous line of the table of waits", Keys: []string{"K"},
		Group: group, Needs: command.OneTrace},
	{ID: ToggleObjects, Title: "Colour waits by thread or by object", Keys: []string{"O"},
		Group: group, Needs: command.OneTrace},
	{ID: ToggleReleases, Title: "Draw what ended waits, or every release", Keys: []string{"U"},
		Group: group, Needs: command.OneTrace},
	{ID: ToggleIdle, Title: "Show or fold threads that take no part in waits", Keys: []string{"I"},
		Group: group, Needs: command.OneTrace},
	{ID: ToggleRoles, Title: "Threads of one role: folded or each on its own", Keys: []string{"P"},
		Group: group, Needs: command.OneTrace},
	{ID: ToggleCritical, Title: "Draw the critical path", Keys: []string{"Shift-U"},
		Group: group, Needs: command.OneTrace},
	{ID: NextStretch, Title: "Next stretch of the critical path", Keys: []string{"Shift-J"},
		Group: group, Needs: command.OneTrace},
	{ID: PrevStretch, Title: "Previous stretch of the critical path", Keys: []string{"Shift-K"},
		Group: group, Needs: command.OneTrace},
	{ID: HideThread, Title: "Hide the thread under the pointer", Keys: []string{"H"},
		Group: group, Needs: command.OneTrace},
	{ID: BringBack, Title: "Bring back hidden threads", Keys: []string{"Shift-H"},
		Group: group, Needs: command.OneTrace},
	{ID: ResetCircle, Title: "Lay threads out as they were at first",
		Group: group, Needs: command.OneTrace},
	{ID: ShowWaits, Title: "Waits: who waited on whom for what",
		Group: command.Show, Needs: command.OneTrace},
}

// action carries out a command that needs no pane.
type action = func(*view.Context, layout.Context)

func actions() map[command.ID]action {
	style := func(f func(*session.WaitStyle)) action {
		return func(c *view.Context, _ layout.Context) { c.S.SetWaitStyle(f) }
	}
	act := func(f func(*session.Session)) action {
		return func(c *view.Context, _ layout.Context) { f(c.S) }
	}
	return map[command.ID]action{
		ShowWaits: func(c *view.Context, _ layout.Context) {
			c.S.SetView(session.Threads)
			c.ShowTab(WaitsTab)
		},
		ToggleObjects:  style(func(w *session.WaitStyle) { w.ByObject = !w.ByObject }),
		ToggleReleases: style(func(w *session.WaitStyle) { w.All = !w.All }),
		ToggleRoles:    style(func(w *session.WaitStyle) { w.Apart = !w.Apart }),
		ToggleCritical: style(func(w *session.WaitStyle) { w.Critical = !w.Critical }),
		ToggleIdle:     act(func(s *session.Session) { s.ShowIdle(!s.State().Circle().Idle) }),
		BringBack:      act(func(s *session.Session) { s.BringBack() }),
		ResetCircle:    act((*session.Session).ResetCircle),
	}
}

// move carries out a command in a pane that shows the view.
type move = func(*view.Context, layout.Context, view.View) bool

func moves() map[command.ID]move {
	return map[command.ID]move{
		command.ZoomIn:  here(func(c *view.Context, p *half, at int) { p.zoom(c, at, view.ZoomStep) }),
		command.ZoomOut: here(func(c *view.Context, p *half, at int) { p.zoom(c, at, 1/view.ZoomStep) }),
		command.PanLeft: here(func(c *view.Context, p *half, at int) { p.pan(c, at, -view.PanStep) }),
		command.PanRight: here(func(c *view.Context, p *half, at int) {
			p.pan(c, at, view.PanStep)
		}),
		command.ScrollUp:     here(func(c *view.Context, p *half, at int) { p.foldBy(c, at, -1) }),
		command.ScrollDown:   here(func(c *view.Context, p *half, at int) { p.foldBy(c, at, +1) }),
		command.FitSelection: fitSelection,
		HideThread:           here(func(c *view.Context, p *half, at int) { p.hide(c, at) }),
		NextStretch:          stepPath(+1),
		PrevStretch:          stepPath(-1),
		NextWait:             stepWaits(+1),
		PrevWait:             stepWaits(-1),
		nextDifference:       stepWaits(+1),
		prevDifference:       stepWaits(-1),
	}
}

// here makes a move of what is done to the thread under the pointer, or to the one in the middle of
// the side that keys act on.
func here(do func(c *view.Context, p *half, at int)) move {
	return func(c *view.Context, _ layout.Context, v view.View) bool {
		all := v.(*Pane)
		p := all.pointed()
		if p == nil {
			p = all.acting(c)
		}
		if p.view == nil {
			return false
		}
		at := threads.Main
		if p.inside {
			at = p.placeUnder()
		}
		do(c, p, at)
		return true
	}
}

// acting returns the side that keys act on.
func (p *Pane) acting(c *view.Context) *half {
	side := c.Aim()
	if !c.S.State().Loaded(side) {
		side = side.Other()
	}
	return &p.halves[side]
}

// pan moves what a place shows by a share of it.
func (p *half) pan(c *view.Context, place int, share float64) {
	f := p.view.ViewOf(place)
	p.show(c, place, f.Shift(share*f.Len()))
}

// foldBy folds so many more levels of a place.
func (p *half) foldBy(c *view.Context, place, levels int) {
	if p.thread(place) < 0 || place == threads.Main && p.view.Drawing == nil {
		return
	}
	p.fold(c, place, p.view.FoldAfter(place, p.view.Folded(place), -float32(levels)*p.row(place)))
}

// hide takes the threads of a place out of the circle.
func (p *half) hide(c *view.Context, place int) {
	if lines := p.pane.circle.lines(place); place != threads.Main && len(lines) > 0 {
		c.S.HideLines(lines...)
	}
}

// fitSelection shows the selected call over the whole width of its place; a range is the window's.
func fitSelection(c *view.Context, _ layout.Context, v view.View) bool {
	st, all := c.S.State(), v.(*Pane)
	if st.Range.OK || !st.Selected.OK || all.halves[st.Selected.Side].view == nil {
		return false
	}
	all.halves[st.Selected.Side].showCall(c, st.Selected)
	return true
}

// showCall shows a call over the whole width of its place.
func (p *half) showCall(c *view.Context, t session.Target) {
	th, i := c.S.State().Call(t)
	span := geom.Span{Start: float64(th.Start(i)), End: float64(th.End(i))}
	margin := max(span.Len()*.1, 10)
	c.S.ViewThread(p.side, int(t.Ref.Thread),
		geom.Span{Start: span.Start - margin, End: span.End + margin})
}

// stepPath goes along the critical path of the side that keys act on.
func stepPath(by int) move {
	return func(c *view.Context, _ layout.Context, v view.View) bool {
		c.S.StepPath(v.(*Pane).acting(c).side, by)
		return true
	}
}

// stepWaits goes on in the table of waits. Where the waits are not known yet, that is done as soon
// as they are.
func stepWaits(by int) move {
	return func(c *view.Context, _ layout.Context, v view.View) bool {
		p := v.(*Pane)
		p.steps = by
		p.step(c)
		return true
	}
}
