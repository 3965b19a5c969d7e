package align

import (
	"diptych/internal/trace"
)

// Sums: a number for each subtree that is found without a look at its calls.
//
// A subtree is fully described by its calls in pre-order, each by its function and the size of its
// own subtree. The sum of a subtree takes these as the digits of a number to the base k,
//
//	f(g h)    f3·k² + g1·k + h1    where f3 stands for a call of f in a subtree of 3 calls
//
// modulo 2⁶⁴. Of all calls of a thread it is a running sum s: s after a call is k times that
// before it, plus the call's digit. The sum of a subtree of n calls then is s after its last call
// less kⁿ times s before its first. So the table is asked for a subtree before its callees are
// looked at, and if it knows the subtree, they need not be looked at at all. Of a class, the sum
// is found from those of its callees, and is the same.
//
// Subtrees of more than mostSummed calls have a sum of their own kind, made of their callees' sums:
// running sums are kept for a window of calls only.

const (
	mostSummed = 1 << 10 // calls of a subtree
	sumStep    = 512     // running sums are found for so many calls at once
	sumWindow  = 2 * mostSummed
	sumBase    = 0x9E3779B97F4A7C15

	sumBaseSquared = sumBase * sumBase & (1<<64 - 1)
)

// powers are those of sumBase, up to mostSummed.
var powers = func() (p [mostSummed + 1]uint64) {
	p[0] = 1
	for k := range mostSummed {
		p[k+1] = p[k] * sumBase
	}
	return p
}()

// sumOfCall returns the digit of a call: the sum of a subtree of that call alone, if its size is 1.
func sumOfCall(fn, size uint32) uint64 { return uint64(fn)<<32 | uint64(size) }

// sumOf returns the sum of a subtree of so many calls from those of its callees' classes.
func (t *classTable) sumOf(fn, size uint32, kids []uint32) uint64 {
	s := sumOfCall(fn, size)
	if size > mostSummed {
		for _, k := range kids {
			s = (s ^ s>>29 ^ t.met[k].sum) * 0xBF58476D1CE4E5B9
		}
		return s
	}
	for _, k := range kids {
		s = s*powers[t.size[k]] + t.met[k].sum
	}
	return s
}

// sums are the running sums of a thread, before the calls in a window.
type sums struct {
	th  *trace.Thread
	ids []uint32
	to  int // the last call before which it is known
	run [sumWindow]uint64
}

// start begins with another thread.
func (s *sums) start(th *trace.Thread, ids []uint32) {
	s.th, s.ids, s.to, s.run[0] = th, ids, 0, 0
}

// of returns the sum of the subtree of n calls, at most mostSummed, from i on. Calls must not be
// asked for in another order than theirs, but for those less than mostSummed before the last.
func (s *sums) of(i, n int) uint64 {
	if s.to < i+n {
		s.extend(i, i+n)
	}
	return s.run[(i+n)%sumWindow] - s.run[i%sumWindow]*powers[n]
}

// extend finds running sums for calls from i to at least j.
func (s *sums) extend(i, j int) {
	if s.to < i { // nobody asked for those before
		s.to, s.run[i%sumWindow] = i, 0
	}
	end := min(max(j, s.to+sumStep), s.th.Len())
	run, ids, fns := &s.run, s.ids, s.th.Fn[:end]
	k, sum := s.to, run[s.to%sumWindow]
	// Two at a time: one multiplication need not wait for the other.
	for ; k+1 < end; k += 2 {
		x := sumOfCall(ids[fns[k]], s.th.Size(k))
		y := x*sumBase + sumOfCall(ids[fns[k+1]], s.th.Size(k+1))
		run[(k+1)%sumWindow] = sum*sumBase + x
		sum = sum*sumBaseSquared + y
		run[(k+2)%sumWindow] = sum
	}
	if k < end {
		run[(k+1)%sumWindow] = sum*sumBase + sumOfCall(ids[fns[k]], s.th.Size(k))
	}
	s.to = end
}
