package pair

import (
	"cmp"
	"slices"

	"diptych/internal/trace"
)

const none = -1

// pairThreads returns B's thread, or none, by A's, as the package comment says.
func (p *Pair) pairThreads() []int32 {
	partner := slices.Repeat([]int32{none}, p.threads(A))
	if p.A == nil || p.B == nil {
		return partner
	}
	by := [2]*profiler{p.profiler(A), p.profiler(B)}
	crews, strangers := p.crews()
	for _, c := range crews {
		if len(c[A]) == 1 && len(c[B]) == 1 {
			inOrder(*c, partner)
			continue
		}
		idle, busy := p.split(c)
		inOrder(idle, partner)
		pairCrew(&busy, by, partner)
	}
	_, busy := p.split(strangers)
	pairStrangers(&busy, by, partner)
	return partner
}

// crews returns the threads of each role that occurs on both sides, and all others.
func (p *Pair) crews() (crews []*crew, strangers *crew) {
	agree := p.idsAgree()
	roles := map[string]*crew{"": {}}
	for _, s := range []Side{A, B} {
		for i, th := range p.Trace(s).Threads {
			name := crewName(th, agree)
			if roles[name] == nil {
				roles[name] = &crew{}
			}
			roles[name][s] = append(roles[name][s], int32(i))
		}
	}
	strangers = roles[""]
	delete(roles, "")
	for _, c := range roles {
		if len(c[A]) > 0 && len(c[B]) > 0 {
			crews = append(crews, c)
			continue
		}
		for s := range c {
			strangers[s] = append(strangers[s], c[s]...)
		}
	}
	for s := range strangers {
		slices.Sort(strangers[s])
	}
	return crews, strangers
}

// split parts the threads of a crew that call nothing from those that do.
func (p *Pair) split(c *crew) (idle, busy crew) {
	for s := range c {
		for _, i := range c[s] {
			to := &busy
			if p.Trace(Side(s)).Threads[i].Len() == 0 {
				to = &idle
			}
			to[s] = append(to[s], i)
		}
	}
	return idle, busy
}

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
// and an operating system's thread numbers do not. That is so if all ids of one side occur on the
// other. Further lanes are left out, because their number varies by chance.
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

// candidate is two kinds with something in common.
type candidate struct {
	a, b          int
	common, union int // of what they call
}

// pairStrangers pairs threads that no name brings together: anonymous ones, and those whose role
// occurs on one side only. They go by the Jaccard coefficient of the sets of identities they call:
// the most similar pair is taken first, then the next among what is left, and a pair that has
// nothing in common is never made.
func pairStrangers(c *crew, by [2]*profiler, partner []int32) {
	as, bs := kinds(c[A], by[A].called), kinds(c[B], by[B].called)
	meetEqual(as, bs, partner) // the best there is
	as, _ = remaining(as)
	bs, _ = remaining(bs)
	for _, l := range candidates(as, bs) {
		meet(&as[l.a], &bs[l.b], partner)
	}
}

// candidates lists the pairs of kinds with something in common, best first; ties go by the order in
// which the kinds began, A's first.
func candidates(as, bs []kind) []candidate {
	both := newShared(bs)
	var out []candidate
	for a := range as {
		for b, n := range both.count(as[a].calls) {
			if n > 0 {
				out = append(out, candidate{a, b, n, len(as[a].calls) + len(bs[b].calls) - n})
			}
		}
	}
	slices.SortStableFunc(out, func(x, y candidate) int {
		return cmp.Compare(y.common*x.union, x.common*y.union)
	})
	return out
}
