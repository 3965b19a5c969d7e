package words

import (
	"fmt"

	"diptych/internal/geom"
	"diptych/internal/session"
)

// SpotLine says where a note is, or is to be.
func SpotLine(st *session.State, p session.Spot) string {
	if p.Call.OK {
		return CallLine(st, p.Call)
	}
	return "at " + geom.FormatValue(p.At, UnitOf(st)) + " of " + p.Side.String()
}

// NotePlace says the same of a note, in few words; of one that has lost its call, what was there.
func NotePlace(st *session.State, n *session.Note) string {
	switch {
	case n.Lost():
		return "gone: " + n.CallName() + " is not in this trace"
	case n.Call.OK:
		return st.FunctionName(n.Call) + ", " + StartOf(st, n.Call)
	}
	return SpotLine(st, n.Spot)
}

// NoteLines is what the tooltip of a note's flag says.
func NoteLines(st *session.State, n *session.Note) []string {
	return []string{fmt.Sprintf("Note %d", n.Number), n.Text, NotePlace(st, n)}
}
