package pair

import (
	"slices"
	"strconv"

	"diptych/internal/trace"
)

const none = -1

// pairThreads returns B's thread, or none, by A's, as the package comment says.
func (p *Pair) pairThreads() []int32 {
	partner := slices.Repeat([]int32{none}, p.threads(A))
	if p.A == nil || p.B == nil {
		return partner
	}
	m := &meeting{p, [2]*profiler{p.profiler(A), p.profiler(B)}, partner}
	left := &crew{upTo[int32](p.threads(A)), upTo[int32](p.threads(B))}
	name, homes := p.crewNames(), p.homes(m.by)
	if len(processes(p.A)) > 1 || len(processes(p.B)) > 1 {
		left = m.pairUnique(left, name)
		left = m.pairNamesakes(left, within(homes, name))
	}
	left = m.pairNamesakes(left, name)
	_, busy := p.split(left)
	m.pairAtHome(&busy, homes, name)
	pairStrangers(m.single(&busy), m.by, partner)
	m.pairRenamed(name, homes)
	return partner
}

// pairAtHome pairs threads that no name brings together, within the pairs of processes. Nameless
// threads count as threads of one name there; the others pair by similarity. Without it, a thread
// of a browser's page could leave its like in the same page for one in another process that calls
// the same functions.
func (m *meeting) pairAtHome(of *crew, homes [2][]int32, name naming) {
	nameless := func(s Side, i int32) string {
		if name(s, i) == "" {
			return "nameless"
		}
		return ""
	}
	anyone := func(Side, int32) string { return "any" }
	named, _ := crews(of, within(homes, nameless))
	for _, c := range named {
		pairCrew(c, m.by, m.partner)
	}
	named, _ = crews(m.single(of), within(homes, anyone))
	for _, c := range named {
		pairStrangers(c, m.by, m.partner)
	}
}

// single returns the threads of a crew that have no partner yet.
func (m *meeting) single(of *crew) *crew {
	taken := make([]bool, m.threads(B))
	for _, b := range m.partner {
		if b != none {
			taken[b] = true
		}
	}
	return &crew{
		slices.DeleteFunc(slices.Clone(of[A]), func(i int32) bool { return m.partner[i] != none }),
		slices.DeleteFunc(slices.Clone(of[B]), func(i int32) bool { return taken[i] })}
}

// naming returns what a thread is paired by, "" for nothing.
type naming func(s Side, thread int32) string

// within makes a name count in a pair of processes only.
func within(homes [2][]int32, name naming) naming {
	return func(s Side, i int32) string {
		n := name(s, i)
		if homes[s][i] == none || n == "" {
			return ""
		}
		return strconv.Itoa(int(homes[s][i])) + " " + n
	}
}

// meeting brings together the threads of a Pair.
type meeting struct {
	*Pair
	by      [2]*profiler
	partner []int32
}

// pairUnique pairs threads whose name one thread on each side has, and returns the others.
func (m *meeting) pairUnique(of *crew, name naming) (left *crew) {
	named, left := crews(of, name)
	for _, c := range named {
		if len(c[A]) == 1 && len(c[B]) == 1 {
			inOrder(*c, m.partner)
			continue
		}
		left.join(c)
	}
	left.sort()
	return left
}

// pairNamesakes pairs threads of the same name among themselves. It returns those whose name does
// not occur on the other side.
func (m *meeting) pairNamesakes(of *crew, name naming) (left *crew) {
	named, left := crews(of, name)
	for _, c := range named {
		if len(c[A]) == 1 && len(c[B]) == 1 {
			inOrder(*c, m.partner)
			continue
		}
		idle, busy := m.split(c)
		inOrder(idle, m.partner)
		pairCrew(&busy, m.by, m.partner)
	}
	return left
}

// crews parts threads, or processes, by names that occur on both sides, in order of the first of
// A's. Strangers are those of all other names and of none.
func crews(of *crew, name naming) (named []*crew, strangers *crew) {
	by := map[string]*crew{}
	var all []*crew
	strangers = &crew{}
	for s := range of {
		for _, i := range of[s] {
			n := name(Side(s), i)
			if n == "" {
				strangers[s] = append(strangers[s], i)
				continue
			}
			if by[n] == nil {
				by[n] = &crew{}
				all = append(all, by[n])
			}
			by[n][s] = append(by[n][s], i)
		}
	}
	for _, c := range all {
		if len(c[A]) > 0 && len(c[B]) > 0 {
			named = append(named, c)
		} else {
			strangers.join(c)
		}
	}
	strangers.sort()
	return named, strangers
}

// join takes the members of another crew in, behind its own.
func (c *crew) join(with *crew) {
	for s := range c {
		c[s] = append(c[s], with[s]...)
	}
}

// sort brings the members in order of creation.
func (c *crew) sort() {
	for s := range c {
		slices.Sort(c[s])
	}
}

// upTo returns the indices below n.
func upTo[T int | int32](n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = T(i)
	}
	return out
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

// crewNames tells what a thread is called in both traces. A thread whose name is a mere number of
// its run has its id for a name where ids agree, and else none.
func (p *Pair) crewNames() naming {
	agree := agree([2]map[string]bool{anonymousIDs(p.A), anonymousIDs(p.B)})
	return func(s Side, i int32) string {
		th := p.Trace(s).Threads[i]
		if anonymous(th) && agree {
			return th.ID
		}
		return th.CommonName()
	}
}

// anonymous reports whether a thread's name is nothing but the number that the system gave it.
func anonymous(th *trace.Thread) bool { return th.Numbered && th.Role == "" }

// anonymousIDs returns the ids of anonymous threads. Further lanes are left out, because their
// number varies by chance.
func anonymousIDs(t *trace.Trace) map[string]bool {
	ids := map[string]bool{}
	for _, th := range t.Threads {
		if th.Lane == 0 && anonymous(th) {
			ids[th.ID] = true
		}
	}
	return ids
}

// agree reports whether ids mean the same on both sides, as ranks do and an operating system's
// numbers do not. That is so if all ids of one side occur on the other.
func agree(ids [2]map[string]bool) bool {
	return subset(ids[A], ids[B]) || subset(ids[B], ids[A])
}

func subset(a, b map[string]bool) bool {
	for id := range a {
		if !b[id] {
			return false
		}
	}
	return true
}
