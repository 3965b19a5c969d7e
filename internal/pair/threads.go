package pair

import (
	"strings"

	"diptych/internal/trace"
)

const none = -1

// pairThreads returns B's thread, or none, by A's: by name, then by order of creation among equal
// names, then by best similarity.
func (p *Pair) pairThreads() []int32 {
	partner := make([]int32, p.threads(A))
	for i := range partner {
		partner[i] = none
	}
	if p.A == nil || p.B == nil {
		return partner
	}
	taken := make([]bool, p.threads(B))
	p.byName(partner, taken)
	p.bySimilarity(partner, taken)
	return partner
}

// byName pairs the k-th thread of a name in A with the k-th of that name in B. A trace lists its
// threads as they began, which is what it knows of their creation.
func (p *Pair) byName(partner []int32, taken []bool) {
	skip := !p.idsAgree()
	named := map[string][]int32{}
	for i, th := range p.B.Threads {
		if !(skip && anonymous(th)) {
			named[role(th)] = append(named[role(th)], int32(i))
		}
	}
	for i, th := range p.A.Threads {
		queue := named[role(th)]
		if len(queue) == 0 || skip && anonymous(th) {
			continue
		}
		partner[i], named[role(th)] = queue[0], queue[1:]
		taken[queue[0]] = true
	}
}

// role is a thread's name without the id that a format adds to tell threads of one role apart, as
// in "main.worker · 21".
func role(th *trace.Thread) string { return strings.TrimSuffix(th.Name, " · "+th.ID) }

// anonymous reports whether a thread's name is nothing but the number that the system gave it.
func anonymous(th *trace.Thread) bool { return th.Name == "" || th.Name == th.ID }

// idsAgree reports whether the ids of anonymous threads mean the same in both traces, as ranks do
// and thread numbers of an operating system do not: on one side all of them must occur on the
// other.
func (p *Pair) idsAgree() bool {
	a, b := anonymousIDs(p.A), anonymousIDs(p.B)
	return within(a, b) || within(b, a)
}

func anonymousIDs(t *trace.Trace) map[string]bool {
	ids := map[string]bool{}
	for _, th := range t.Threads {
		if anonymous(th) {
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
