package ui

import (
	"fmt"
	"math"

	"gioui.org/layout"
	"gioui.org/unit"
	"gioui.org/widget"

	"diptych/internal/command"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/words"
)

// threadsBar holds the controls of the view of threads: which pair is in the middle, what colours
// tell, what is folded or hidden, and how the circle is drawn.
type threadsBar struct {
	flow      kit.Flow
	steps     [2]widget.Clickable
	pick      widget.Clickable
	colours   [2]widget.Clickable
	switches  [len(waitSwitches)]widget.Clickable
	threshold kit.Slider
	zero      kit.Slider
	reset     widget.Clickable
	locks     [5]widget.Clickable
	hidden    hiddenList
}

// waitSwitches turn one property of the view on and off.
var waitSwitches = [...]struct {
	label string
	id    command.ID
	on    func(st *session.State) bool
}{
	{"idle threads", command.ToggleIdle, func(st *session.State) bool { return st.Circle().Idle }},
	{"fold roles", command.ToggleRoles, func(st *session.State) bool { return !st.WaitStyle.Apart }},
	{"all releases", command.ToggleReleases, func(st *session.State) bool { return st.WaitStyle.All }},
}

func newThreadsBar() threadsBar {
	return threadsBar{flow: kit.Flow{Of: "threads"}, threshold: kit.Slider{Most: 1, Step: .05},
		zero: kit.Slider{Most: 1, Step: .05}}
}

// barEdge is free above and below the controls, dp.
const barEdge unit.Dp = 4

// height returns what the bar needs, in px: it grows when all its controls are shown.
func (b *threadsBar) height(a *App) int {
	return b.flow.Height(a.kit) + 2*a.kit.Dp(float32(barEdge))
}

func (b *threadsBar) layout(a *App, gtx layout.Context, st *session.State) {
	b.input(a, gtx)
	layout.Inset{Left: 8, Right: 8, Top: barEdge}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		b.flow.Layout(a.kit, gtx, func(gtx layout.Context) layout.Dimensions {
			return a.kit.Label(gtx, words.ChangedPairs(a.threads.circle.changes), a.kit.Faint())
		}, b.items(a, st))
		return layout.Dimensions{Size: gtx.Constraints.Max}
	})
}

// items are the controls, the most used first.
func (b *threadsBar) items(a *App, st *session.State) []layout.Widget {
	items := []layout.Widget{
		func(gtx layout.Context) layout.Dimensions { return b.middle(a, gtx, st) },
		func(gtx layout.Context) layout.Dimensions { return b.colour(a, gtx, st) },
		b.toggle(a, st, 0),
	}
	if len(st.Circle().Hidden) > 0 {
		items = append(items, func(gtx layout.Context) layout.Dimensions {
			return b.hidden.layout(a, gtx, st)
		})
	}
	if st.Both() {
		items = append(items, b.changes(a, st))
	}
	for i := 1; i < len(waitSwitches); i++ {
		items = append(items, b.toggle(a, st, i))
	}
	items = append(items, b.radius(a, st), func(gtx layout.Context) layout.Dimensions {
		return a.kit.Button(gtx, &b.reset, "reset", command.Get(command.ResetCircle).Title, false)
	})
	if st.Both() {
		items = append(items, func(gtx layout.Context) layout.Dimensions { return b.locking(a, gtx, st) })
	}
	return items
}

// middle names the pair of threads in the middle, with steps to its neighbours.
func (b *threadsBar) middle(a *App, gtx layout.Context, st *session.State) layout.Dimensions {
	step := func(k int, label, name string) layout.FlexChild {
		return layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.kit.Button(gtx, &b.steps[k], label, name, false)
		})
	}
	return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
		step(0, "‹", "Previous pair of threads"),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			gtx.Constraints.Max.X = min(gtx.Dp(230), gtx.Constraints.Max.X-gtx.Dp(30))
			return a.kit.Button(gtx, &b.pick, words.PairTitle(st), "Choose threads", false)
		}),
		step(1, "›", "Next pair of threads"))
}

// colour chooses what the colours of waits tell.
func (b *threadsBar) colour(a *App, gtx layout.Context, st *session.State) layout.Dimensions {
	alternative := func(k int, label, name string, on bool) layout.FlexChild {
		return layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.kit.Button(gtx, &b.colours[k], label, name, on)
		})
	}
	by := st.WaitStyle.ByObject
	return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.kit.Label(gtx, "colour", a.kit.Faint())
		}),
		kit.Space(4),
		alternative(0, "thread", "Colour waits by thread", !by),
		alternative(1, "object", "Colour waits by object", by))
}

func (b *threadsBar) toggle(a *App, st *session.State, i int) layout.Widget {
	return func(gtx layout.Context) layout.Dimensions {
		w := &waitSwitches[i]
		return a.kit.Button(gtx, &b.switches[i], w.label, command.Get(w.id).Title, w.on(st))
	}
}

// changes chooses how much waits have to differ to stand out.
func (b *threadsBar) changes(a *App, st *session.State) layout.Widget {
	return func(gtx layout.Context) layout.Dimensions {
		now := st.WaitStyle.Threshold
		d, v, changed := b.threshold.Layout(a.kit, gtx, "changed by", "Change of a wait that stands out",
			fmt.Sprintf("> %d %%", now), float32(now)/100)
		if changed {
			a.S.SetWaitStyle(func(w *session.WaitStyle) { w.Threshold = int(math.Round(float64(v) * 100)) })
		}
		return d
	}
}

// radius chooses the zero radius.
func (b *threadsBar) radius(a *App, st *session.State) layout.Widget {
	return func(gtx layout.Context) layout.Dimensions {
		now, text := st.WaitStyle.Zero, kit.Percent(float64(st.WaitStyle.Zero))
		if now == 0 {
			text = "fits"
			for k := range a.threads.sides {
				if v := a.threads.sides[k].view; v != nil && v.Ring.Outer > 0 {
					now = v.Ring.Zero / v.Ring.Outer
				}
			}
		}
		d, v, changed := b.zero.Layout(a.kit, gtx, "radius", "Zero radius", text, now)
		if changed {
			a.S.SetWaitStyle(func(w *session.WaitStyle) { w.Zero = v })
		}
		return d
	}
}

// locking lets the user choose how the sides follow each other.
func (b *threadsBar) locking(a *App, gtx layout.Context, st *session.State) layout.Dimensions {
	children := []layout.FlexChild{layout.Rigid(func(gtx layout.Context) layout.Dimensions {
		return a.kit.Label(gtx, "lock", a.kit.Faint())
	}), kit.Space(4)}
	for i := range b.locks {
		if c := command.Get(lockCommands[i]); a.can(c, st) {
			children = append(children, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return a.kit.Button(gtx, &b.locks[i], lockNames[i], c.Title, st.Lock == session.Lock(i))
			}))
		}
	}
	return layout.Flex{Alignment: layout.Middle}.Layout(gtx, children...)
}

func (b *threadsBar) input(a *App, gtx layout.Context) {
	click := func(c *widget.Clickable, id command.ID) {
		if c.Clicked(gtx) {
			a.perform(gtx, id)
		}
	}
	click(&b.steps[0], command.PrevThread)
	click(&b.steps[1], command.NextThread)
	click(&b.pick, command.ShowThreads)
	click(&b.reset, command.ResetCircle)
	for i := range waitSwitches {
		click(&b.switches[i], waitSwitches[i].id)
	}
	for i := range b.locks {
		click(&b.locks[i], lockCommands[i])
	}
	for i := range b.colours {
		if b.colours[i].Clicked(gtx) {
			a.S.SetWaitStyle(func(w *session.WaitStyle) { w.ByObject = i == 1 })
		}
	}
	b.hidden.clicked(a, gtx, a.S.State())
}
