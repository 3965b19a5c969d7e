package trace

// Preview returns what an Outline would have shown of a trace at last, of so many threads at most:
// the calls that are wide enough to be seen, and one stack for each slot of time. It is for whoever
// keeps a trace, to show that small trace while the whole is read. Cost is at most linear in the
// calls; what lies in a call that cannot be seen is passed over.
func Preview(t *Trace, threads int) Glimpse {
	o := &Outline{kind: t.Kind, unit: t.Unit, functions: t.Functions, detail: mostSlots}
	o.Expect(t.Duration)
	of := map[*sketch]*Thread{}
	for _, th := range t.Threads {
		s := o.sketch(th.ID)
		s.name, s.last, s.first = th.Name, t.Duration, 0
		s.begun.Store(uint32(th.Len()))
		of[s] = th
	}
	parts := o.parts()
	for _, p := range parts[:min(len(parts), threads)] {
		p.of.follows(of[p.of])
	}
	g := o.Glimpse(threads)
	g.Kept = true
	return g
}

// follows looks at all calls of a thread.
func (s *sketch) follows(t *Thread) {
	s.coarsen()
	for i := 0; i < t.Len(); {
		start := t.Start(i)
		if t.Depth(i) >= mostLevels || !s.add(sketched{start, start + t.Dur(i), t.Fn[i]}) {
			i = t.Next(i)
			continue
		}
		if i++; len(s.kept) > mostKept {
			s.coarsen()
		}
	}
}

// Show has the Outline show a trace as it was when it was kept, until a Builder is followed.
func (o *Outline) Show(g Glimpse) {
	if o != nil {
		o.shown.Store(&g)
	}
}
