package align

import (
	"math/bits"
	"sort"

	"diptych/internal/pair"
)

// Between real time on a side and virtual time lies a monotone, piecewise linear map: one to one in
// a call without a partner, standing still while the other side alone has one, and in a stretch of
// self time spread over its virtual width. It is not stored: a look-up finds the innermost pair
// around a time by binary search and goes through that pair's columns from the last pair before.

// Real returns the real time, in ns of the trace, that a side has reached at virtual time at.
// Before the start and beyond the end both times run alike.
func (v *Virtual) Real(s pair.Side, at int64) int64 {
	switch {
	case at <= 0:
		return v.from[s] + at
	case at >= v.Length:
		return v.to[s] + at - v.Length
	}
	call, before := v.around(s, v.Start[s], v.End[s], at)
	if call != None && v.Partner[s][call] == None {
		return v.Threads[s].Start[call] + at - v.Start[s][call]
	}
	p, now := v.resume(s, call, before)
	for {
		reached := p.at[s]
		ok, w := p.next(), p.width()
		if at <= now+w {
			return reached + scale(at-now, p.self[s], w)
		}
		now = v.columnEnd(&p, now+w)
		if !ok || at <= now {
			return reached + p.self[s] // it stands still beside a call of the other side
		}
	}
}

// At returns the first virtual time at which a side has reached real time ns: Real(s, At(s, ns)) is
// ns.
func (v *Virtual) At(s pair.Side, ns int64) int64 {
	th := v.Threads[s]
	switch {
	case ns <= v.from[s]:
		return ns - v.from[s]
	case ns > v.to[s]:
		return v.Length + ns - v.to[s]
	}
	call, before := v.around(s, th.Start, th.End, ns)
	if call != None && v.Partner[s][call] == None {
		return v.Start[s][call] + ns - th.Start[call]
	}
	p, now := v.resume(s, call, before)
	for {
		reached := p.at[s]
		ok, w := p.next(), p.width()
		if self := p.self[s]; ns <= reached+self {
			return now + w - scale(reached+self-ns, w, self)
		}
		if !ok {
			return now + w
		}
		now = v.columnEnd(&p, now+w)
	}
}

// Across returns the real time that the other side has reached when side s first reaches ns: where
// to look for the same on the other side.
func (v *Virtual) Across(s pair.Side, ns int64) int64 { return v.Real(s.Other(), v.At(s, ns)) }

// Skew returns how much longer A has run than B at virtual time at, each since its start, ns.
func (v *Virtual) Skew(at int64) int64 {
	return v.skew(v.Real(pair.A, at), v.Real(pair.B, at))
}

// skew returns the skew when A has reached real time a and B real time b.
func (v *Virtual) skew(a, b int64) int64 {
	return (a - v.from[pair.A]) - (b - v.from[pair.B])
}

// columnEnd returns where the leg ends whose stretch of self time ends at virtual time at.
func (v *Virtual) columnEnd(p *passage, at int64) int64 {
	switch {
	case p.a != None:
		return v.End[pair.A][p.a]
	case p.b != None:
		return v.End[pair.B][p.b]
	}
	return at
}

// around returns the innermost call of side s with start < x ≤ end that is not passed through, or
// None, and the last of its callees that ends before x, or None. The columns are the calls' times
// on any axis.
func (r *Result) around(s pair.Side, start, end []int64, x int64) (call, before int32) {
	th, passed := r.Threads[s], r.Passed[s]
	call = int32(sort.Search(len(start), func(i int) bool { return start[i] >= x })) - 1
	before = None
	for call != None {
		switch {
		case passed.Has(call):
			if before == None {
				before = r.previous(s, call)
			}
		case end[call] < x:
			before = call
		default:
			return call, before
		}
		call = th.Parent[call]
	}
	return call, before
}

// resume returns the passage through the pair that has call as its call of side s (the threads if
// None), and the virtual time it has come to: behind the last paired callee not after before.
func (v *Virtual) resume(s pair.Side, call, before int32) (passage, int64) {
	partner := v.Partner[s]
	other, now := None, int64(0)
	if call != None {
		other, now = partner[call], v.Start[s][call]
	}
	calls := sides(s, call, other)
	p := v.passage(calls[pair.A], calls[pair.B])
	for before != None && partner[before] == None {
		before = v.previous(s, before)
	}
	if before != None {
		for side, i := range sides(s, before, partner[before]) {
			p.at[side] = v.Threads[side].End[i]
			p.columns.next[side] = int32(v.Threads[side].Next(int(i)))
		}
		now = v.End[s][before]
	}
	return p, now
}

// sides returns a value of side s and one of the other by side.
func sides(s pair.Side, own, other int32) [2]int32 {
	if s == pair.A {
		return [2]int32{own, other}
	}
	return [2]int32{other, own}
}

// previous returns the callee before call i of side s, of the same caller if levels that are passed
// through are left out, or None.
func (r *Result) previous(s pair.Side, i int32) int32 {
	th, passed := r.Threads[s], r.Passed[s]
	for i-1 == th.Parent[i] {
		if i = th.Parent[i]; i == None || !passed.Has(i) {
			return None
		}
	}
	last, up := i-1, th.Parent[i]
	for {
		k := last
		for th.Parent[k] != up {
			k = th.Parent[k]
		}
		if !passed.Has(k) {
			return k
		}
		up = k
	}
}

// scale returns ⌊x·num/den⌋ for 0 ≤ x ≤ den and num ≥ 0, and 0 if den is 0.
func scale(x, num, den int64) int64 {
	if den <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(x), uint64(num))
	q, _ := bits.Div64(hi, lo, uint64(den))
	return int64(q)
}
