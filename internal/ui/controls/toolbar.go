// Package controls holds what the bars of several views have in common: which threads are shown,
// how the two sides are locked to each other, and how settings are laid out. A control keeps its
// clicks; the session keeps the rest.
package controls

import (
	"image"

	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/unit"
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
	var children []layout.FlexChild
	for _, item := range l.items(c, gtx, st) {
		children = append(children, layout.Rigid(item))
	}
	return layout.Flex{Alignment: layout.Middle}.Layout(gtx, children...)
}

// items are the ways of locking one by one, for bars of several rows.
func (l *Locks) items(c *view.Context, gtx layout.Context, st *session.State) (items []layout.Widget) {
	for i, id := range lockCommands {
		if l.clicks[i].Clicked(gtx) {
			c.Perform(gtx, id)
		}
		title := c.Command(id).Title
		button := func(gtx layout.Context) layout.Dimensions {
			if !c.Can(id) {
				return c.Kit.Disabled(gtx, &l.clicks[i], lockNames[i], title)
			}
			return c.Kit.Button(gtx, &l.clicks[i], lockNames[i], title, st.Lock == session.Lock(i))
		}
		if i == 0 {
			button = after(c, "lock", button)
		}
		items = append(items, button)
	}
	return items
}

// after puts a word before a control.
func after(c *view.Context, word string, control layout.Widget) layout.Widget {
	return func(gtx layout.Context) layout.Dimensions {
		return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return c.Kit.Label(gtx, word, c.Kit.Caption())
			}),
			kit.Space(4),
			layout.Rigid(control))
	}
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

// Toolbar heads a pane of calls: which threads it shows, and how the sides are locked. Controls for
// which there is no room are behind a button.
type Toolbar struct {
	scope   [2]widget.Clickable
	threads Threads
	locks   Locks
	flow    kit.Flow
}

// ToolbarHeight is the height of a Toolbar, dp.
const ToolbarHeight = 40

// roomForLocks is how wide, in dp, the pane must be for the locks to stand at the right end.
const roomForLocks = 640

// The name of the pair of threads is shortened, in dp, for it to stand in the row: of all controls
// it tells most about what is shown.
const (
	leastPair, mostPair = 80, 420
	besidePair          = 24 + 2*28 + 2*14 // insets, steps and gaps of a Flow
	moreButton          = 52
)

// Layout lays out the bar over the width there is.
func (t *Toolbar) Layout(c *view.Context, gtx layout.Context, st *session.State) {
	t.flow.Of, t.flow.Menu = "threads", true
	items, end := []layout.Widget{t.scopes(c, st)}, layout.Widget(layout.Spacer{}.Layout)
	var locks []layout.Widget
	switch {
	case !st.Both():
	case gtx.Constraints.Max.X > gtx.Dp(roomForLocks):
		end = func(gtx layout.Context) layout.Dimensions { return t.locks.Layout(c, gtx, st) }
	default:
		locks = t.locks.items(c, gtx, st)
	}
	if !st.Process {
		room := float32(gtx.Constraints.Max.X-widthOf(gtx, items[0])-widthOf(gtx, end)) / c.Kit.Px(1)
		if room -= besidePair; locks != nil {
			room -= moreButton
		}
		items = append(items, t.pair(c, st, unit.Dp(min(max(room, leastPair), mostPair))))
	}
	items = append(items, locks...)
	layout.Inset{Left: 12, Right: 12, Top: 5}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		t.flow.Layout(c.Kit, gtx, end, items)
		return layout.Dimensions{Size: gtx.Constraints.Max}
	})
}

// widthOf returns how wide a control is, px.
func widthOf(gtx layout.Context, control layout.Widget) int {
	gtx.Constraints.Min = image.Point{}
	m := op.Record(gtx.Ops)
	d := control(gtx)
	m.Stop()
	return d.Size.X
}

// Around puts the controls of the toolbar into the bar of a small pane, which has no toolbar: the
// threads before the bar's own, the locks after them.
func (t *Toolbar) Around(c *view.Context, gtx layout.Context, st *session.State,
	own []layout.Widget) []layout.Widget {
	var items []layout.Widget
	if !st.Process {
		items = append(items, t.pair(c, st, 200))
	}
	items = append(append(items, t.scopes(c, st)), own...)
	if st.Both() {
		items = append(items, t.locks.items(c, gtx, st)...)
	}
	return items
}

// scopes is the choice between a pair of threads and all of them.
func (t *Toolbar) scopes(c *view.Context, st *session.State) layout.Widget {
	on := 0
	if st.Process {
		on = 1
	}
	return func(gtx layout.Context) layout.Dimensions {
		return Segments(c, gtx, t.scope[:], []string{"one thread", "all threads"},
			[]command.ID{command.ScopeThread, command.ScopeProcess}, on)
	}
}

// pair names the pair of threads that is shown, at most so many dp wide.
func (t *Toolbar) pair(c *view.Context, st *session.State, most unit.Dp) layout.Widget {
	return func(gtx layout.Context) layout.Dimensions { return t.threads.Layout(c, gtx, st, gtx.Dp(most)) }
}

// Close closes what drops from the toolbar, and reports whether anything was open.
func (t *Toolbar) Close() bool { return t.flow.Close() }

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
	return after(c, word, func(gtx layout.Context) layout.Dimensions {
		return Segments(c, gtx, clicks, labels, ids, on)
	})
}

// Bar lays out the settings of a view in a flow, and a text at the end of the first row. In a small
// pane, which has no toolbar, the controls of the toolbar are among them.
func Bar(c *view.Context, gtx layout.Context, st *session.State, flow *kit.Flow, tools *Toolbar,
	text layout.Widget, items []layout.Widget) {
	layout.Inset{Left: 12, Right: 12}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		if flow.Menu {
			items = tools.Around(c, gtx, st, items)
		}
		before := flow.Height(c.Kit)
		flow.Layout(c.Kit, gtx, text, items)
		if flow.Height(c.Kit) != before {
			c.Rebuild(gtx) // the view begins below the bar
		}
		return layout.Dimensions{Size: gtx.Constraints.Max}
	})
}
