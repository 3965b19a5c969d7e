package finding

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Callees that a caller calls in another order.

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

// toldByOther reports whether a swap is the other side of one that is told: of two functions that
// have changed places, the one that has moved more often tells it.
func (s *study) toldByOther(id uint32, swaps map[uint32]*swap) bool {
	w := swaps[id]
	if w == nil {
		return false
	}
	o := swaps[w.past]
	return o != nil && o.past == id && o.caller == w.caller &&
		cmp.Or(cmp.Compare(s.moves[id].calls, s.moves[w.past].calls), cmp.Compare(w.past, id)) < 0
}

// swapWords says in how many calls of the caller two functions have changed places: in all that
// call both.
func (s *study) swapWords(f *Finding, w *swap, where string) string {
	n := things(int64(w.agree[pair.A]), "call")
	if w.agree[pair.A] != w.agree[pair.B] {
		n = geom.FormatWhole(int64(w.agree[pair.A])) + " → " + things(int64(w.agree[pair.B]), "call")
	}
	return fmt.Sprintf("%s %s, in each of the %s of %s that make both", f.Function, where, n,
		s.names[w.caller])
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
