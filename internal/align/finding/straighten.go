package finding

import (
	"cmp"
	"slices"

	"diptych/internal/align"
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
// self is by side and call, in ns. Only functions with a stray on a level need it.
func (s *study) straighten(r *align.Result, self *[2]durations, u uneven) {
	numbers := s.numbers.Get().(*[]int32)
	defer s.numbers.Put(numbers)
	g := groups{s: s, r: r, self: self, number: *numbers}
	_ = u.levels(r, func(a, _ int32, among []uint64) error {
		g.rankLevel(a, among)
		return nil
	})
}

// groups are the pairs of functions with strays on one level.
type groups struct {
	s      *study
	r      *align.Result
	self   *[2]durations
	number []int32   // by identity: of its list plus 1; 0 without strays
	lists  [][]int32 // A's calls
	ns     []int64
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
	eachCallee(g.r, pair.A, a, func(i int32) {
		n := g.number[g.s.identity(g.r, pair.A, i)]
		if n > 0 && !g.s.stray(g.r, pair.A, i) {
			g.lists[n-1] = append(g.lists[n-1], i)
		}
	})
	for k, key := range among {
		g.number[uint32(key)] = 0
		if len(g.lists[k]) > 1 {
			g.rankCalls(g.lists[k])
		}
	}
}

// rankCalls gives A's calls their self times anew: the k-th shortest goes to the call whose
// partner is the k-th shortest in B.
func (g *groups) rankCalls(pairs []int32) {
	g.ns = g.ns[:0]
	for _, i := range pairs {
		g.ns = append(g.ns, g.self[pair.A].at(i))
	}
	slices.Sort(g.ns)
	partner := g.r.Partner[pair.A]
	slices.SortFunc(pairs, func(x, y int32) int {
		return cmp.Or(cmp.Compare(g.self[pair.B].at(partner[x]), g.self[pair.B].at(partner[y])),
			cmp.Compare(x, y))
	})
	for k, i := range pairs {
		g.self[pair.A].set(i, g.ns[k])
	}
}
