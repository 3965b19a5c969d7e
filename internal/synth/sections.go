package synth

// ration gives each thread its part of the guarded sections that make up the waits asked for.
func (p *plan) ration(o Options, sections int) error {
	var all int
	for t := range p.quota {
		all += p.calls(t)
		for _, calls := range p.quota[t] {
			if sections > 0 && int(calls) < 4*cuesInFrame {
				return unfit("%d calls are too few for %d waits", o.Calls, o.Waits)
			}
		}
	}
	if 8*sections > all {
		return unfit("%d calls are too few for %d waits", o.Calls, o.Waits)
	}
	p.sections = make([]int, len(p.quota))
	sum, given := 0, 0
	for t := range p.quota {
		sum += p.calls(t)
		upTo := int(mulDiv(uint64(sections), uint64(sum), uint64(all)))
		p.sections[t], given = upTo-given, upTo
	}
	return nil
}

// allowance says how many guarded sections a stretch of calls has, if the number of waits is given.
// They are spread over the stretch. Functions that guard their steps do so only while there are not
// too many sections for the calls so far; if there are too few, any small function guards its
// steps.
type allowance struct {
	limited         bool
	held            bool // within a section: there are none within others
	left            int  // sections; their two operations have room besides the calls below
	sections, calls int  // of the whole stretch
}

// guard is what surrounds the steps of f, where left calls of the stretch are still to come.
func (a *allowance) guard(f *function, fn uint32, left int) (guard, uint32) {
	if !a.limited {
		return f.guard, f.object
	}
	// How far sections are behind, in sections times calls.
	behind := (a.calls-left)*a.sections - (a.sections-a.left)*a.calls
	switch {
	case a.held || a.left == 0 || behind < 0:
	case f.guard != unguarded:
		return f.guard, f.object
	case behind >= 2*a.calls && f.expected <= 16*longSection:
		return mutex, fn % shardMutexes
	}
	return unguarded, 0
}

// allow gives a stretch of calls its part of the thread's sections.
func (c *script) allow(calls int) allowance {
	if c.cast.scene != nil {
		return allowance{limited: true}
	}
	if c.plan.sections == nil {
		return allowance{}
	}
	c.grown += calls
	all := mulDiv(uint64(c.plan.sections[c.thread]), uint64(c.grown), uint64(c.plan.calls(c.thread)))
	n := min(int(all)-c.given, calls/2)
	c.given += n
	return allowance{limited: true, left: n, sections: n, calls: max(calls-2*n, 1)}
}

// bare appends the sections of a stretch that has no calls left to be in them.
func (c *script) bare() {
	g := &c.grow
	for ; g.limit.left > 0 && len(g.forest) < maxForest; g.limit.left-- {
		object := g.prog.objects.number(mutex, uint32(g.dice.below(shardMutexes)), c.thread)
		g.leaf(library(opLock), object, 0, 6*256)
		g.leaf(library(opUnlock), object, 0, 6*256)
		g.left += 2
	}
}
