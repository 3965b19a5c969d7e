package pair

import "diptych/internal/trace"

// crewName is what a thread is called in both traces. A thread whose name is a mere number of its
// run has its id for a name where ids agree, and else "".
func crewName(th *trace.Thread, idsAgree bool) string {
	if anonymous(th) && idsAgree {
		return th.ID
	}
	return th.CommonName()
}

// anonymous reports whether a thread's name is nothing but the number that the system gave it.
func anonymous(th *trace.Thread) bool { return th.Numbered && th.Role == "" }

// idsAgree reports whether the ids of anonymous threads mean the same in both traces, as ranks do
// and thread numbers of an operating system do not: on one side all of them must occur on the
// other. Lanes are left out: how many a thread needs is chance.
func (p *Pair) idsAgree() bool {
	a, b := anonymousIDs(p.A), anonymousIDs(p.B)
	return within(a, b) || within(b, a)
}

func anonymousIDs(t *trace.Trace) map[string]bool {
	ids := map[string]bool{}
	for _, th := range t.Threads {
		if th.Lane == 0 && anonymous(th) {
			ids[th.ID] = true
		}
	}
	return ids
}

func within(a, b map[string]bool) bool {
	for id := range a {
		if !b[id] {
			return false
		}
	}
	return true
}
