package finding

import (
	"math"
	"slices"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Which numbers and lengths of calls are left to the schedule, and which are not.

// accompanies reports whether a call that one side alone makes is always made where another one is,
// or in each call of its caller, as often as both sides make these: then it is not left to the
// schedule. For example, only B writes to the disk what it has written to the file:
//
//	A: append is called 300 times, calls write 9 times     B: and calls fsync 9 times
func (s *study) accompanies(f *Finding, n int64) bool {
	by := s.both(f.named, f.ID)
	if !f.OfOneSide() || magnitude(n) < fewestSwapped || by[pair.A].calls+by[pair.B].calls != magnitude(n) {
		return false
	}
	asOften := func(t [2]*total) bool {
		return t[pair.A].calls == magnitude(n) && t[pair.B].calls == magnitude(n)
	}
	return f.named != atRoot && asOften(s.both(anywhere, f.named)) ||
		slices.ContainsFunc(s.graph.calleesOf(f.named), func(e edge) bool { return asOften(e.of) })
}

// callsWaiting reports whether a function calls one that waits. In which order it does what it does
// beside that depends on who else is there.
func (s *study) callsWaiting(id uint32) bool {
	return slices.ContainsFunc(s.graph.calleesOf(id), func(e edge) bool { return s.everWaits(e.id) })
}

// looksForWork reports whether a caller makes more or fewer calls of a function because it waits
// more or less often: the numbers of both differ by about as much, and it often makes the call
// without a wait. For example, a thread looks again after each wait whether there is work in a
// queue; but a loop that locks and unlocks for each item runs more often if there are more items:
//
//	A: next is called 340 times, waits 126 times and calls empty 466 times
//	B: next is called 340 times, waits once and calls empty 341 times
//
//	A: lock 86 times, unlock 87 times    B: lock 166 times, unlock 167 times
func (s *study) looksForWork(f *Finding, by [2]*total) bool {
	if f.Kind != Called && f.Kind != Repeat || int(f.named) >= len(s.p.Names) {
		return false
	}
	n, _ := change(by)
	return slices.ContainsFunc(s.graph.calleesOf(f.named), func(e edge) bool {
		waits, _ := change(e.of)
		return e.id != f.ID && s.everWaits(e.id) && 4*magnitude(n-waits) <= magnitude(n) &&
			oftenWithout(e.of[pair.A], by[pair.A]) && oftenWithout(e.of[pair.B], by[pair.B])
	})
}

// oftenWithout reports whether a caller makes at least a fourth of some calls without a wait.
func oftenWithout(waits, calls *total) bool { return 4*(calls.calls-waits.calls) >= calls.calls }

const oftenSampled = 10 // times as many samples that are no chance

// oneThread is the pair of threads, by its index in results, in which the number of a function's
// calls changed most, and by how much.
type oneThread struct {
	k int
	n int64
}

// findSchedule finds out whether it is left to the schedule which thread does what: for pairs of
// threads, the numbers of calls of functions differ in both directions by many times what they
// differ by in all.
func (s *study) findSchedule() {
	s.mostIn = make([]oneThread, len(s.p.Names))
	inPairs, net, all := int64(0), make([]int64, len(s.p.Names)), int64(0)
	here := make([]int64, len(s.p.Names))
	var met []uint32
	for n, r := range s.results {
		for sd, k := range r.Indices {
			t := s.totals[sd]
			for _, l := range t.inThread[k] {
				id := uint32(t.keys[l.edge])
				met, here[id] = append(met, id), here[id]+int64(2*sd-1)*int64(l.calls)
				all += int64(l.calls)
			}
		}
		for _, id := range met {
			inPairs += magnitude(here[id])
			net[id] += here[id]
			if most := &s.mostIn[id]; magnitude(here[id]) > magnitude(most.n) {
				*most = oneThread{n, here[id]}
			}
			here[id] = 0
		}
		met = met[:0]
	}
	inAll := int64(0)
	for _, n := range net {
		inAll += magnitude(n)
	}
	s.scheduled = inPairs > 3*inAll && 50*inPairs > all
}

// pools says which functions only threads of one name call, on both sides.
type pools struct {
	of   []int32 // by identity: the pool; noPool if there is none, manyPools if there are several
	even []bool  // by pool: both sides have as many threads of that name
}

const (
	noPool    = -1
	manyPools = -2
)

// byPool reports whether it may be chance how many threads call a function: all of them have one
// name, both sides have as many of that name, and on neither side more than twice as many call it.
// For example, of two workers that take items from a queue, one takes all before the other begins.
func (s *study) byPool(id uint32, t [2]*total) bool {
	if 2*min(t[pair.A].threads, t[pair.B].threads) < max(t[pair.A].threads, t[pair.B].threads) {
		return false
	}
	if s.pools == nil {
		s.pools = s.findPools()
	}
	p := s.pools.of[id]
	return p >= 0 && s.pools.even[p]
}

func (s *study) findPools() *pools {
	p := &pools{of: make([]int32, len(s.p.Names))}
	for id := range p.of {
		p.of[id] = noPool
	}
	number, more := map[threadLikeness]int32{}, []int{} // by how many threads B has more of a pool
	for sd, t := range s.totals {
		for k, th := range s.p.Trace(pair.Side(sd)).Threads {
			if !tellable(th) {
				continue
			}
			name := likenessOf(th)
			pool, known := number[name]
			if !known {
				pool = int32(len(more))
				number[name], more = pool, append(more, 0)
			}
			more[pool] += 2*sd - 1
			for _, l := range t.inThread[k] {
				if of := &p.of[uint32(t.keys[l.edge])]; *of == noPool {
					*of = pool
				} else if *of != pool {
					*of = manyPools
				}
			}
		}
	}
	for _, n := range more {
		p.even = append(p.even, n == 0)
	}
	return p
}

// wakes reports whether calls of a function may take longer, or less, only because they have
// somebody to wake more often, or less often: they release something, and the change is no more
// than waking a thread takes. How often somebody waits depends on the schedule. In 42 pairs of
// equal runs of a program whose three threads share a lock, a tenth of the calls of
// pthread_mutex_unlock takes 30 to 100 times as long in 20, 4 µs instead of 40 ns.
func (s *study) wakes(j *judged) bool {
	at := j.v.largest[toInt(j.v.sum > 0)]
	r := s.results[at.k]
	releases := func(sd pair.Side, i int32) bool {
		return len(s.p.Trace(sd).Threads) > 1 && slices.ContainsFunc(r.Threads[sd].BlocksOf(int(i)),
			func(b trace.Block) bool { return b.Kind == trace.Release })
	}
	return math.Abs(j.v.sum) <= wakeNs*float64(j.e.pairs) && releases(pair.A, at.i) && releases(pair.B, at.j)
}

const wakeNs = 20_000 // that calls take longer on average if all of them wake a thread
