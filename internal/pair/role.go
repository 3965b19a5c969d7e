package pair

import (
	"strings"

	"diptych/internal/trace"
)

// role is what a thread is called in both traces: its name without the id that a format adds to
// tell threads of one role apart, as in "main.worker · 21". A thread without a name has its id for
// one where ids agree, and else no role.
func role(th *trace.Thread, idsAgree bool) string {
	switch {
	case !anonymous(th):
		return strings.TrimSuffix(th.Name, " · "+th.ID)
	case idsAgree:
		return th.ID
	}
	return ""
}

// anonymous reports whether a thread's name is nothing but the number that the system gave it. An
// id may begin with the process, as in "14904/14905"; the further lanes of a thread have their
// number behind its name and its id.
func anonymous(th *trace.Thread) bool {
	name, id := th.Name, th.ID
	if th.Lane > 0 {
		name, id = cutLast(name, " · "), cutLast(id, ".")
	}
	return name == "" || name == id || strings.HasSuffix(id, "/"+name)
}

// cutLast returns s up to the last sep, or all of it.
func cutLast(s, sep string) string {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i]
	}
	return s
}

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
