package ui

import (
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/scene/aligned"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
)

// stripLines is what the tooltip says of a strip, and where that lies; nil where there is none.
func stripLines(st *session.State, v *aligned.View, hit *aligned.Hit) ([]string, geom.Rect) {
	shown := st.Shown()
	if shown == nil || hit.At < 0 || hit.At > float64(shown.Length) {
		return nil, geom.Rect{}
	}
	read, unit := shown.Prepared.At(int64(hit.At)), unitOf(st)
	real := func(side pair.Side) string {
		return geom.FormatValue(float64(read.Real[side]), unit) + " in " + side.String()
	}
	at := "at " + real(pair.A) + ", " + real(pair.B)
	switch hit.Part {
	case aligned.Dissimilarity:
		return []string{differsWords(read.Dissimilarity), at}, v.Dissimilarity
	case aligned.Skew:
		return []string{skewWords(read.Skew, unit), at}, v.Skew
	case aligned.Pairs:
		return rowLines(st, hit, unit), v.PairRow(hit.Row)
	}
	return nil, geom.Rect{}
}

// rowLines is what the tooltip says of a pair of threads among all.
func rowLines(st *session.State, hit *aligned.Hit, unit string) []string {
	rows := pairRows(st, st.Shown())
	if hit.Row >= len(rows) {
		return nil
	}
	row := &rows[hit.Row]
	lines := []string{row.Title}
	if heat, skew, ok := row.At(hit.At); ok {
		lines = append(lines, differsWords(heat), skewWords(skew, unit))
	}
	if !row.Current {
		lines = append(lines, "click shows these threads")
	}
	return lines
}

// differsWords says what a dissimilarity means.
func differsWords(share float64) string {
	return kit.Percent(share) + " of what runs around here differs"
}

// skewWords says what a skew means.
func skewWords(skew int64, unit string) string {
	switch {
	case skew > 0:
		return "up to here A has run " + geom.FormatValue(float64(skew), unit) + " longer"
	case skew < 0:
		return "up to here B has run " + geom.FormatValue(float64(-skew), unit) + " longer"
	}
	return "up to here both have run equally long"
}
