package finding

import (
	"cmp"
	"slices"

	"diptych/internal/pair"
)

// straighten makes self times comparable where pairing is arbitrary. If a loop runs once more in
// A, one of its equal calls has no partner, and which one it is is arbitrary. Later calls may all
// be paired with their neighbours, and their durations seem to change at random. So on such levels
// the calls of a function are compared by rank: A's self times are exchanged so that the shortest
// is compared with the shortest of B. No sum changes. For example:
//
//	paired:   A 10 with B 50, A 50 with B 22    d = +40, −28, though no call changed so much
//	by rank:  A 10 with B 22, A 50 with B 50    d = +12, 0
//
// Only functions with a stray on a level need it.
func (w *gathering) straighten(u uneven) {
	if len(u) == 0 {
		return
	}
	numbers := w.s.numbers.Get().(*[]int32)
	defer w.s.numbers.Put(numbers)
	g := groups{w: w, number: *numbers}
	_ = u.levels(w.r, func(a, _ int32, among []uint64) error {
		g.rankLevel(a, among)
		return nil
	})
}

// groups are the pairs of functions with strays on one level.
type groups struct {
	w      *gathering
	number []int32 // by identity: of its list plus 1; 0 without strays
	lists  [][]rankedPair
	ns     []int64
}

// rankedPair is a pair of which A's self time may become another pair's.
type rankedPair struct {
	call int32 // A's
	slot int32 // in the columns, or −1 for none
	ns   [2]int64
}

// rankLevel ranks the callees of a call of A, of those functions that a level's keys name.
func (g *groups) rankLevel(a int32, among []uint64) {
	for k, key := range among {
		g.number[uint32(key)] = int32(k + 1)
		if k == len(g.lists) {
			g.lists = append(g.lists, nil)
		}
		g.lists[k] = g.lists[k][:0]
	}
	s, r := g.w.s, g.w.r
	eachCallee(r, pair.A, a, func(i int32) {
		n := g.number[s.identity(r, pair.A, i)]
		if n > 0 && !s.stray(r, pair.A, i) {
			g.lists[n-1] = append(g.lists[n-1], rankedPair{call: i})
		}
	})
	for k, key := range among {
		g.number[uint32(key)] = 0
		if len(g.lists[k]) > 1 {
			g.rankPairs(g.lists[k])
		}
	}
}

// rankPairs gives A's calls their self times anew: the k-th shortest goes to the call whose partner
// is the k-th shortest in B.
func (g *groups) rankPairs(pairs []rankedPair) {
	g.ns = g.ns[:0]
	for k := range pairs {
		p := &pairs[k]
		p.slot, p.ns = g.w.selfTimes(p.call)
		g.ns = append(g.ns, p.ns[pair.A])
	}
	slices.Sort(g.ns)
	slices.SortFunc(pairs, func(x, y rankedPair) int {
		return cmp.Or(cmp.Compare(x.ns[pair.B], y.ns[pair.B]), cmp.Compare(x.call, y.call))
	})
	for k, p := range pairs {
		g.w.exchange(p, g.ns[k])
	}
}

// selfTimes returns the self times of A's call i and its partner, and where in the columns they
// are, −1 for a call whose end is not in the recording.
func (w *gathering) selfTimes(i int32) (slot int32, ns [2]int64) {
	if slot = w.slotOf(i); slot >= 0 {
		return slot, w.c.at(slot)
	}
	for sd, call := range [2]int32{i, w.r.Partner[pair.A][i]} {
		ns[sd] = w.r.Threads[sd].Self(int(call))
	}
	return slot, ns
}

// exchange gives a call of A another self time.
func (w *gathering) exchange(p rankedPair, ns int64) {
	if p.slot < 0 || p.ns[pair.A] == ns {
		return
	}
	w.c.set(p.slot, [2]int64{ns, p.ns[pair.B]})
	w.addTo(w.dependsOn(int(p.call)), w.edgeAt(int(p.call)), p.ns[pair.A]-ns)
}
