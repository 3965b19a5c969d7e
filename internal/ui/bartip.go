package ui

import (
	"strconv"

	"gioui.org/layout"

	"diptych/internal/geom"
	"diptych/internal/match"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
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
	unit := unitOf(st)
	title := "calls of " + "AB"[side:side+1] + " that start from " + geom.FormatValue(from, unit) + " to " +
		geom.FormatValue(from+step, unit)
	a.kit.TipBox(gtx, append([]string{title}, barLines(&bars[i], "BA"[side:side+1], unit)...),
		o.view.BarRect(side, i), o.at)
}

// barLines puts a bar into words; other is the letter of the trace its matches are in.
func barLines(b *match.Bar, other, unit string) []string {
	if b.Matches == 0 {
		return []string{"match nothing in " + other}
	}
	at := "at the same time in " + other + " on average"
	switch shift := geom.FormatValue(kit.Abs(b.Shift), unit); {
	case b.Shift > 0:
		at = "on average " + shift + " later in " + other
	case b.Shift < 0:
		at = "on average " + shift + " earlier in " + other
	}
	if b.Distance > 0 {
		at += ", " + geom.FormatValue(b.Distance, unit) + " apart"
	}
	return []string{
		kit.Counted(uint64(b.Matches)) + " matches, sum of similarity " + strconv.FormatFloat(b.Weight, 'g', 4, 64),
		at,
	}
}
