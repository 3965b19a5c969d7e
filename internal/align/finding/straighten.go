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
// self is by side and call, in ns. Only levels with a stray need it.
func (s *study) straighten(r *align.Result, self *[2]durations, u *uneven) {
	g := groups{s: s, r: r, self: self, byFunction: map[uint32]*group{}}
	if u.roots {
		g.rankLevel(align.None, align.None)
	}
	_ = u.pairs(r, func(a, b int32) error {
		if r.Threads[pair.A].Size(int(a)) > 1 && r.Threads[pair.B].Size(int(b)) > 1 {
			g.rankLevel(a, b)
		}
		return nil
	})
}

// groups sorts the callees of one pair by function.
type groups struct {
	s          *study
	r          *align.Result
	self       *[2]durations
	byFunction map[uint32]*group
	ns         []int64
}

// group is the callees of one function on a level.
type group struct {
	pairs  []int32 // A's calls
	strays bool
}

func (g *groups) rankLevel(a, b int32) {
	for sd, call := range [2]int32{a, b} {
		eachCallee(g.r, pair.Side(sd), call, func(i int32) {
			id := g.s.identity(g.r, pair.Side(sd), i)
			if g.byFunction[id] == nil {
				g.byFunction[id] = &group{}
			}
			switch {
			case g.s.stray(g.r, pair.Side(sd), i):
				g.byFunction[id].strays = true
			case sd == int(pair.A):
				g.byFunction[id].pairs = append(g.byFunction[id].pairs, i)
			}
		})
	}
	for _, v := range g.byFunction {
		if v.strays && len(v.pairs) > 1 {
			g.rankCalls(v.pairs)
		}
	}
	clear(g.byFunction)
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
