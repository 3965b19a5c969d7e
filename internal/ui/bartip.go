package ui

import (
	"gioui.org/layout"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/ui/words"
)

// tooltip says what the bar under the pointer stands for.
func (o *overviewPane) tooltip(a *App, gtx layout.Context, st *session.State) {
	if !o.inside || o.drag.on || a.overlay.page != noPage || st.Found == nil || st.Found.Rung == nil {
		return
	}
	side, i, ok := o.view.Bar(o.at)
	if !ok {
		return
	}
	bars := st.Found.Rung.Bars[side]
	whole := o.view.Sides[side].Axis.Span
	step := whole.Len() / float64(len(bars))
	from := whole.Start + step*float64(i)
	unit := words.UnitOf(st)
	title := words.BarTitle(pair.Side(side), geom.Span{Start: from, End: from + step}, unit)
	a.kit.TipBox(gtx, append([]string{title}, words.BarLines(&bars[i], "BA"[side:side+1], unit)...),
		o.view.BarRect(side, i), o.at)
}
