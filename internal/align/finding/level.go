package finding

import (
	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// levels looks at the callees of one pair after the other, and counts those without a partner by
// function.
type levels struct {
	s     *study
	r     *align.Result
	moved [2]map[int32]bool // roots of moved subtrees, by side
	says  [2][]trust
	seen  map[uint32]*tally // by identity, of the present level
	free  []*tally
}

// tally counts calls of one function among the callees of a pair.
type tally struct {
	all, gaps [2]int64
	ns, waits [2]int64 // of the gaps
	at        [2]int32 // the longest gap
	most      [2]int64
	byChance  bool
}

func newLevels(s *study, r *align.Result, links []align.Move) *levels {
	l := &levels{s: s, r: r, seen: map[uint32]*tally{}}
	for sd, th := range r.Threads {
		l.says[sd] = trustIn(s.p.Trace(pair.Side(sd)), th)
	}
	l.moved = [2]map[int32]bool{{}, {}}
	for _, m := range links {
		l.moved[pair.A][m.A], l.moved[pair.B][m.B] = true, true
		s.moveOf(r.ID(pair.A, int(m.A))).add(r, m)
	}
	return l
}

// level counts the callees of the pair of a and b, or the roots if both are None.
func (l *levels) level(a, b int32) {
	calls := [2]int32{a, b}
	if a != align.None && l.s.id(l.r, pair.A, a) != l.s.id(l.r, pair.B, b) &&
		!paired(l.r, pair.A, a) {
		return // both are told as a whole
	}
	gap := false
	for sd := range calls {
		eachCallee(l.r, pair.Side(sd), calls[sd], func(i int32) {
			gap = gap || l.s.stray(l.r, pair.Side(sd), i)
		})
	}
	if !gap {
		return
	}
	for sd := range calls {
		eachCallee(l.r, pair.Side(sd), calls[sd], func(i int32) { l.count(pair.Side(sd), i) })
	}
	caller := uint32(atRoot)
	if a != align.None {
		caller = l.s.id(l.r, pair.A, a)
	}
	for id, t := range l.seen {
		if t.gaps[pair.A]+t.gaps[pair.B] > 0 {
			at := site{caller, id}
			if t.byChance {
				at.caller = anywhere
			}
			l.settle(at, t)
		}
		*t = tally{}
		l.free = append(l.free, t)
	}
	clear(l.seen)
}

func (l *levels) count(sd pair.Side, i int32) {
	id := l.s.id(l.r, sd, i)
	t := l.seen[id]
	if t == nil {
		if n := len(l.free); n > 0 {
			t, l.free = l.free[n-1], l.free[:n-1]
		} else {
			t = &tally{}
		}
		l.seen[id] = t
	}
	t.all[sd]++
	t.byChance = t.byChance || l.byChance(sd, i)
	if !l.s.stray(l.r, sd, i) || l.moved[sd][i] {
		return
	}
	ns := l.whole(sd, i)
	t.gaps[sd]++
	t.ns[sd] += ns
	if l.says[sd][i] >= others {
		t.waits[sd] += ns
	}
	if t.gaps[sd] == 1 || ns > t.most[sd] {
		t.most[sd], t.at[sd] = ns, i
	}
}

// whole returns the time that is told with a stray: all below it but for what has moved there or
// away; only its own where what it calls has partners.
func (l *levels) whole(sd pair.Side, i int32) int64 {
	th := l.r.Threads[sd]
	if l.r.Partner[sd][i] != align.None && paired(l.r, sd, i) {
		return th.Self(int(i))
	}
	ns := th.Dur(int(i))
	if len(l.moved[sd]) == 0 {
		return ns
	}
	for k := i + 1; k < int32(th.Next(int(i))); {
		if l.moved[sd][k] {
			ns -= th.Dur(int(k))
			k += int32(th.Size[k])
		} else {
			k++
		}
	}
	return ns
}

// byChance reports whether how often such a call is recorded, and under which caller, is a matter of
// chance: it was inferred from samples, or the system did it, such as a pre-emption.
func (l *levels) byChance(sd pair.Side, i int32) bool {
	return l.says[sd][i] == system || l.r.Threads[sd].Flags(int(i))&trace.Sampled != 0
}

// settle adds the strays of one function on a level to those at its site.
func (l *levels) settle(at site, t *tally) {
	c := l.s.causes[at]
	if c == nil {
		c = &tale{}
		l.s.causes[at] = c
	}
	c.byChance = t.byChance
	beside := t.all[pair.A] > 0 && t.all[pair.B] > 0 && !t.byChance
	for sd := range c.calls {
		c.calls[sd] += t.gaps[sd]
		c.ns[sd] += t.ns[sd]
		c.waits[sd] += t.waits[sd]
		if beside {
			c.beside[sd] += t.gaps[sd]
			c.loops[sd] += t.all[sd]
		}
		if t.gaps[sd] > 0 && (c.at[sd] == nil || t.most[sd] > c.most[sd]) {
			c.most[sd], c.at[sd] = t.most[sd], place(l.r, pair.Side(sd), t.at[sd])
		}
	}
	if n := min(t.gaps[pair.A], t.gaps[pair.B]); n > 0 && !l.s.taken[at.id] && !t.byChance {
		l.s.moveOf(at.id).shift(n, t, c)
	}
}
