package ui

import (
	"slices"

	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/ui/overview"
	"diptych/internal/ui/view"
)

// letGo drops what refers to traces that are not open any more. The session forgets them at once,
// but views and lists keep what they are made of from frame to frame, so that only what has changed
// is made anew, and those that are not shown keep it until they are shown again: each of them would
// hold traces, which can take gigabytes.
//
// Once nothing is open, all of it is dropped. If a trace was replaced by another one, what is shown
// is made of the new one in this frame, and only what is not shown is dropped, with the order of a
// table or its filter. Of several runs a side, one replaces another with every click. There the
// lists stay as the user has set them: they hold a run or two at most.
//
// It reports whether the traces are others than in the last frame, or on other sides. Then what the
// pointer has done since was meant for calls that are not there.
func (a *App) letGo(st *session.State) (others bool) {
	now := [2]*trace.Trace{st.Sides[0].Trace, st.Sides[1].Trace}
	if now == a.traces {
		return false
	}
	gone := slices.ContainsFunc(a.traces[:], func(tr *trace.Trace) bool {
		return tr != nil && !slices.Contains(now[:], tr)
	})
	a.traces = now
	switch {
	case !gone:
		return true
	case now == [2]*trace.Trace{}:
		for _, c := range a.panes {
			c.shown = nil
			c.forget()
		}
		a.dock.Forget("")
	case st.Runs == nil:
		for _, c := range a.panes {
			c.forget()
		}
		a.dock.Forget(a.dock.Tab())
	}
	*a.overview = *overview.New()
	a.menu.Close() // it is about something of that trace
	a.menu.offers, a.overlay.palette.offers = nil, nil
	if a.Closed != nil {
		a.Closed()
	}
	return true
}

// forget drops the views that a pane does not show.
func (c *content) forget() {
	for kind, v := range c.views {
		if v != c.shown {
			view.Empty(v)
			delete(c.views, kind)
		}
	}
}
