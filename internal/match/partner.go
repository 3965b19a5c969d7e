package match

import (
	"context"
	"math"

	"diptych/internal/pair"
)

// Partner is the best match of a call.
type Partner struct {
	Call int // pre-order index in the scope, on the other side
	S    float64
}

// Partner finds, among the calls of the other side that are most like the given one, with s > τ,
// the one whose start is nearest to expect, in ns; of several the one listed first. It says whether
// there is one. It looks at the calls that are nearer than the one it finds, at most at all once.
func (g *Graph) Partner(ctx context.Context, tau Tau, side pair.Side, call int,
	expect float64) (Partner, bool, error) {
	class, other := g.Sides[side].Class(call), g.Sides[side.Other()]
	common := g.common(side, class)
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
		n.search(thread)
	}
	return Partner{n.call, s}, true, ctx.Err()
}

// common returns how many identities a class of one side shares with each class of the other. It
// needs no columns, which pays for a single class.
func (g *Graph) common(side pair.Side, class uint32) []uint32 {
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

// likest returns the highest s > τ and which classes have it, nil if none has, given what a class of
// the given size shares with each and their sizes. Coefficients are compared as fractions.
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

// nearest is a search for the call of some classes whose start is nearest to a time.
type nearest struct {
	calls    *Classes
	classes  []bool
	expect   float64 // ns
	call     int     // the nearest so far, or none
	distance float64 // of its start, ns
}

// search goes from the expected time back and forth until nothing nearer can come.
func (n *nearest) search(thread int) {
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
