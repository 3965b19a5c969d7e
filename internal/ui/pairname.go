package ui

import (
	"slices"
	"strings"

	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/wait/table"
)

// pairName names a pair of threads: once where both are called the same, and with both ids where a
// format adds an id to the name, as in "main.worker · 21 | 17".
func pairName(st *session.State, tp pair.ThreadPair) string {
	a, b := threadOf(st, pair.A, tp), threadOf(st, pair.B, tp)
	switch {
	case a == nil && b == nil:
		return ""
	case a == nil:
		return b.Title()
	case b == nil || a.Title() == b.Title():
		return a.Title()
	}
	if a.Numbered && b.Numbered && a.Role == b.Role && a.Role != "" {
		return a.Role + " · " + a.ID + " | " + b.ID
	}
	return a.Title() + "  |  " + b.Title()
}

// pairIDs returns the ids of a pair of threads as the view of threads writes them, "" where the name
// already has them: equal names do not tell threads apart.
func pairIDs(st *session.State, tp pair.ThreadPair) string {
	var ids []string
	for _, side := range []pair.Side{pair.A, pair.B} {
		if th := threadOf(st, side, tp); th != nil {
			if id := ownID(th); id != "" && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return strings.Join(ids, "|")
}

// ownID returns a thread's id, "" if its name has it.
func ownID(th *trace.Thread) string {
	if id := table.ShortID(th.ID); !strings.Contains(th.Title(), id) {
		return id
	}
	return ""
}

// threadOf returns the thread of a pair on one side, or nil.
func threadOf(st *session.State, side pair.Side, tp pair.ThreadPair) *trace.Thread {
	if i := tp.On(side); i >= 0 {
		return st.Sides[side].Trace.Threads[i]
	}
	return nil
}
