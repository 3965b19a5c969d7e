package ui

import (
	"diptych/internal/align"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/scene/aligned"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
)

// stateNames say what became of a call, by align.State.
var stateNames = [...]string{
	align.Equal: "equal", align.Different: "different", align.GapA: "only in B", align.GapB: "only in A",
}

// alignLines is what the tooltip says of a node.
func alignLines(st *session.State, v *session.Shown, hit *aligned.Hit) []string {
	n := &hit.Node
	unit := unitOf(st)
	var title string
	var lines []string
	var durations [2]int64
	for _, side := range []pair.Side{pair.A, pair.B} {
		if n.Calls[side] < 0 {
			continue
		}
		tr, th := st.Sides[side].Trace, v.Threads[side]
		name := tr.FunctionOf(th, n.Calls[side]).Name
		switch {
		case title == "":
			title = name
		case title != name:
			title += "  |  " + name
		}
		durations[side] = th.Dur(n.Calls[side])
		lines = append(lines, side.String()+"  "+geom.FormatValue(float64(durations[side]), unit)+" at "+
			geom.FormatValue(float64(th.Start[n.Calls[side]]), unit))
	}
	state := stateNames[n.State]
	if n.Moved {
		state += ", moved"
	}
	if n.State <= align.Different {
		state += ", " + kit.SignedValue(durations[pair.B]-durations[pair.A], unit) + " in B"
	}
	lines = append([]string{title}, append(lines, state)...)
	if hit.Pick.Aggregate {
		lines = append(lines, tally(hit.Count))
	}
	return lines
}

// tally says how many calls of each state a run stands for.
func tally(count [4]int) string {
	text := ""
	for s, n := range count {
		if n == 0 {
			continue
		}
		if text != "" {
			text += ", "
		}
		text += kit.Grouped(n) + " " + stateNames[s]
	}
	return "too narrow to draw: " + text
}
