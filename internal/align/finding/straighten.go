package finding

import (
	"cmp"
	"slices"

	"diptych/internal/align"
	"diptych/internal/pair"
)

// Where one of several equal callees is without a partner, which one it is and so who is paired with
// whom is arbitrary: one iteration dropped early in a loop pairs every later one with its
// neighbour, and their durations seem to change at random. There the calls of a function are
// compared by rank, the shortest of A with the shortest of B. It changes no sum.

// straighten puts A's self times, in ns by call, in the order of their partners' on such levels.
func (s *study) straighten(r *align.Result, self [2][]int64) {
	g := groups{s: s, r: r, self: self, of: map[uint32]*group{}}
	g.level(align.None, align.None)
	for i, j := range r.Partner[pair.A] {
		if j != align.None && r.Threads[pair.A].Size[i] > 1 && r.Threads[pair.B].Size[j] > 1 {
			g.level(int32(i), j)
		}
	}
}

// groups are the callees of one pair by function.
type groups struct {
	s    *study
	r    *align.Result
	self [2][]int64
	of   map[uint32]*group
	ns   []int64
}

// group is the callees of one function.
type group struct {
	pairs  []int32 // A's calls
	strays bool
}

func (g *groups) level(a, b int32) {
	if !g.strays(pair.A, a) && !g.strays(pair.B, b) {
		return
	}
	for sd, call := range [2]int32{a, b} {
		eachCallee(g.r, pair.Side(sd), call, func(i int32) {
			id := g.s.id(g.r, pair.Side(sd), i)
			if g.of[id] == nil {
				g.of[id] = &group{}
			}
			switch {
			case g.s.stray(g.r, pair.Side(sd), i):
				g.of[id].strays = true
			case sd == int(pair.A):
				g.of[id].pairs = append(g.of[id].pairs, i)
			}
		})
	}
	for _, v := range g.of {
		if v.strays && len(v.pairs) > 1 {
			g.rank(v.pairs)
		}
	}
	clear(g.of)
}

func (g *groups) strays(sd pair.Side, call int32) (any bool) {
	eachCallee(g.r, sd, call, func(i int32) { any = any || g.s.stray(g.r, sd, i) })
	return any
}

// rank gives A's calls their self times anew: the k-th shortest to the partner of B's k-th.
func (g *groups) rank(pairs []int32) {
	g.ns = g.ns[:0]
	for _, i := range pairs {
		g.ns = append(g.ns, g.self[pair.A][i])
	}
	slices.Sort(g.ns)
	partner := g.r.Partner[pair.A]
	slices.SortFunc(pairs, func(x, y int32) int {
		return cmp.Or(cmp.Compare(g.self[pair.B][partner[x]], g.self[pair.B][partner[y]]),
			cmp.Compare(x, y))
	})
	for k, i := range pairs {
		g.self[pair.A][i] = g.ns[k]
	}
}
