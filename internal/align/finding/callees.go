package finding

import (
	"diptych/internal/align"
	"diptych/internal/pair"
)

// A level is what one pair of calls calls. Where an alignment passes through a call, what that calls
// belongs to the level too; the call itself is a stray of it that is told with its own time alone.

// eachCallee calls yield for the callees of a call of r, or the roots of its thread if it is None.
// A call that is passed through comes before its callees.
func eachCallee(r *align.Result, sd pair.Side, call int32, yield func(i int32)) {
	th := r.Threads[sd]
	last := int32(th.Len())
	if call != align.None {
		last = int32(th.Next(int(call)))
	}
	for i := call + 1; i < last; {
		yield(i)
		if passed(r, sd, i) {
			i++
		} else {
			i += int32(th.Size[i])
		}
	}
}

// passed reports whether a call has no partner, but callees on the level it is on itself.
func passed(r *align.Result, sd pair.Side, i int32) bool {
	return r.Passed[sd].Has(i) && r.Partner[sd][i] == align.None
}

// caller returns the call on whose level call i is, None for a root.
func caller(r *align.Result, sd pair.Side, i int32) int32 {
	up := r.Threads[sd].Parent[i]
	for up != align.None && passed(r, sd, up) {
		up = r.Threads[sd].Parent[up]
	}
	return up
}

// paired reports whether a callee of call i of a side has a partner.
func paired(r *align.Result, sd pair.Side, i int32) (any bool) {
	eachCallee(r, sd, i, func(k int32) { any = any || r.Partner[sd][k] != align.None })
	return any
}

// stray reports whether a call is without a partner, or has one of another function.
func (s *study) stray(r *align.Result, sd pair.Side, i int32) bool {
	j := r.Partner[sd][i]
	return j == align.None || s.id(r, sd, i) != s.id(r, sd.Other(), j)
}
