// Package controls holds what the bars of several views have in common: which threads are shown,
// how the two sides are locked to each other, and how settings are laid out. A control keeps its
// clicks; the session keeps the rest.
package controls

import (
	"image"

	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/command"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// Locks lets the user choose how the sides follow each other.
type Locks struct{ clicks [5]widget.Clickable }

var lockCommands = [5]command.ID{command.LockFree, command.LockAbsolute, command.LockFromStart,
	command.LockRelative, command.LockAligned}

var lockNames = [5]string{"free", "absolute", "from start", "proportional", "by alignment"}

// Layout lays out the ways of locking, one of which is on; those that make no sense now are pale,
// and clicking one of them tells why.
func (l *Locks) Layout(c *view.Context, gtx layout.Context, st *session.State) layout.Dimensions {
	children := []layout.FlexChild{layout.Rigid(func(gtx layout.Context) layout.Dimensions {
		return c.Kit.Label(gtx, "lock", c.Kit.Caption())
	}), kit.Space(4)}
	for i, id := range lockCommands {
		if l.clicks[i].Clicked(gtx) {
			c.Perform(gtx, id)
		}
		children = append(children, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			title := c.Command(id).Title
			if !c.Can(id) {
				return c.Kit.Disabled(gtx, &l.clicks[i], lockNames[i], title)
			}
			return c.Kit.Button(gtx, &l.clicks[i], lockNames[i], title, st.Lock == session.Lock(i))
		}))
	}
	return layout.Flex{Alignment: layout.Middle}.Layout(gtx, children...)
}

// Threads names the pair of threads that is shown, with steps to its neighbours.
type Threads struct {
	steps [2]widget.Clickable
	pick  widget.Clickable
}

// Layout lays the name out at most so wide.
func (t *Threads) Layout(c *view.Context, gtx layout.Context, st *session.State, most int) layout.Dimensions {
	for click, id := range map[*widget.Clickable]command.ID{&t.steps[0]: command.PrevThread,
		&t.steps[1]: command.NextThread, &t.pick: command.ShowThreads} {
		if click.Clicked(gtx) {
			c.Perform(gtx, id)
		}
	}
	step := func(k int, label, name string) layout.FlexChild {
		return layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return c.Kit.Button(gtx, &t.steps[k], label, name, false)
		})
	}
	return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
		step(0, "‹", "Previous pair of threads"),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			gtx.Constraints.Max.X = max(min(most, gtx.Constraints.Max.X-gtx.Dp(30)), 0)
			return c.Kit.Button(gtx, &t.pick, words.PairTitle(st), "Choose threads", false)
		}),
		step(1, "›", "Next pair of threads"))
}

// Toolbar heads a pane of calls: which threads it shows, and how the sides are locked.
type Toolbar struct {
	scope   [2]widget.Clickable
	threads Threads
	locks   Locks
}

// ToolbarHeight is the height of a Toolbar, dp.
const ToolbarHeight = 40

// How wide, in dp, the pane must be for the locks to stand in its toolbar, and for both scopes: in
// a narrower one there are the keys and the palette.
const (
	roomForLocks = 640
	roomForScope = 420
)

// Layout lays out the bar over the width there is.
func (t *Toolbar) Layout(c *view.Context, gtx layout.Context, st *session.State) {
	for i, id := range []command.ID{command.ScopeThread, command.ScopeProcess} {
		if t.scope[i].Clicked(gtx) {
			c.Perform(gtx, id)
		}
	}
	layout.Inset{Left: 12, Right: 12, Top: 7}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		width := gtx.Constraints.Max.X
		var children []layout.FlexChild
		if width > gtx.Dp(roomForScope) {
			children = append(children, t.scopes(c, 0, "one thread", "Show one pair of threads", !st.Process))
		}
		if width > gtx.Dp(roomForScope) || st.Process {
			children = append(children, t.scopes(c, 1, "all threads", "Show all threads", st.Process), kit.Space(10))
		}
		if !st.Process {
			children = append(children, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return t.threads.Layout(c, gtx, st, gtx.Dp(420))
			}))
		}
		children = append(children, kit.Wide(func(gtx layout.Context) layout.Dimensions {
			return layout.Dimensions{Size: image.Pt(gtx.Constraints.Min.X, 0)}
		}))
		if st.Both() && width > gtx.Dp(roomForLocks) {
			children = append(children, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return t.locks.Layout(c, gtx, st)
			}))
		}
		return layout.Flex{Alignment: layout.Middle}.Layout(gtx, children...)
	})
}

func (t *Toolbar) scopes(c *view.Context, i int, label, name string, on bool) layout.FlexChild {
	return layout.Rigid(func(gtx layout.Context) layout.Dimensions {
		return c.Kit.Button(gtx, &t.scope[i], label, name, on)
	})
}

// Segments draws alternatives side by side, one of which is on; each is named by its command, which
// a click performs.
func Segments(c *view.Context, gtx layout.Context, clicks []widget.Clickable, labels []string,
	ids []command.ID, on int) layout.Dimensions {
	var names []string
	for i, id := range ids {
		if clicks[i].Clicked(gtx) {
			c.Perform(gtx, id)
		}
		names = append(names, c.Command(id).Title)
	}
	return c.Kit.Segments(gtx, clicks, labels, names, on)
}

// Choice is Segments after a word that says what they choose.
func Choice(c *view.Context, word string, clicks []widget.Clickable, labels []string,
	ids []command.ID, on int) layout.Widget {
	return func(gtx layout.Context) layout.Dimensions {
		return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return c.Kit.Label(gtx, word, c.Kit.Caption())
			}),
			kit.Space(4),
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return Segments(c, gtx, clicks, labels, ids, on)
			}))
	}
}

// Bar lays out the settings of a view in a flow, and a text at the end of the first row. In a small
// pane, which has no toolbar, they begin with the threads.
func Bar(c *view.Context, gtx layout.Context, st *session.State, flow *kit.Flow, threads *Threads,
	text layout.Widget, items []layout.Widget) {
	layout.Inset{Left: 12, Right: 12}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		if flow.Menu {
			items = append([]layout.Widget{func(gtx layout.Context) layout.Dimensions {
				return threads.Layout(c, gtx, st, gtx.Dp(200))
			}}, items...)
		}
		before := flow.Height(c.Kit)
		flow.Layout(c.Kit, gtx, text, items)
		if flow.Height(c.Kit) != before {
			c.Rebuild(gtx) // the view begins below the bar
		}
		return layout.Dimensions{Size: gtx.Constraints.Max}
	})
}
