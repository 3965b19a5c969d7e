package ui

import (
	"fmt"

	"diptych/internal/geom"
	"diptych/internal/scene/links"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
)

// linkLines is what the tooltip says of a match.
func linkLines(st *session.State, l *links.Link) []string {
	names, times := [2]string{}, [2]string{}
	for k, end := range l.Ends {
		tr := st.Sides[k].Trace
		th, unit := tr.Threads[end.Ref.Thread], string(tr.Unit)
		names[k] = tr.FunctionOf(th, int(end.Ref.Call)).Name
		times[k] = fmt.Sprintf("%c  %s at %s", "AB"[k],
			geom.FormatValue(float64(th.Dur(int(end.Ref.Call))), unit),
			geom.FormatValue(float64(th.Start[end.Ref.Call]), unit))
		if end.Calls > 1 {
			times[k] += fmt.Sprintf(", the longest of %s calls too narrow to draw", kit.Grouped(end.Calls))
		}
	}
	title := names[0]
	if names[1] != names[0] {
		title += "  |  " + names[1]
	}
	return []string{title, times[0], times[1],
		fmt.Sprintf("%s alike  ·  %s", kit.Percent(l.S), shiftText(st, l))}
}

// shiftText says how far the two calls of a match lie apart.
func shiftText(st *session.State, l *links.Link) string {
	unit := string(st.Sides[0].Trace.Unit)
	switch shift := l.Shift; {
	case shift > 0:
		return geom.FormatValue(shift, unit) + " later in B"
	case shift < 0:
		return geom.FormatValue(-shift, unit) + " earlier in B"
	}
	return "at the same time"
}
