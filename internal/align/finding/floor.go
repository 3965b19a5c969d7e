package finding

import (
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Calls that a recorder leaves out because they are short.
//
// Clang's -ftime-trace records nothing shorter than its granularity, half a millisecond by default,
// and uftrace can be told to do the same. Then a call that is hardly longer may be missing in the
// next recording of the same program, and a number of calls says less than it seems to. For
// example, of two compilations of one file, with a granularity of 200 µs:
//
//	A: ParseClass 47 times, 9 of them shorter than 300 µs     B: 45 times
//
// So a number that differs by no more than there are such calls could be chance. Traces that have a
// floor show it: many functions have calls that are hardly longer than the shortest of all. A few
// calls of a function may be there because something held them up: of two compilations that are
// equal, one has a pass of 4.2 ms that the other never recorded, and three calls of another pass,
// 5 ms together, instead of two.
//
// Where a recorder says that it leaves out short calls, even most calls of a function may be
// missing, and those that were recorded are the ones that something held up: of 1,200 calls of
// 1 µs, 13 took longer than 2 µs in one run and 29 in the next, 133 µs on average. So the number of
// calls of a function could be chance if a tenth of them are short.

const (
	leastFloor = 10_000 // ns: shorter calls are left out by no recorder that has these
	aboveFloor = 1.5    // times as long as the shortest call, as one may be in another run
	heldUp     = 20     // the same of a call that is rare, which may be there as it was held up
	rare       = 5      // calls of a function
	tail       = 4      // times as long as the stated floor
	floorCalls = 100    // in fewer the shortest may be long by itself
	floorTypes = 8      // functions that have calls just above the floor
)

// floor is what a recorder leaves out.
type floor struct {
	ns   int64           // shorter calls are hardly longer than the shortest; 0 if no floor
	told bool            // by the recorder
	near [2][]int64      // by side and identity: so many such calls
	lost map[uint32]bool // by identity: most calls of a side, so that their number says nothing

	written [2]map[uint32]int64 // by side: see writtenCounts
}

// findFloor finds out whether short calls were left out on a side, and counts the shortest that
// were not; and of which functions calls were lost.
func (s *study) findFloor() {
	s.floor.lost = map[uint32]bool{}
	for sd := range s.totals {
		s.floor.written[sd] = s.writtenCounts(pair.Side(sd))
		t := s.p.Trace(pair.Side(sd))
		for f, id := range s.p.IDs(pair.Side(sd)) {
			if t.Functions[f].Partial {
				s.floor.lost[s.same[id]] = true
			}
		}
		s.floor.ns, s.floor.told = max(s.floor.ns, floorOf(t), tail*t.Floor), s.floor.told || t.Floor > 0
	}
	if s.floor.ns == 0 {
		return
	}
	for sd := range s.totals {
		t, ids := s.p.Trace(pair.Side(sd)), s.p.IDs(pair.Side(sd))
		s.floor.near[sd] = make([]int64, len(s.p.Names))
		for _, th := range t.Threads {
			for i, fn := range th.Fn {
				id, near := s.same[ids[fn]], s.floor.ns
				if !s.floor.told && s.totals[sd].functions[id].calls <= rare {
					near = int64(heldUp / aboveFloor * float64(near))
				}
				if th.Kind != trace.Sums && th.Dur(i) < near {
					s.floor.near[sd][id]++
				}
			}
		}
	}
}

// floorOf returns below what duration calls are hardly longer than the shortest of a trace, if
// shorter ones were left out; else 0.
func floorOf(t *trace.Trace) int64 {
	shortest, calls := int64(1)<<62, 0
	for _, th := range t.Threads {
		if th.Kind == trace.Sums {
			continue
		}
		calls += th.Len()
		for i := range th.Fn {
			if shortest = min(shortest, th.Dur(i)); shortest < leastFloor {
				return 0
			}
		}
	}
	near, types := int64(aboveFloor*float64(shortest)), map[trace.FuncID]bool{}
	for _, th := range t.Threads {
		for i, fn := range th.Fn {
			if th.Kind != trace.Sums && th.Dur(i) < near {
				types[fn] = true
			}
		}
	}
	if calls < floorCalls || len(types) < floorTypes {
		return 0
	}
	return near
}

// byFloor reports whether the numbers of a function's calls may differ by n because short ones were
// left out.
func (s *study) byFloor(id uint32, n int64) bool {
	if s.floor.ns == 0 {
		return false
	}
	near, calls := s.floor.near[toInt(n > 0)][id], s.totals[toInt(n > 0)].functions[id].calls
	return magnitude(n) <= near || s.floor.told && 10*near >= calls
}

// noteLeftOut notes in the report of which functions the numbers of calls say little.
func (s *study) noteLeftOut() {
	s.report.leftOut = map[uint32]bool{}
	if s.floor.ns == 0 {
		return
	}
	for id := range uint32(len(s.p.Names)) {
		n, _ := change(s.both(anywhere, id))
		more, written := s.asWritten(id)
		if n != 0 && (written && !sameWay(more, n) || !written && (s.byFloor(id, n) || s.floor.lost[id])) {
			s.report.leftOut[id] = true
		}
	}
}

// LeavesOut reports whether the numbers of a function's recorded calls may differ only because
// recorders leave out short calls.
func (r *Report) LeavesOut(id uint32) bool { return r.leftOut[id] }
