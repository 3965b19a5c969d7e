package match

import (
	"context"
	"math"

	"diptych/internal/pair"
)

// Call is what one call matches.
type Call struct {
	Matches uint64
	Weight  float64 // w(f): the sum of their similarities
	Shift   float64 // mean of t_s(g) − t_s(f) over the matches g, ns; 0 if there are none
}

// Call sums up the matches of one call, given by its index in the scope. It costs one pass over the
// other side's classes.
func (g *Graph) Call(tau Tau, side pair.Side, call int) Call {
	x, y := g.Sides[side], g.Sides[side.Other()]
	class := x.Class(call)
	var out Call
	start := 0.0
	for k, common := range g.commonWith(side, class) {
		size := x.Size[class]
		if !tau.Exceeded(common, size, y.Size[k]) {
			continue
		}
		n := y.Count[k]
		out.Matches += n
		out.Weight += float64(n) * float64(common) / float64(size+y.Size[k]-common)
		start += y.Start[k]
	}
	if out.Matches > 0 {
		out.Shift = start/float64(out.Matches) - float64(x.Calls.Start(call))
	}
	return out
}

// Similarity returns s(f,g) of call a of A and call b of B, given by their indices in the scope.
func (g *Graph) Similarity(a, b int) float64 {
	ca, cb := g.Sides[pair.A], g.Sides[pair.B]
	x, y := int(ca.Class(a)), int(cb.Class(b))
	in := make(map[uint32]bool, ca.Size[x])
	ca.Members(x, func(id uint32) bool {
		in[id] = true
		return true
	})
	common := 0
	cb.Members(y, func(id uint32) bool {
		if in[id] {
			common++
		}
		return true
	})
	return float64(common) / float64(int(ca.Size[x])+int(cb.Size[y])-common)
}

// Partner is the best match of a call.
type Partner struct {
	Call int // index in the scope, on the other side
	S    float64
}

// Partner finds the best match of a call, if it has one: of all matches the most similar; of those
// equally similar the one that starts nearest to expect, in ns; of those equally near the first.
// Its cost is the number of calls that are nearer than the one it finds.
func (g *Graph) Partner(ctx context.Context, tau Tau, side pair.Side, call int,
	expect float64) (Partner, bool, error) {
	class, other := g.Sides[side].Class(call), g.Sides[side.Other()]
	common := g.commonWith(side, class)
	s, likest := likest(common, g.Sides[side].Size[class], other.Size, tau)
	if likest == nil {
		return Partner{}, false, ctx.Err()
	}
	const farthest = 1 << 62 // that converts to whole ns
	n := nearest{calls: other, classes: likest, expect: min(max(expect, -farthest), farthest),
		call: none, distance: math.Inf(1)}
	for thread := range other.Threads {
		if err := ctx.Err(); err != nil {
			return Partner{}, false, err
		}
		n.searchThread(thread)
	}
	return Partner{n.call, s}, true, ctx.Err()
}

// commonWith returns how many identities a class of one side shares with each class of the other.
// For a single class this is faster than making a row, which first needs columns.
func (g *Graph) commonWith(side pair.Side, class uint32) []uint32 {
	x, y := g.Sides[side], g.Sides[side.Other()]
	in := make([]bool, len(g.Pair.Names))
	x.Members(int(class), func(id uint32) bool {
		in[id] = true
		return true
	})
	out := make([]uint32, len(y.Size))
	for k, base := range y.Base {
		if base != none {
			out[k] = out[base]
		}
		for _, id := range y.added[y.from[k]:y.from[k+1]] {
			if in[id] {
				out[k]++
			}
		}
	}
	return out
}

// likest returns the highest s > τ, and which classes have it; nil if none does. A class of the
// given size shares common[k] identities with class k, of sizes[k]. Similarities are compared as
// fractions.
func likest(common []uint32, size uint32, sizes []uint32, tau Tau) (s float64, classes []bool) {
	var most, of uint64 // s is most/of
	for k, n := range common {
		if !tau.Exceeded(n, size, sizes[k]) {
			continue
		}
		union := uint64(size) + uint64(sizes[k]) - uint64(n)
		switch x, y := uint64(n)*of, most*union; {
		case classes == nil || x > y:
			classes = make([]bool, len(common))
			most, of = uint64(n), union
		case x < y:
			continue
		}
		classes[k] = true
	}
	return float64(most) / float64(of), classes
}

// nearest searches, among the calls of some classes, the one that starts nearest to a time.
type nearest struct {
	calls    *Classes
	classes  []bool
	expect   float64 // ns
	call     int     // the nearest so far, or none
	distance float64 // of its start, ns
}

// searchThread goes back and then forth from the expected time, until all further calls are farther
// than the nearest so far.
func (n *nearest) searchThread(thread int) {
	starts, first := n.calls.Threads[thread].Start, n.calls.First[thread]
	at := firstFrom(starts, int64(math.Ceil(n.expect)))
	for i := at - 1; i >= 0; i-- {
		d := n.expect - float64(starts[i])
		if d > n.distance || d == n.distance && n.call < first {
			break
		}
		if n.classes[n.calls.Class(first+i)] {
			n.call, n.distance = first+i, d // of equal ones the one found last is listed first
		}
	}
	for i := at; i < len(starts); i++ {
		d := float64(starts[i]) - n.expect
		if d >= n.distance {
			break
		}
		if n.classes[n.calls.Class(first+i)] {
			n.call, n.distance = first+i, d
		}
	}
}
