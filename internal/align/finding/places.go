package finding

import (
	"cmp"

	"diptych/internal/pair"
)

// Where a function is called more often, or less.

// place is a site of a count.
type place struct {
	caller uint32
	n      int64 // how many more calls B makes there, in all; 0 if callers have other names there
	stray  int64 // how many more of B's have no partner
	ns     int64 // time of these
	loops  bool  // it is a loop, in which both sides call the function
	t      *unmatched
}

// order puts places of much time first, then of many calls, then by caller.
func (p place) order(q place) int {
	if x, y := magnitude(p.ns), magnitude(q.ns); x != y {
		return cmp.Compare(y, x)
	}
	return cmp.Or(cmp.Compare(magnitude(q.n), magnitude(p.n)), cmp.Compare(p.caller, q.caller))
}

// placed returns a site as a place of a function's count.
func (s *study) placed(caller, id uint32, t *unmatched) place {
	p := place{caller: caller, stray: t.net(), t: t}
	p.n, _ = change(s.both(caller, id))
	if p.stray != 0 {
		sd := toInt(p.stray > 0)
		p.ns = t.excess(p.stray)
		p.loops = 2*t.inLoops[sd] >= t.calls[sd] &&
			(t.loopCalls[pair.B] > t.loopCalls[pair.A]) == (p.stray > 0) &&
			t.loopCalls[pair.A] != t.loopCalls[pair.B]
	}
	return p
}

// addPlaces adds the caller at which most of a change happens, and its claims.
func (s *study) addPlaces(f *Finding, c *count) {
	n := f.Calls[pair.B] - f.Calls[pair.A]
	best := int64(0)
	for _, p := range c.places {
		if p.n*n > 0 && s.nameable(p.caller) {
			best, f.caller = p.n, p.caller
			break
		}
	}
	if best == 0 {
		for e := range s.graph.callersOf(c.id) {
			if d, _ := change(e.of); d*n > 0 && magnitude(d) > magnitude(best) && e.caller != atRoot &&
				s.nameable(e.caller) {
				best, f.caller = d, e.caller
			}
		}
	}
	if f.named = f.caller; 2*magnitude(best) < magnitude(n) {
		s.nameCaller(f, n)
	}
	if best != 0 && f.named != atRoot {
		f.Caller = s.names[f.named]
		f.Claims = append(f.Claims, s.claims(f.named, f.ID, Calls)...)
	}
}

// nameCaller has the function named that makes half of a change of n calls or more, if there is
// one. The calls without a partner need not lead there. For example, in B a page runs a script
// that forces 400 layouts; as the script has no partner, none of these is looked at by itself:
//
//	Layout is called 415 times instead of 15, by FinishedParsing 2 → 3   has no partner
//	                                          by v8.run 0 → 400          is named
func (s *study) nameCaller(f *Finding, n int64) {
	for e := range s.graph.callersOf(f.ID) {
		if d, _ := change(e.of); d*n > 0 && 2*magnitude(d) >= magnitude(n) && e.caller != atRoot &&
			e.caller != f.ID && s.nameable(e.caller) {
			f.named = e.caller
			return
		}
	}
}

// whereOf returns an example of what changed on each side.
func (s *study) whereOf(c *count, t [2]*total) (at [2]*Place) {
	for _, p := range c.places {
		for sd := range at {
			if at[sd] == nil && p.t.at[sd] != nil {
				at[sd] = p.t.at[sd]
			}
		}
	}
	for sd := range at {
		if at[sd] == nil && t[sd].calls > 0 {
			at[sd] = &t[sd].at
		}
	}
	return at
}
