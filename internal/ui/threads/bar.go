package threads

import (
	"fmt"
	"math"
	"strings"

	"gioui.org/layout"
	"gioui.org/unit"
	"gioui.org/widget"

	"diptych/internal/command"
	"diptych/internal/session"
	"diptych/internal/ui/controls"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// bar holds the controls of the view: which pair of threads is in the middle, what colours tell,
// what is folded or hidden, and how the circle is drawn.
type bar struct {
	flow      kit.Flow
	built     int // height that the scenes were built below, px
	tall      int // height of the controls as they were laid out last, px
	middle    controls.Threads
	colours   [2]widget.Clickable
	switches  [len(waitSwitches)]widget.Clickable
	threshold kit.Slider
	zero      kit.Slider
	reset     widget.Clickable
	locks     controls.Locks
	hidden    hiddenList
}

// waitSwitches turn one property of the view on and off.
var waitSwitches = [...]struct {
	label string
	id    command.ID
	on    func(st *session.State) bool
}{
	{"folded threads", ToggleIdle, func(st *session.State) bool { return st.Circle().Idle }},
	{"fold roles", ToggleRoles, func(st *session.State) bool { return !st.WaitStyle.Apart }},
	{"critical path", ToggleCritical, func(st *session.State) bool { return st.WaitStyle.Critical }},
	{"all releases", ToggleReleases, func(st *session.State) bool { return st.WaitStyle.All }},
}

func newBar() bar {
	return bar{flow: kit.Flow{Of: "threads"}, threshold: kit.Slider{Most: 1, Step: .05},
		zero: kit.Slider{Most: 1, Step: .05}}
}

// Free space around the controls and the most room for the name of the pair in the middle, dp.
const (
	barEdge    unit.Dp = 4
	barSide    unit.Dp = 8
	middleName unit.Dp = 230
)

// height returns what the bar needs, in px: it grows when all its controls are shown.
func (b *bar) height(c *view.Context) int {
	b.built = b.measure(c)
	return b.built
}

func (b *bar) measure(c *view.Context) int {
	return b.flow.Height(c.Kit) + 2*c.Kit.Dp(float32(barEdge))
}

// grown reports whether the bar needs another height than the scenes left it.
func (b *bar) grown() bool { return b.tall != b.built }

// dismiss closes what drops from the bar, and reports whether anything was open.
func (b *bar) dismiss() bool {
	if b.hidden.drop.Open() {
		b.hidden.drop.Close()
		return true
	}
	return b.flow.Close()
}

// update does what the controls were pressed for.
func (b *bar) update(c *view.Context, gtx layout.Context) {
	if b.reset.Clicked(gtx) {
		c.Perform(gtx, ResetCircle)
	}
	for i := range waitSwitches {
		if b.switches[i].Clicked(gtx) {
			c.Perform(gtx, waitSwitches[i].id)
		}
	}
	for i := range b.colours {
		if b.colours[i].Clicked(gtx) {
			c.S.SetWaitStyle(func(w *session.WaitStyle) { w.ByObject = i == 1 })
		}
	}
	b.hidden.update(c, gtx)
}

func (b *bar) layout(c *view.Context, gtx layout.Context, st *session.State, of *circle) {
	layout.Inset{Left: barSide, Right: barSide, Top: barEdge}.Layout(gtx,
		func(gtx layout.Context) layout.Dimensions {
			b.flow.Layout(c.Kit, gtx, func(gtx layout.Context) layout.Dimensions {
				return c.Kit.Label(gtx, words.ChangedPairs(of.changes), c.Kit.Faint())
			}, b.items(c, st, of))
			return layout.Dimensions{Size: gtx.Constraints.Max}
		})
	b.tall = b.measure(c)
}

// items are the controls, the most used first. In a profile there are no waits to be drawn in this
// way or that.
func (b *bar) items(c *view.Context, st *session.State, of *circle) []layout.Widget {
	items := []layout.Widget{func(gtx layout.Context) layout.Dimensions {
		return b.middle.Layout(c, gtx, st, gtx.Dp(middleName))
	}}
	if st.Profile() {
		return append(items, b.both(c, st)...)
	}
	items = append(items,
		func(gtx layout.Context) layout.Dimensions { return b.colour(c, gtx, st) }, b.toggle(c, st, 0))
	if len(st.Circle().Hidden) > 0 {
		items = append(items, func(gtx layout.Context) layout.Dimensions {
			return b.hidden.layout(c, gtx, st)
		})
	}
	if st.Both() {
		items = append(items, b.changes(c, st))
	}
	for i := 1; i < len(waitSwitches); i++ {
		items = append(items, b.toggle(c, st, i))
	}
	items = append(items, b.radius(c, st, of), func(gtx layout.Context) layout.Dimensions {
		return c.Kit.Button(gtx, &b.reset, "reset", c.Command(ResetCircle).Title, false)
	})
	return append(items, b.both(c, st)...)
}

// both are the controls of how two sides move.
func (b *bar) both(c *view.Context, st *session.State) (items []layout.Widget) {
	if st.Both() {
		items = append(items, func(gtx layout.Context) layout.Dimensions {
			return b.locks.Layout(c, gtx, st)
		})
	}
	return items
}

// colour chooses what the colours of waits tell.
func (b *bar) colour(c *view.Context, gtx layout.Context, st *session.State) layout.Dimensions {
	alternative := func(k int, label, name string, on bool) layout.FlexChild {
		return layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return c.Kit.Button(gtx, &b.colours[k], label, name, on)
		})
	}
	by := st.WaitStyle.ByObject
	return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return c.Kit.Label(gtx, "colour", c.Kit.Faint())
		}),
		kit.Space(4),
		alternative(0, "thread", "Colour waits by thread", !by),
		alternative(1, "object", "Colour waits by object", by))
}

func (b *bar) toggle(c *view.Context, st *session.State, i int) layout.Widget {
	return func(gtx layout.Context) layout.Dimensions {
		w := &waitSwitches[i]
		return c.Kit.Button(gtx, &b.switches[i], w.label, c.Command(w.id).Title, w.on(st))
	}
}

// changes chooses how much waits have to differ to stand out.
func (b *bar) changes(c *view.Context, st *session.State) layout.Widget {
	return func(gtx layout.Context) layout.Dimensions {
		now := st.WaitStyle.Threshold
		d, v, changed := b.threshold.Layout(c.Kit, gtx, "changed by", "Change of a wait that stands out",
			fmt.Sprintf("> %d %%", now), float32(now)/100)
		if changed {
			c.S.SetWaitStyle(func(w *session.WaitStyle) { w.Threshold = int(math.Round(float64(v) * 100)) })
		}
		return d
	}
}

// radius chooses the zero radius.
func (b *bar) radius(c *view.Context, st *session.State, of *circle) layout.Widget {
	return func(gtx layout.Context) layout.Dimensions {
		now, text := st.WaitStyle.Zero, kit.Percent(float64(st.WaitStyle.Zero))
		if now == 0 {
			now, text = of.even.zero, "fits"
		}
		d, v, changed := b.zero.Layout(c.Kit, gtx, "radius", "Zero radius", text, now)
		if changed {
			c.S.SetWaitStyle(func(w *session.WaitStyle) { w.Zero = v })
		}
		return d
	}
}

// hiddenList is the control of hidden threads: how many there are, and a list that drops from it,
// to bring them back.
type hiddenList struct {
	drop kit.Drop
	rows map[int]*widget.Clickable
	all  widget.Clickable
}

func (l *hiddenList) update(c *view.Context, gtx layout.Context) {
	l.drop.Update(gtx)
	if l.all.Clicked(gtx) {
		c.S.BringBack()
	}
	for line, click := range l.rows {
		if click.Clicked(gtx) {
			c.S.BringBack(line)
		}
	}
	if len(c.S.State().Circle().Hidden) == 0 {
		l.drop.Close()
	}
}

func (l *hiddenList) layout(c *view.Context, gtx layout.Context, st *session.State) layout.Dimensions {
	n := len(st.Circle().Hidden)
	label := kit.Grouped(n) + " hidden"
	d := c.Kit.Button(gtx, &l.drop.Toggle, label, "List hidden threads", l.drop.Open())
	l.drop.Layout(c.Kit, gtx, d.Size.Y, n+1, func(gtx layout.Context, i int) layout.Dimensions {
		if i == n {
			return c.Kit.Button(gtx, &l.all, "bring all back", c.Command(BringBack).Title, true)
		}
		line := nthHidden(st, i)
		tp := st.Pair.Threads[line]
		name := words.PairName(st, tp)
		text := strings.TrimSpace(name + " " + words.PairIDs(st, tp))
		return c.Kit.Button(gtx, l.row(line), text, "Bring back "+name, false)
	})
	return d
}

// nthHidden returns the i-th hidden line.
func nthHidden(st *session.State, i int) int {
	for k := range st.Pair.Threads {
		if st.Circle().Hidden[k] {
			if i == 0 {
				return k
			}
			i--
		}
	}
	return 0
}

func (l *hiddenList) row(line int) *widget.Clickable {
	if l.rows == nil {
		l.rows = map[int]*widget.Clickable{}
	}
	if l.rows[line] == nil {
		l.rows[line] = &widget.Clickable{}
	}
	return l.rows[line]
}
