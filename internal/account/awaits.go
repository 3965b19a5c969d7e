package account

import (
	"diptych/internal/trace"
)

// A span that has a part on another thread does nothing itself meanwhile: it waits for what it
// asked for. The recording does not say so by a call that waits, so its own time is split here.

// awaitsOf returns when calls of a thread wait for their parts.
func (d *side) awaitsOf(thread int) []trace.Await {
	if d.awaits == nil {
		return nil
	}
	return d.awaits[thread]
}

// bookAwaits books such stretches that begin up to a moment as waits rather than as self time of
// the call, which is open then. What lies in a call that owns its callees' time stays there.
func (s *sweep) bookAwaits(to int64) {
	for len(s.awaits) > 0 && s.awaits[0].From <= to {
		a := s.awaits[0]
		s.awaits = s.awaits[1:]
		if !s.runs(int(a.Call)) {
			continue
		}
		depth, ns := s.th.Depth(int(a.Call)), a.To-a.From
		call := s.above[depth+1].site
		site := s.siteOfWait(s.above[depth].context, uint32(s.th.Fn[a.Call]), -1,
			int32(s.pair.Of(s.Side, int(a.By))))
		if a.First {
			s.sums[site].calls++
		}
		s.sums[site].ns += ns
		s.sums[call].ns -= ns
		s.bookWay(call, site, a.From, a.To)
		s.list[site].squares.addSquareOf(ns)
		s.ns[Wait] += ns
		s.ns[CPU] -= ns
	}
}

// runs reports whether neither a call nor one around it owns its callees' time.
func (s *sweep) runs(i int) bool {
	for ; i >= 0; i = int(s.th.Parent(i)) {
		if kindOfMarked(s.what[s.th.Fn[i]].kind(), s.th.BlocksOf(i)) != CPU {
			return false
		}
	}
	return true
}
