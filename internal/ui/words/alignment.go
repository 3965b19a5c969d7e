package words

import (
	"fmt"

	"diptych/internal/align"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/scene/aligned"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
)

// StateNames say what became of a call, by align.State.
var StateNames = [...]string{
	align.Equal: "equal", align.Different: "different", align.GapA: "only in B", align.GapB: "only in A",
}

// AlignLines is what the tooltip says of a node.
func AlignLines(st *session.State, v *session.Shown, hit *aligned.Hit) []string {
	n := &hit.Node
	unit := UnitOf(st)
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
		lines = append(lines, side.String()+"  "+geom.FormatValue(float64(durations[side]), unit)+
			At(st, " ", th.Start(n.Calls[side])))
	}
	state := StateNames[n.State]
	if n.Moved {
		state += ", moved"
	}
	if n.State <= align.Different {
		state += ", " + kit.SignedValue(durations[pair.B]-durations[pair.A], unit) + " in B"
	}
	lines = append([]string{title}, append(lines, state)...)
	if hit.Pick.Aggregate {
		lines = append(lines, stateCounts(hit.Count))
	}
	return lines
}

// stateCounts says how many calls of each state a run stands for.
func stateCounts(count [4]int) string {
	text := ""
	for s, n := range count {
		if n == 0 {
			continue
		}
		if text != "" {
			text += ", "
		}
		text += kit.Grouped(n) + " " + StateNames[s]
	}
	return "too narrow to draw: " + text
}

// StripLines is what the tooltip says of a strip above the alignment, and where the strip lies; nil
// where there is none. Rows are those of the pairs of threads that v shows.
func StripLines(st *session.State, v *aligned.View, rows []aligned.Row,
	hit *aligned.Hit) ([]string, geom.Rect) {
	shown := st.Shown()
	if shown == nil || hit.At < 0 || hit.At > float64(shown.Length) {
		return nil, geom.Rect{}
	}
	read, unit := shown.Prepared.At(int64(hit.At)), UnitOf(st)
	real := func(side pair.Side) string {
		return geom.FormatValue(float64(read.Real[side]), unit) + " in " + side.String()
	}
	at := "at " + real(pair.A) + ", " + real(pair.B)
	switch hit.Part {
	case aligned.Dissimilarity:
		return []string{differsWords(read.Dissimilarity), at}, v.Dissimilarity
	case aligned.Skew:
		return []string{skewWords(st, read.Skew), at}, v.Skew
	case aligned.Pairs:
		return rowLines(st, rows, hit), v.PairRow(hit.Row)
	}
	return nil, geom.Rect{}
}

// rowLines is what the tooltip says of a pair of threads among all.
func rowLines(st *session.State, rows []aligned.Row, hit *aligned.Hit) []string {
	if hit.Row >= len(rows) {
		return nil
	}
	row := &rows[hit.Row]
	lines := []string{row.Title, kit.Percent(row.Similarity) + " similar"}
	if heat, skew, ok := row.At(hit.At); ok {
		lines = append(lines, differsWords(heat), skewWords(st, skew))
	}
	switch {
	case row.Pair < 0:
		lines = append(lines, "the mean of all pairs of threads and the largest skew: click shows them")
	case !row.Current:
		lines = append(lines, "click shows these threads")
	}
	return lines
}

// differsWords says what a dissimilarity means.
func differsWords(share float64) string {
	return kit.Percent(share) + " of the calls around here differ"
}

// skewWords says what a skew means.
func skewWords(st *session.State, skew int64) string {
	more, equal := "up to here %v has run %s longer", "up to here both have run equally long"
	if st.Profile() {
		more, equal = "up to here %v has %s more", "up to here both have as much"
	}
	of := pair.A
	if skew < 0 {
		of = pair.B
	}
	if skew == 0 {
		return equal
	}
	return fmt.Sprintf(more, of, geom.FormatValue(float64(kit.Abs(skew)), UnitOf(st)))
}

// Differences says how much differs.
func Differences(st *session.State) string {
	v := st.Shown()
	if v == nil {
		return ""
	}
	return kit.Plural(v.Prepared.Differences(), "difference") + ", " + kit.Percent(v.Metrics.Similarity()) + " similar"
}

// HoldingNote says of an anchor that does not hold why.
func HoldingNote(h session.Holding) string {
	switch h {
	case session.Pending:
		return "not aligned yet"
	case session.LeftOut:
		return "left out: it would cross an earlier anchor"
	}
	return ""
}

// MarkText names the call that waits for another.
func MarkText(st *session.State) string {
	return "marked in " + st.Mark.Side.String() + ": " + st.FunctionName(st.Mark)
}

// MarkStatus names the call that waits to be aligned by hand, and says what to do next.
func MarkStatus(st *session.State) string {
	if st.Mate() == st.Mark {
		return MarkText(st) + " – press X to align " + st.FunctionName(st.Selected) + " with it"
	}
	return MarkText(st) + " – now choose a call in " + st.Mark.Side.Other().String() + " and press X"
}

// MarkLines is what the tooltip says of the call that waits to be aligned by hand.
func MarkLines(st *session.State) []string {
	return []string{MarkText(st), "choose a call in " + st.Mark.Side.Other().String() +
		" and press X; Esc forgets it"}
}

// AnchorLines is what the tooltip says of two calls that were aligned by hand.
func AnchorLines(st *session.State, x align.Anchor) []string {
	lines := []string{"aligned by hand"}
	for _, side := range []pair.Side{pair.A, pair.B} {
		lines = append(lines, side.String()+"  "+st.FunctionName(session.AnchorEnd(x, side)))
	}
	if note := HoldingNote(st.Holding(x)); note != "" {
		lines = append(lines, note)
	}
	return lines
}
