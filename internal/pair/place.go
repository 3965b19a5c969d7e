package pair

import (
	"cmp"
	"slices"
)

// Thousands of threads that each call something else are too many to compare each with each. But
// most programs start their threads in the same order every time. So they are looked for where they
// should be, counted from pairs that are known:
//
//	A  a0 a1 a2 a3 …      if a1 and b2 are a pair, b3 is tried for a2, b4 for a3 and so on,
//	B  b0 b1 b2 b3 b4 …   up to the next pair; then b1 for a0, backwards
//
// The first known pairs are threads of rare kinds that stand in the same order on both sides. Their
// neighbours of equal kinds follow, and those that are alike where both sides have as many threads
// between two known pairs. Only then do equal kinds meet wherever they stand: if one thread of a
// kind did something else in B, each behind it would be paired with the next.
//
// After that too, threads are paired only if they are alike: so a thread that one side has more of
// shifts those behind it no further than to the next known pair, where counting begins anew. Once
// those that are alike have found each other, those that are left between two known pairs are
// paired even if they are not, where there are as many of them on both sides: then neither side has
// one more.

// rare is how many threads of a kind there may be on a side for them to be looked for in order.
const rare = 16

// same is the likeness of threads of equal kinds.
const same likeness = 1000

// place is where two threads that are a pair stand in a crew.
type place struct{ a, b int }

// placing is a crew while threads are looked for where they should be.
type placing struct {
	*crew
	at      [2][]int32 // by side and thread: its place in the crew
	free    [2][]*kind // by side and place: the kind of a thread that is not paired
	alike   likeness   // the least one of threads that are alike
	partner []int32
}

func newPlacing(c *crew, by [2]*profiler, of [2][]kind, alike likeness, partner []int32) *placing {
	m := &placing{crew: c, alike: alike, partner: partner}
	for s := range of {
		m.at[s], m.free[s] = by[s].placesOf(c[s]), make([]*kind, len(c[s]))
		for k := range of[s] {
			for _, i := range of[s][k].threads {
				m.free[s][m.at[s][i]] = &of[s][k]
			}
		}
	}
	return m
}

// meetMost pairs the threads of these kinds that are equal, or alike at the same place, and returns
// those that stay alone.
func (m *placing) meetMost(of [2][]kind) [2][]kind {
	of = m.meetInStep(of)
	meetEqual(of[A], of[B], m.partner)
	of = m.learn(of)
	m.meetInPlace(func(place, place) likeness { return m.alike })
	return m.learn(of)
}

// meetInStep pairs threads of rare kinds, and then those at the same place between two known pairs:
// if they are equal, or if they are alike and both sides have as many threads there.
func (m *placing) meetInStep(of [2][]kind) [2][]kind {
	m.meetRare(of)
	m.meetInPlace(func(from, to place) likeness {
		if to.a-from.a == to.b-from.b {
			return m.alike
		}
		return same
	})
	return m.learn(of)
}

// meetRare pairs threads of equal rare kinds, as many as stand in the same order on both sides.
//
// Cost: n·rare·log n for n threads.
func (m *placing) meetRare(of [2][]kind) {
	at := byKey(of[B])
	likes := map[*kind]*kind{}
	for k := range of[A] {
		a := &of[A][k]
		if b := at[a.key]; b != nil && len(a.threads) <= rare && len(b.threads) <= rare {
			likes[a] = b
		}
	}
	var equals []place // by a, and of one a those of greater b first, so that one of them can rise
	for i := range m.crew[A] {
		if b := likes[m.free[A][i]]; b != nil {
			for _, t := range slices.Backward(b.threads) {
				equals = append(equals, place{i, int(m.at[B][t])})
			}
		}
	}
	for _, p := range rising(equals) {
		m.meet(p.a, p.b, same)
	}
}

// meetInPlace pairs the threads that stand at the same place between two known pairs and are at
// least so much alike.
//
// Cost: n log n for n threads, and at most two likenesses for each.
func (m *placing) meetInPlace(least func(from, to place) likeness) {
	known := m.known()
	for k, to := range known[1:] {
		from := known[k]
		like := least(from, to)
		for i := from.a + 1; i < to.a; i++ {
			m.try(i, from.b+i-from.a, from, to, like)
		}
		for i := to.a - 1; i > from.a; i-- {
			m.try(i, to.b-(to.a-i), from, to, like)
		}
	}
}

// meetBetween pairs what is left between two known pairs, in order, where both sides have as many
// there. Those that have nothing in common stay alone.
func (m *placing) meetBetween() {
	known := m.known()
	for k, to := range known[1:] {
		as := m.left(A, m.crew[A][known[k].a+1:to.a])
		bs := m.left(B, m.crew[B][known[k].b+1:to.b])
		if len(as) != len(bs) {
			continue
		}
		for i, a := range as {
			m.meet(int(m.at[A][a]), int(m.at[B][bs[i]]), 1)
		}
	}
}

// learn takes note of the pairs that others have made, and returns which threads of these kinds
// stay alone.
func (m *placing) learn(of [2][]kind) (left [2][]kind) {
	for i, a := range m.crew[A] {
		if b := m.partner[a]; b != none {
			m.free[A][i], m.free[B][m.at[B][b]] = nil, nil
		}
	}
	for s := range of {
		for _, k := range of[s] {
			if k.threads = m.left(Side(s), k.threads); len(k.threads) > 0 {
				left[s] = append(left[s], k)
			}
		}
	}
	return left
}

// left returns those of a side's threads that are not paired.
func (m *placing) left(s Side, threads []int32) []int32 {
	return slices.DeleteFunc(slices.Clone(threads), func(i int32) bool { return m.free[s][m.at[s][i]] == nil })
}

// known returns pairs that stand in the same order on both sides, between two beyond the ends.
func (m *placing) known() []place {
	return slices.Concat([]place{{-1, -1}}, rising(m.places()),
		[]place{{len(m.crew[A]), len(m.crew[B])}})
}

// try pairs the threads at places i of A and j of B if both are free and at least so much alike.
// The place in B must lie between those of two pairs.
func (m *placing) try(i, j int, from, to place, least likeness) {
	if j > from.b && j < to.b {
		m.meet(i, j, least)
	}
}

// meet pairs the threads at places i of A and j of B if both are free and at least so much alike.
func (m *placing) meet(i, j int, least likeness) {
	x, y := m.free[A][i], m.free[B][j]
	if x == nil || y == nil || compare(&x.profile, &y.profile, overlap(x.calls, y.calls)) < least {
		return
	}
	m.partner[m.crew[A][i]] = m.crew[B][j]
	m.free[A][i], m.free[B][j] = nil, nil
}

// places returns where threads that are paired stand, in the order of A's.
func (m *placing) places() (out []place) {
	for i, thread := range m.crew[A] {
		if p := m.partner[thread]; p != none {
			out = append(out, place{i, int(m.at[B][p])})
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
