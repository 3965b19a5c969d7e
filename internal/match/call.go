package match

import "diptych/internal/pair"

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
	common, x, y := g.common(a, b)
	return float64(common) / float64(x+y-common)
}

// matches reports whether call a of A and call b of B match.
func (g *Graph) matches(tau Tau, a, b int) bool { return tau.Exceeded(g.common(a, b)) }

// common returns how many identities a call of A and one of B share, and how many each has.
func (g *Graph) common(a, b int) (common, x, y uint32) {
	ca, cb := g.Sides[pair.A], g.Sides[pair.B]
	k, l := int(ca.Class(a)), int(cb.Class(b))
	in := make(map[uint32]bool, ca.Size[k])
	ca.Members(k, func(id uint32) bool {
		in[id] = true
		return true
	})
	cb.Members(l, func(id uint32) bool {
		if in[id] {
			common++
		}
		return true
	})
	return common, ca.Size[k], cb.Size[l]
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
