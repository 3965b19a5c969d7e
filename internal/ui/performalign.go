package ui

import (
	"diptych/internal/command"
	"diptych/internal/pair"
	"diptych/internal/session"
)

// performAligned carries out the commands that move the view of the alignment. It reports whether id
// is one of them.
func (a *App) performAligned(id command.ID, st *session.State) bool {
	s, f := a.S, st.Virtual
	if st.Shown() == nil {
		return false
	}
	at := f.Mid()
	if p := &a.align; p.inside && p.view != nil {
		at = p.view.Axis.T(p.at.X)
	}
	switch id {
	case command.ZoomIn:
		s.ZoomVirtual(at, zoomStep)
	case command.ZoomOut:
		s.ZoomVirtual(at, 1/zoomStep)
	case command.PanLeft:
		s.SetVirtual(f.Shift(-panStep * f.Len()))
	case command.PanRight:
		s.SetVirtual(f.Shift(panStep * f.Len()))
	case command.ScrollUp:
		a.align.scroll(a, st, -rowsStep)
	case command.ScrollDown:
		a.align.scroll(a, st, rowsStep)
	case command.FitSelection:
		if n, ok := a.align.selected(st); ok {
			a.align.show(a, n, .1)
		}
	default:
		return false
	}
	return true
}

// scroll moves the stacks by rows towards deeper levels.
func (p *alignPane) scroll(a *App, st *session.State, rows float32) {
	if p.view != nil {
		a.S.Scroll(pair.A, min(max(st.Scroll[pair.A]+rows*p.view.Row, 0), p.view.MaxScroll))
	}
}
