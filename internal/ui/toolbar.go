package ui

import (
	"image"

	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/command"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/words"
)

// toolbar heads the main pane: what is shown and how the sides are locked.
type toolbar struct {
	scope [2]widget.Clickable
	steps [2]widget.Clickable
	pick  widget.Clickable
	locks [5]widget.Clickable
}

var lockCommands = [5]command.ID{command.LockFree, command.LockAbsolute, command.LockFromStart,
	command.LockRelative, command.LockAligned}

var lockNames = [5]string{"free", "absolute", "from start", "proportional", "by alignment"}

// roomForLocks is how wide, in dp, the pane must be for the locks to stand in its toolbar; in a
// narrower one there are the keys and the palette.
const roomForLocks = 640

func (t *toolbar) layout(a *App, gtx layout.Context, st *session.State) {
	t.input(a, gtx)
	layout.Inset{Left: 12, Right: 12, Top: 7}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		children := []layout.FlexChild{
			t.button(a, &t.scope[0], "one thread", "Show one pair of threads", !st.Process),
			t.button(a, &t.scope[1], "all threads", "Show all threads", st.Process),
			kit.Space(10),
		}
		if !st.Process {
			children = append(children, t.threadPair(a, st)...)
		}
		children = append(children, kit.Wide(func(gtx layout.Context) layout.Dimensions {
			return layout.Dimensions{Size: image.Pt(gtx.Constraints.Min.X, 0)}
		}))
		if st.Both() && gtx.Constraints.Max.X > gtx.Dp(roomForLocks) {
			children = append(children, t.locking(a, st)...)
		}
		return layout.Flex{Alignment: layout.Middle}.Layout(gtx, children...)
	})
}

func (t *toolbar) button(a *App, c *widget.Clickable, label, name string, on bool) layout.FlexChild {
	return layout.Rigid(func(gtx layout.Context) layout.Dimensions {
		return a.kit.Button(gtx, c, label, name, on)
	})
}

// threadPair names the pair of threads that is shown, with steps to its neighbours.
func (t *toolbar) threadPair(a *App, st *session.State) []layout.FlexChild {
	return []layout.FlexChild{
		t.button(a, &t.steps[0], "‹", "Previous pair of threads", false),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			gtx.Constraints.Max.X = min(gtx.Dp(420), gtx.Constraints.Max.X-gtx.Dp(30))
			return a.kit.Button(gtx, &t.pick, words.PairTitle(st), "Choose threads", false)
		}),
		t.button(a, &t.steps[1], "›", "Next pair of threads", false),
	}
}

// locking lets the user choose how the sides follow each other.
func (t *toolbar) locking(a *App, st *session.State) []layout.FlexChild {
	out := []layout.FlexChild{layout.Rigid(func(gtx layout.Context) layout.Dimensions {
		return a.kit.Label(gtx, "lock", a.kit.Caption())
	}), kit.Space(4)}
	for i := range t.locks {
		c := command.Get(lockCommands[i])
		if !a.can(c, st) {
			out = append(out, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return a.kit.Disabled(gtx, &t.locks[i], lockNames[i], c.Title)
			}))
			continue
		}
		out = append(out, t.button(a, &t.locks[i], lockNames[i], c.Title, st.Lock == session.Lock(i)))
	}
	return out
}

func (t *toolbar) input(a *App, gtx layout.Context) {
	click := func(c *widget.Clickable, id command.ID) {
		if c.Clicked(gtx) {
			a.perform(gtx, id)
		}
	}
	click(&t.scope[0], command.ScopeThread)
	click(&t.scope[1], command.ScopeProcess)
	click(&t.steps[0], command.PrevThread)
	click(&t.steps[1], command.NextThread)
	click(&t.pick, command.ShowThreads)
	for i := range t.locks {
		click(&t.locks[i], lockCommands[i])
	}
}
