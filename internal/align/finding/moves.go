package finding

import (
	"cmp"
	"fmt"
	"maps"
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
		f.Slight = bySchedule || s.share(ns) < leastChance
		if bySchedule {
			f.Certainty = Chance // another run of the same program has another order
		}
		where := s.orderWords(f.Function, m)
		if swap != nil {
			where = pastWords(s.names[swap.past], swap.later)
		}
		f.Text = s.movedWords(&f, m, where)
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

// swap is a change of the order in which a caller calls two functions. Which thread does what, and
// when, is left to the schedule; in which order one call makes its calls is not, if all calls of
// the caller on a side agree. For example, a lock is held for longer:
//
//	A: get(checksum lock unlock), 450 times    B: get(lock checksum unlock), 450 times
//
// That most calls agree would not do: a caller that waits may look again and call either once more.
type swap struct {
	caller, of, past uint32
	later            bool   // B calls of after past, A before it
	agree            [2]int // calls of the caller with both, by side
	broken           bool
}

// fewestSwapped is how many calls of a caller have to agree on each side. In fewer, the same order
// may be an accident.
const fewestSwapped = 8

// findSwaps returns by function the swaps that explain why its calls have moved. Time is linear in
// the calls of both sides, if an example of some function is swapped.
func (s *study) findSwaps(ids []uint32) map[uint32]*swap {
	found, asked := map[uint32]*swap{}, make([]bool, len(s.names))
	for _, id := range ids {
		if w := s.swapOf(id, s.moves[id].at); w != nil {
			found[id], asked[w.caller] = w, true
		}
	}
	if len(found) == 0 {
		return nil
	}
	in := order{at: make([]callees, len(s.names))}
	for sd := range pair.Side(2) {
		of := s.p.IDs(sd)
		for _, th := range s.p.Trace(sd).Threads {
			for i := range th.Len() {
				if i%4096 == 0 && s.ctx.Err() != nil {
					return nil
				}
				caller := s.same[of[th.Fn[i]]]
				if !asked[caller] {
					continue
				}
				in.seek(s, sd, th, i)
				for _, id := range in.ids {
					if w := found[id]; w != nil && w.caller == caller {
						w.look(&in, sd)
					}
				}
			}
		}
	}
	maps.DeleteFunc(found, func(_ uint32, w *swap) bool {
		return w.broken || min(w.agree[pair.A], w.agree[pair.B]) < fewestSwapped
	})
	return found
}

// order is in which order one call calls which functions.
type order struct {
	calls int       // looked at so far
	ids   []uint32  // the functions, in the order of their first calls
	at    []callees // by function
}

// callees are the first and the last call of a function by the call with that number.
type callees struct{ of, first, last int }

// seek makes it the order of a call.
func (o *order) seek(s *study, sd pair.Side, th *trace.Thread, call int) {
	o.calls, o.ids = o.calls+1, o.ids[:0]
	of := s.p.IDs(sd)
	th.Children(call, func(k int) bool {
		id := s.same[of[th.Fn[k]]]
		if at := &o.at[id]; at.of == o.calls {
			at.last = k
		} else {
			*at, o.ids = callees{o.calls, k, k}, append(o.ids, id)
		}
		return true
	})
}

// look compares a call of the caller, which calls the function, with the swap.
func (w *swap) look(in *order, sd pair.Side) {
	x, y := in.at[w.of], in.at[w.past]
	if y.of != in.calls {
		return
	}
	if w.agree[sd]++; w.later != (sd == pair.A) {
		x, y = y, x
	}
	w.broken = w.broken || x.last > y.first
}

// swapOf returns how an example of calls has moved past a neighbour, or nil. The neighbours before
// the move come first: what is next to the call afterwards may have moved itself.
func (s *study) swapOf(id uint32, at [2]*Place) *swap {
	var callers [2]uint32
	var before, after [2][]uint32 // other callees of the example's caller, in order
	for sd := range at {
		if at[sd] == nil {
			return nil
		}
		t, ids := s.p.Trace(pair.Side(sd)), s.p.IDs(pair.Side(sd))
		th := t.Threads[at[sd].Thread]
		up := th.Parent(int(at[sd].Call))
		if up < 0 {
			return nil
		}
		callers[sd] = s.same[ids[th.Fn[up]]]
		th.Children(int(up), func(k int) bool {
			switch of := s.same[ids[th.Fn[k]]]; {
			case of == id || byNature(t.FunctionOf(th, k).Kind):
			case k < int(at[sd].Call):
				before[sd] = append(before[sd], of)
			default:
				after[sd] = append(after[sd], of)
			}
			return true
		})
	}
	if callers[pair.A] != callers[pair.B] {
		return nil
	}
	slices.Reverse(before[pair.A]) // the nearest is first
	slices.Reverse(before[pair.B])
	for _, near := range [...]struct {
		next  []uint32
		later bool
	}{{after[pair.A], true}, {before[pair.A], false}, {before[pair.B], true}, {after[pair.B], false}} {
		if len(near.next) == 0 {
			continue
		}
		past := near.next[0]
		has := func(list []uint32) bool { return slices.Contains(list, past) }
		if has(after[pair.A]) == near.later && has(before[pair.B]) == near.later &&
			has(before[pair.A]) != near.later && has(after[pair.B]) != near.later {
			return &swap{caller: callers[pair.A], of: id, past: past, later: near.later}
		}
	}
	return nil
}

// pastWords says that B makes a call after another one that A makes before it, or the other way.
func pastWords(past string, later bool) string {
	if later {
		return fmt.Sprintf("is called after %s instead of before it", past)
	}
	return fmt.Sprintf("is called before %s instead of after it", past)
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
	if from == nil || to == nil || s.share(max(t[pair.A].inAll, t[pair.B].inAll)) < s.o.Least {
		return
	}
	s.toldMoved[c.id] = true
	f.Kind, f.DeltaNs = Moved, 0
	f.Claims = append(f.Claims, s.claims(from.caller, c.id, Calls)...)
	f.Claims = append(f.Claims, s.claims(to.caller, c.id, Calls)...)
	f.Text = s.movedPlacesWords(f, from, to, t)
	s.addFinding(*f)
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
