package pair

import (
	"cmp"
	"slices"
)

// Thousands of threads that each call something else are too many to compare each with each. But
// most programs start their threads in the same order every time. So, once the threads of equal
// kinds have met, the others are looked for where they should be, counted from a known pair:
//
//	A  a0 a1 a2 a3 …      if a1 and b2 are equal, b3 is tried for a2, b4 for a3 and so on,
//	B  b0 b1 b2 b3 b4 …   up to the next pair; then b1 for a0, backwards
//
// They are paired only if they are alike: so a thread that one side has more of shifts those behind
// it no further than to the next known pair, where counting begins anew.

// place is where two threads that are a pair stand in a crew.
type place struct{ a, b int }

// meetInPlace pairs the threads of kinds that stand at the same place and are alike. The kinds keep
// those that stay alone.
//
// Cost: n log n for n threads, and at most two likenesses for each.
func meetInPlace(c *crew, of [2][]kind, partner []int32) {
	m := placing{c, [2]map[int32]*kind{kindsByThread(of[A]), kindsByThread(of[B])}, partner}
	known := slices.Concat([]place{{-1, -1}}, rising(c.places(partner)), []place{{len(c[A]), len(c[B])}})
	for k, to := range known[1:] {
		from := known[k]
		for i := from.a + 1; i < to.a; i++ {
			m.try(i, from.b+i-from.a, from.b, to.b)
		}
		for i := to.a - 1; i > from.a; i-- {
			m.try(i, to.b-(to.a-i), from.b, to.b)
		}
	}
	for s, free := range m.free {
		for k := range of[s] {
			one := &of[s][k]
			one.threads = slices.DeleteFunc(slices.Clone(one.threads),
				func(i int32) bool { return free[i] == nil })
		}
	}
}

// placing is a crew while threads are looked for where they should be.
type placing struct {
	*crew
	free    [2]map[int32]*kind // by side and thread: the kind of one that is not paired
	partner []int32
}

// try pairs the threads at places i of A and j of B, which must lie between two others of B, if
// both are free and alike.
func (m *placing) try(i, j, after, before int) {
	if j <= after || j >= before {
		return
	}
	a, b := m.crew[A][i], m.crew[B][j]
	x, y := m.free[A][a], m.free[B][b]
	if x == nil || y == nil || compare(&x.profile, &y.profile, overlap(x.calls, y.calls)) < half {
		return
	}
	m.partner[a] = b
	delete(m.free[A], a)
	delete(m.free[B], b)
}

func kindsByThread(ks []kind) map[int32]*kind {
	of := map[int32]*kind{}
	for k := range ks {
		for _, i := range ks[k].threads {
			of[i] = &ks[k]
		}
	}
	return of
}

// places returns where the threads of a crew that are paired stand, in the order of A's.
func (c *crew) places(partner []int32) (out []place) {
	at := make(map[int32]int, len(c[B]))
	for j, i := range c[B] {
		at[i] = j
	}
	for i, thread := range c[A] {
		if p := partner[thread]; p != none {
			out = append(out, place{i, at[p]})
		}
	}
	return out
}

// rising returns a longest part of the places, which are in the order of A, that is in B's order
// too (patience sorting).
func rising(of []place) []place {
	var ends []int // by length, less one: the place that ends such a part, with the least b
	before := make([]int, len(of))
	for k, p := range of {
		n, _ := slices.BinarySearchFunc(ends, p.b, func(e, b int) int { return cmp.Compare(of[e].b, b) })
		if before[k] = none; n > 0 {
			before[k] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, k)
		}
		ends[n] = k
	}
	out := make([]place, len(ends))
	for n := len(ends) - 1; n >= 0; n-- {
		out[n] = of[ends[n]]
		if n > 0 {
			ends[n-1] = before[ends[n]]
		}
	}
	return out
}
