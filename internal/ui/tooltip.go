package ui

import (
	"gioui.org/layout"

	"diptych/internal/geom"
	"diptych/internal/scene/icicle"
	"diptych/internal/scene/matches"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/ui/words"
)

// tooltip explains what is under the pointer. It stands beside the shape it explains, never over
// it.
func (m *mainPane) tooltip(a *App, gtx layout.Context, st *session.State) {
	if !m.inside || m.grab.Moved || a.overlay.page != noPage {
		return
	}
	lines, shape := m.explain(st)
	if pin, ok := pinAt(m.pins, m.at, a.kit.Px(1)); ok {
		lines, shape = pinLines(st, &pin.pin), pin.box(a.kit.Px(1))
	}
	if lines == nil {
		return
	}
	a.kit.TipBox(gtx, lines, shape, m.at)
}

// explain returns what there is to say of the call or the match under the pointer, and where that
// is.
func (m *mainPane) explain(st *session.State) ([]string, geom.Rect) {
	if hit, ok := m.view.Pick(m.at); ok {
		if hit.Call < 0 {
			return nil, geom.Rect{}
		}
		return m.tip.of(st, hit), hit.Rect
	}
	if l, ok := m.view.PickLink(m.at); ok {
		near := geom.Rect{X0: m.at.X, X1: m.at.X, Y0: m.at.Y - 4, Y1: m.at.Y + 4}
		return words.LinkLines(st, &l), near
	}
	return nil, geom.Rect{}
}

// tip keeps the text for what is under the pointer: the self time of a call with a million callees
// takes too long to sum up every frame.
type tip struct {
	tr    *trace.Trace
	pick  icicle.Pick
	lines []string
}

func (t *tip) of(st *session.State, hit matches.Hit) []string {
	tr := st.Sides[hit.Side].Trace
	pick := hit.Pick
	pick.Rect = geom.Rect{} // moves while the text stays
	if t.lines == nil || t.tr != tr || t.pick != pick {
		*t = tip{tr, pick, words.TipLines(st, hit)}
	}
	return t.lines
}
