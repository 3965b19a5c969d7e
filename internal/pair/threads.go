package pair

import "slices"

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
