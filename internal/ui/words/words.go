// Package words says in words what the views and the dock have to say about calls, threads, waits,
// matches and alignments: names, the lines of tooltips and of tables, the status line. Its
// functions are pure: what they say depends on the state of the session and on what is under the
// pointer alone. It lays nothing out and knows neither a window nor any panel.
package words

import (
	"strings"

	"diptych/internal/geom"
	"diptych/internal/session"
)

// At says after other words when a call begins: sep and "at 1.2 s". It is empty in a profile, where
// the place of a call says nothing about it.
func At(st *session.State, sep string, v int64) string {
	if st.Profile() {
		return ""
	}
	return sep + "at " + geom.FormatValue(float64(v), UnitOf(st))
}

// Worded returns a unit that is a word, as profiles name what they count, and "" for one that is a
// sign, such as ns. Columns of a table have room for signs alone: the word goes into their heading.
func Worded(unit string) string {
	switch unit {
	case "ns", "bytes", "count":
		return ""
	}
	return unit
}

// Bare returns a quantity without its unit if that is a word: "3.20 M" of "3.20 M Instructions".
func Bare(text, unit string) string {
	if unit = Worded(unit); unit != "" {
		return strings.TrimSuffix(text, " "+unit)
	}
	return text
}

// Apart is the sentence that says why two traces cannot be compared, "" if they can.
func Apart(st *session.State) string {
	if st.Apart == nil {
		return ""
	}
	text := st.Apart.Error()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// UnitOf returns the unit of the time axes.
func UnitOf(st *session.State) string {
	for i := range st.Sides {
		if tr := st.Sides[i].Trace; tr != nil {
			return string(tr.Unit)
		}
	}
	return "ns"
}
