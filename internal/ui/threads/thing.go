package threads

import (
	"gioui.org/layout"

	"diptych/internal/geom"
	"diptych/internal/scene/threads"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/things"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// Thing implements view.View: a call, a wait, a thread, or a time.
func (p *Pane) Thing(c *view.Context, pointed bool) view.Thing {
	h := p.pointed()
	switch {
	case !pointed:
		return p.chosen(c)
	case h == nil:
		return view.Thing{}
	}
	return h.thing(c)
}

// chosen is what has the choice, with where it is drawn on its side.
func (p *Pane) chosen(c *view.Context) view.Thing {
	h := &p.halves[c.S.State().Selected.Side]
	return things.Chosen(c, h.area, func(t session.Target) (r geom.Rect, ok bool) {
		if h.view == nil {
			return r, false
		}
		return h.view.CallRect(t.Ref)
	})
}

func (p *half) thing(c *view.Context) view.Thing {
	switch hit := &p.hit; hit.Part {
	case threads.OnCall:
		return things.Call(c, p.target(hit))
	case threads.OnRibbon, threads.OnRelease:
		return p.waitThing(c)
	case threads.OnLabel, threads.OnSection:
		if lines := p.pane.circle.lines(hit.Place); len(lines) > 0 {
			return p.threadThing(c, lines)
		}
	case threads.OnFolded:
		return view.Thing{Entries: []view.Entry{{Command: ToggleIdle}, {Command: BringBack}}}
	case threads.OnPath:
		return view.Thing{Name: "Critical path", Entries: []view.Entry{
			{Command: NextStretch}, {Command: PrevStretch}, {Command: ToggleCritical}}}
	}
	ground := things.Ground(c, p.side, p.time(c.S.State()))
	ground.Entries = append(ground.Entries, view.Entry{Command: BringBack, Apart: true},
		view.Entry{Command: ResetCircle}, view.Entry{Command: ToggleCritical})
	return ground
}

// time is the time under the pointer, on the axis of the thread in the middle.
func (p *half) time(st *session.State) float64 {
	f := st.Sides[p.side].Focus
	if t := p.view.Axis.T(p.at.X); f.Contains(t) {
		return t
	}
	return f.Mid()
}

// waitThing is the wait under the pointer: the call that waits, and what ended it.
func (p *half) waitThing(c *view.Context) view.Thing {
	hit := p.hit
	t := things.Call(c, p.target(&hit))
	if !t.Call.OK {
		return t
	}
	if p.of != nil && hit.Part == threads.OnRibbon {
		t.Text = things.Told(words.RibbonTip(p.of, &hit))
	}
	if hit.Release.Call >= 0 {
		release := session.Target{Side: p.side, Ref: hit.Release, OK: true}
		t.Entries = append([]view.Entry{{Title: "Select what ended the wait",
			Do: func(c *view.Context, _ layout.Context) {
				c.S.Select(release)
				c.TurnToDetails()
			}}}, t.Entries...)
	}
	t.Entries = append(t.Entries, view.Entry{Command: NextWait, Apart: true}, view.Entry{Command: PrevWait})
	return t
}

// threadThing is a thread of the circle, or those that are folded into one.
func (p *half) threadThing(c *view.Context, lines []int) view.Thing {
	t := things.Threads(c, lines[0])
	if p.of != nil && p.hit.Thread >= 0 {
		told := words.LabelTip(p.of, &p.hit, p.threadsAt(p.hit.Place))
		t.Text = things.Told(told[:len(told)-1]) // without what clicks do
	}
	place, wide := p.hit.Place, p.isWide(c, p.hit.Place)
	widen := "Widen it"
	switch {
	case len(lines) > 1:
		t.Name, widen = t.Name+" and "+kit.Plural(len(lines)-1, "more thread"), "Spread the threads of the role"
	case wide:
		widen = "Narrow it"
	}
	act := func(f func(c *view.Context)) func(*view.Context, layout.Context) {
		return func(c *view.Context, _ layout.Context) { f(c) }
	}
	t.Entries = append([]view.Entry{
		{Title: "Take it to the middle", Do: act(func(c *view.Context) { c.S.FocusLine(lines[0]) })},
		{Title: widen, Do: act(func(c *view.Context) { p.widen(c, place, !wide) })},
		{Title: "Hide it", Do: act(func(c *view.Context) { c.S.HideLines(lines...) })},
		{Command: BringBack},
	}, t.Entries[2:]...)
	return t
}
