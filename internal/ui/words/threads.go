package words

import (
	"slices"
	"strings"

	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/ui/kit"
	"diptych/internal/wait/table"
)

// QuietLine says, after the last thread of a side, how many near-idle threads there are, and what a
// click on it does; "" if there are none.
func QuietLine(st *session.State, side pair.Side) string {
	n := st.Quiet[side]
	switch {
	case n == 0 || !st.Process:
		return ""
	case st.OpenQuiet:
		return "▼ fold " + kit.Plural(n, "near-idle thread")
	}
	return "► " + kit.Plural(n, "near-idle thread")
}

// PairName names a pair of threads: once where both are called the same, and with both ids where
// the names differ in nothing else, as in "main.worker · 21 | 17".
func PairName(st *session.State, tp pair.ThreadPair) string {
	a, b := ThreadOf(st, pair.A, tp), ThreadOf(st, pair.B, tp)
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
	before, after, ok := cutLast(a.Title(), table.ShortID(a.ID))
	if x, y, same := cutLast(b.Title(), table.ShortID(b.ID)); ok && same && x == before && y == after {
		return before + table.ShortID(a.ID) + " | " + table.ShortID(b.ID) + after
	}
	return a.Title() + "  |  " + b.Title()
}

// cutLast returns what stands in text before and after the last occurrence of id.
func cutLast(text, id string) (before, after string, ok bool) {
	i := strings.LastIndex(text, id)
	if i < 0 || id == "" {
		return "", "", false
	}
	return text[:i], text[i+len(id):], true
}

// PairLabel names a pair of threads, with its ids where a side has further threads of that name: a
// label that stands alone must tell them apart.
func PairLabel(st *session.State, tp pair.ThreadPair) string {
	name := PairName(st, tp)
	for _, side := range []pair.Side{pair.A, pair.B} {
		th := ThreadOf(st, side, tp)
		if ids := PairIDs(st, tp); th != nil && ids != "" && st.Sides[side].Trace.Namesakes(th) {
			return name + " · " + ids
		}
	}
	return name
}

// PairIDs returns the ids of a pair of threads, as in "21|17", to tell threads of one name apart.
// It leaves out an id that is part of the name.
func PairIDs(st *session.State, tp pair.ThreadPair) string {
	var ids []string
	for _, side := range []pair.Side{pair.A, pair.B} {
		if th := ThreadOf(st, side, tp); th != nil {
			if id := OwnID(th); id != "" && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return strings.Join(ids, "|")
}

// OwnID returns a thread's id, "" if its name has it or says more.
func OwnID(th *trace.Thread) string {
	if id := table.ShortID(th.ID); !strings.Contains(th.Title(), id) && !th.Coded() {
		return id
	}
	return ""
}

// ThreadOf returns the thread of a pair on one side, or nil.
func ThreadOf(st *session.State, side pair.Side, tp pair.ThreadPair) *trace.Thread {
	if i := tp.On(side); i >= 0 {
		return st.Sides[side].Trace.Threads[i]
	}
	return nil
}

// PairTitle names the pair of threads shown, and says which side has none.
func PairTitle(st *session.State) string {
	if st.Pair == nil || st.Current >= len(st.Pair.Threads) {
		return ""
	}
	tp := st.Pair.Threads[st.Current]
	name := PairLabel(st, tp)
	for _, side := range []pair.Side{pair.A, pair.B} {
		if st.Both() && tp.On(side) < 0 {
			name += "  (only in " + side.Other().String() + ")"
		}
	}
	return name
}
