package finding

import (
	"cmp"
	"fmt"

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
		if s.addSuccessor(f); s.tellsRate(f) {
			f.Claims = append(f.Claims, s.claims(anywhere, f.named, Calls)...)
		}
	}
}

// addSuccessor adds the caller that makes calls in place of the one that is named, if each of the
// two makes them on one side only: then they are not in the same loops. For example, if B writes
// whole batches:
//
//	A: order calls store 300 times    B: main calls store 15 times
func (s *study) addSuccessor(f *Finding) {
	by, most, successor := s.both(f.named, f.ID), int64(0), uint32(atRoot)
	for e := range s.graph.callersOf(f.ID) {
		only := pair.Side(toInt(by[pair.A].calls > 0))
		if n := e.of[only].calls; min(by[pair.A].calls, by[pair.B].calls) == 0 && n > most &&
			e.of[only.Other()].calls == 0 && e.caller != atRoot && s.nameable(e.caller) {
			successor, most = e.caller, n
		}
	}
	if 2*most > f.Calls[toInt(by[pair.A].calls > 0)] {
		t := s.both(successor, f.ID)
		f.Claims = append(f.Claims, s.claims(successor, f.ID, Calls)...)
		f.instead = fmt.Sprintf(" and by %s %s", s.names[successor], fromTo(t))
		if f.Kind == Repeat {
			f.Kind = Called
		}
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

// mostlyBy returns the function that calls another one in nearly all of a change of its self time,
// atRoot for none. Where that function makes most of the calls' time anyway, it says nothing. For
// example, of a helper that is called from everywhere:
//
//	work    A 84 ms → B 112 ms    called by hash  14 ms → 42 ms    by others 70 ms → 70 ms
func (s *study) mostlyBy(id uint32, ns int64) uint32 {
	t := s.both(anywhere, id)
	less := toInt(ns < 0)
	for e := range s.graph.callersOf(id) {
		part := float64(e.of[pair.B].self-e.of[pair.A].self) / float64(ns)
		if e.caller != atRoot && e.caller != id && s.nameable(e.caller) && part >= mostly &&
			part <= 1/mostly && 2*e.of[less].self < t[less].self {
			return e.caller
		}
	}
	return atRoot
}

// mostlyWords says so, and by how much the time of these calls changed.
func (s *study) mostlyWords(caller, id uint32) string {
	if caller == atRoot {
		return ""
	}
	t := s.both(caller, id)
	return fmt.Sprintf(", nearly all of it called by %s (%s → %s)", s.names[caller],
		s.length(t[pair.A].self), s.length(t[pair.B].self))
}

// bothWays reports whether either side has many calls that the other lacks. Where threads share
// what decides how many calls there are, such as the length of a list, it differs in both
// directions over the run, and by something in all. For example, of two equal runs of a store whose
// readers search the runs that there are, and of one that searches more:
//
//	search is called 1573 times instead of 1846, 443 of A and 170 of B without a partner: chance
//	search is called 5266 times instead of 1846, 48 of A and 3468 of B
func (c *count) bothWays() bool {
	var calls [2]int64
	for _, p := range c.places {
		for sd := range calls {
			calls[sd] += p.t.calls[sd]
		}
	}
	few, most := min(calls[pair.A], calls[pair.B]), max(calls[pair.A], calls[pair.B])
	return few > 0 && ofBoth*few >= most
}

const ofBoth = 4 // times as many on one side as on the other that are no difference of both
