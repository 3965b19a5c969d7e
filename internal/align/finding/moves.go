package finding

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Calls that have moved: the same calls in another place or order.

// move sums up the calls of a function that have moved. There are two sorts: subtrees that are
// paired out of order (reorder.go); and calls that have no partner on either side of one level, of
// which the smaller number counts: if 3 are left in A and 5 in B, 3 have moved.
type move struct {
	calls int64
	ns    [2]int64 // with all below, by side
	at    [2]*Place
	most  int64
}

func (s *study) moveOf(id uint32) *move {
	id = s.same[id]
	if s.moves[id] == nil {
		s.moves[id] = &move{}
	}
	return s.moves[id]
}

// addSubtree adds a subtree that is paired out of order. Both sides get the longer time, because a
// change of its time is told by its functions (efforts.go).
func (m *move) addSubtree(r *align.Result, roots [2]int32) {
	var ns [2]int64
	var at [2]*Place
	for sd, i := range roots {
		ns[sd], at[sd] = r.Threads[sd].Dur(int(i)), placeOf(r, pair.Side(sd), i)
	}
	longer := max(ns[pair.A], ns[pair.B])
	m.addCalls(1, [2]int64{longer, longer}, at)
}

// addReordered adds n calls that are without a partner on both sides of a level. t counts the
// calls of the function on that level, and c those of its site.
func (m *move) addReordered(n int64, t *tally, c *unmatched) {
	var ns [2]int64
	for sd := range ns {
		ns[sd] = mulDiv(t.ns[sd], n, t.gaps[sd])
	}
	m.addCalls(n, ns, c.at)
}

func (m *move) addCalls(n int64, ns [2]int64, at [2]*Place) {
	m.calls += n
	m.ns[pair.A] += ns[pair.A]
	m.ns[pair.B] += ns[pair.B]
	if m.at[pair.A] == nil || ns[pair.A] > m.most {
		m.most, m.at = ns[pair.A], at
	}
}

// tellMoves tells each function whose calls have moved once.
func (s *study) tellMoves() {
	lead, longest := -1, int64(0)
	ids := slices.DeleteFunc(sortedKeys(s.moves, cmp.Compare[uint32]), func(id uint32) bool {
		m := s.moves[id]
		return s.share(max(m.ns[pair.A], m.ns[pair.B])) < s.o.Least || s.toldMoved[id]
	})
	swaps := s.findSwaps(ids)
	for _, id := range ids {
		m := s.moves[id]
		if s.toldByOther(id, swaps) {
			continue
		}
		t := s.both(anywhere, id)
		f := Finding{Kind: Moved, Function: s.names[id], ID: id, At: m.at,
			Calls:  [2]int64{t[pair.A].calls, t[pair.B].calls},
			Claims: s.claims(anywhere, id, Calls, TotalNs)}
		swap := swaps[id]
		f.Order = swap == nil
		bySchedule := swap == nil &&
			(s.scheduled || s.everWaits(id) || s.callsWaiting(id) || s.hasNamesake(m.at))
		ns := max(m.ns[pair.A], m.ns[pair.B])
		most := 2*m.calls >= max(t[pair.A].calls, t[pair.B].calls) // else as in an event loop
		f.Slight = bySchedule || swap == nil && s.share(ns) < leastChance
		if bySchedule {
			f.Certainty = Chance // another run of the same program has another order
		}
		where := s.orderWords(f.Function, m)
		f.Text = s.movedWords(&f, m, where)
		if swap != nil {
			where = pastWords(s.names[swap.past], swap.later)
			f.Text = s.swapWords(&f, swap, where)
		}
		next := len(s.report.Findings)
		s.addFinding(f)
		told := len(s.report.Findings) > next
		if told && !bySchedule && most && where != "" && ns > longest {
			lead, longest = next, ns
		}
	}
	if lead >= 0 {
		s.report.Findings[lead].Lead = true
	}
}

// hasNamesake reports whether both sides have another thread of the same name as the one of an
// example. What such threads do each in an order of its own differs if two of them are paired
// crosswise. For example, of two clients with a queue of requests each:
//
//	A: client get get put    client get put get    B: client get put get    client get get put
func (s *study) hasNamesake(at [2]*Place) bool {
	for sd := range at {
		if at[sd] == nil {
			return false
		}
		t := s.p.Trace(pair.Side(sd))
		th := t.Threads[at[sd].Thread]
		if !slices.ContainsFunc(t.Threads, func(o *trace.Thread) bool {
			return o != th && o.CommonName() == th.CommonName() && o.Process == th.Process
		}) {
			return false
		}
	}
	return true
}

// tellMovedPlaces tells a function that is called equally often, but by others.
func (s *study) tellMovedPlaces(f *Finding, c *count) {
	var from, to *place
	for k := range c.places {
		p := &c.places[k]
		if p.caller == atRoot || p.caller == c.id || !s.nameable(p.caller) ||
			10*magnitude(p.n) < f.Calls[pair.A] {
			continue
		}
		if p.n < 0 && (from == nil || p.n < from.n) {
			from = p
		}
		if p.n > 0 && (to == nil || p.n > to.n) {
			to = p
		}
	}
	t := s.both(anywhere, c.id)
	if from == nil || to == nil {
		from, to = s.movedWhole(c.id, t)
	}
	if from == nil || to == nil || s.share(max(t[pair.A].inAll, t[pair.B].inAll)) < s.o.Least {
		return
	}
	s.toldMoved[c.id] = true
	f.Kind, f.DeltaNs = Moved, 0
	f.Lead = s.share(max(t[pair.A].inAll, t[pair.B].inAll)) >= leastChance
	f.Claims = append(f.Claims, s.claims(from.caller, c.id, Calls)...)
	f.Claims = append(f.Claims, s.claims(to.caller, c.id, Calls)...)
	f.Text = s.movedPlacesWords(f, from, to, t)
	s.addFinding(*f)
}

// movedWhole returns the caller that makes all calls of a function in A, and the one that does so
// in B, if neither makes any on the other side; else nil. A caller that only one side has is told
// as a whole, so no place says what it calls. For example, B makes a table when it is first asked
// for:
//
//	A: main calls build     B: lookup calls pthread_once, which calls build
func (s *study) movedWhole(id uint32, t [2]*total) (from, to *place) {
	for e := range s.graph.callersOf(id) {
		a, b := e.of[pair.A], e.of[pair.B]
		if e.caller == atRoot || e.caller == id || !s.nameable(e.caller) {
			continue
		}
		p := &place{caller: e.caller, n: b.calls - a.calls, t: &unmatched{}}
		switch {
		case b.calls == 0 && a.calls == t[pair.A].calls:
			p.t.at[pair.A], from = &a.at, p
		case a.calls == 0 && b.calls == t[pair.B].calls:
			p.t.at[pair.B], to = &b.at, p
		}
	}
	return from, to
}

// movedThreadsWords says to which thread calls moved with their caller, if these are no
// counterparts.
func (s *study) movedThreadsWords(from, to *place) string {
	a, b := from.t.at[pair.A], to.t.at[pair.B]
	if a == nil || b == nil || s.p.Partner(pair.A, a.Thread) == b.Thread {
		return ""
	}
	x, y := s.p.A.Threads[a.Thread], s.p.B.Threads[b.Thread]
	if x.Title() == y.Title() {
		return ""
	}
	return fmt.Sprintf(", from thread %s to thread %s", strings.TrimPrefix(x.Title(), "thread "),
		strings.TrimPrefix(y.Title(), "thread "))
}

// findMovedUnder finds the functions that other threads run because what calls them did so: nearly
// all of their calls are made by a function that moved as well.
func (s *study) findMovedUnder() {
	moved := map[uint32]int{}
	for k := range s.report.Findings {
		if f := &s.report.Findings[k]; f.Threads {
			moved[f.ID] = k
		}
	}
	for k := range s.report.Findings {
		f := &s.report.Findings[k]
		if !f.Threads {
			continue
		}
		for e := range s.graph.callersOf(f.ID) {
			if up, ok := moved[e.caller]; ok && s.mostBy(e) && !s.follows(up, k) {
				f.Under = up
			}
		}
	}
}

// mostBy reports whether a function makes nearly all calls of another one, on both sides.
func (s *study) mostBy(e *edge) bool {
	by, all := e.of, s.both(anywhere, e.id)
	return 10*by[pair.A].calls >= 9*all[pair.A].calls && 10*by[pair.B].calls >= 9*all[pair.B].calls
}

// neighbours returns the functions that are called before and after a call by the same caller, ""
// for none.
func (s *study) neighbours(sd pair.Side, at *Place) (before, after string) {
	th := s.p.Trace(sd).Threads[at.Thread]
	up := int(th.Parent(int(at.Call)))
	th.Children(up, func(k int) bool {
		name := s.names[s.same[s.p.IDs(sd)[th.Fn[k]]]]
		switch {
		case byNature(s.p.Trace(sd).FunctionOf(th, k).Kind):
		case k < int(at.Call):
			before = name
		case k > int(at.Call):
			after = name
			return false
		}
		return true
	})
	return before, after
}
