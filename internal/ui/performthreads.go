package ui

import (
	"diptych/internal/command"
	"diptych/internal/scene/threads"
	"diptych/internal/session"
)

// performThreads carries out the commands that move the view of threads: they act on the thread
// under the pointer. It reports whether id is one of them.
func (a *App) performThreads(id command.ID, st *session.State) bool {
	p := a.threads.pointed()
	if p == nil {
		p = &a.threads.sides[a.acting(st)]
	}
	if p.view == nil {
		return false
	}
	at := threads.Main
	if p.inside {
		at = p.placeUnder()
	}
	f := p.view.ViewOf(at)
	switch id {
	case command.ZoomIn:
		p.zoom(a, at, zoomStep)
	case command.ZoomOut:
		p.zoom(a, at, 1/zoomStep)
	case command.PanLeft:
		p.show(a, at, f.Shift(-panStep*f.Len()))
	case command.PanRight:
		p.show(a, at, f.Shift(panStep*f.Len()))
	case command.ScrollUp:
		p.foldBy(a, at, -1)
	case command.ScrollDown:
		p.foldBy(a, at, +1)
	case command.FitSelection:
		if st.Range.OK || !st.Selected.OK {
			return false
		}
		a.threads.sides[st.Selected.Side].showCall(a, st.Selected)
	case command.HideThread:
		if lines := a.threads.circle.lines(at); at != threads.Main && len(lines) > 0 {
			a.S.HideLines(lines...)
		}
	case command.NextWait, command.NextDifference:
		a.dock.waits.step(a, st, +1)
	case command.PrevWait, command.PrevDifference:
		a.dock.waits.step(a, st, -1)
	default:
		return false
	}
	return true
}

// foldBy folds so many more levels of a place.
func (p *circlePane) foldBy(a *App, place, levels int) {
	if p.thread(place) < 0 || place == threads.Main && p.view.Drawing == nil {
		return
	}
	row := p.view.Row
	if place != threads.Main {
		row = p.view.RingRow
	}
	p.fold(a, place, p.view.FoldAfter(place, p.view.Folded(place), -float32(levels)*row))
}

// performWaits carries out the other commands about waits.
func (a *App) performWaits(id command.ID) {
	s, st := a.S, a.S.State()
	style := func(f func(*session.WaitStyle)) { s.SetWaitStyle(f) }
	switch id {
	case command.ViewThreads:
		s.SetView(session.Threads)
	case command.ShowWaits:
		s.SetView(session.Threads)
		a.showTab(groupsTab)
	case command.NextWait, command.PrevWait:
		s.SetView(session.Threads)
	case command.ToggleObjects:
		style(func(w *session.WaitStyle) { w.ByObject = !w.ByObject })
	case command.ToggleReleases:
		style(func(w *session.WaitStyle) { w.All = !w.All })
	case command.ToggleRoles:
		style(func(w *session.WaitStyle) { w.Apart = !w.Apart })
	case command.ToggleIdle:
		s.ShowIdle(!st.Circle().Idle)
	case command.BringBack:
		s.BringBack()
	case command.ResetCircle:
		s.ResetCircle()
	}
}
