package finding

import "diptych/internal/pair"

// Self time that went to a callee or came from one, where calls were inferred from samples.

// passedOn reports whether what a function's calls take longer, or less, functions that they call
// or that call them take less, or longer, where calls were inferred from samples. A stack that is
// recorded where an event happens stands for the time up to the next one, so one event less moves
// time from a function to one that it calls; and where two events have the same stack, all between
// them counts as one call. For example, if get no longer locks:
//
//	get: 19 ms less self time    time.Sleep, which it calls: 17 ms more
//
// And if worker hashes, then sends what it has, and no longer has to wait for a receiver:
//
//	worker: 250 ms less self time    chanrecv, which it calls before and after: 156 ms more
func (s *study) passedOn(id uint32, ns int64) bool {
	left := ns
	for _, e := range s.graph.calleesOf(id) {
		if e.id != id && s.isSampled(e.id) {
			left += e.of[pair.B].self - e.of[pair.A].self
		}
	}
	if 2*magnitude(left) < magnitude(ns) {
		return true
	}
	if !s.isSampled(id) {
		return false
	}
	above := int64(0)
	for e := range s.graph.callersOf(id) {
		if e.caller == id || e.caller == atRoot {
			continue
		}
		t := s.both(anywhere, e.caller)
		if d := t[pair.B].self - t[pair.A].self; sameWay(d, -ns) {
			above += d
		}
	}
	return 2*magnitude(above) > magnitude(ns)
}
