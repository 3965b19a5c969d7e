package match

import "diptych/internal/pair"

// Call is what one call matches.
type Call struct {
	Matches uint64
	Weight  float64 // w(f): the sum of their similarities
	Shift   float64 // mean of t_s(g) − t_s(f) over the matches g, ns; 0 if there are none
}

// Call sums up the matches of one call, by pre-order index in the scope. It costs one pass over the
// other side's classes.
func (g *Graph) Call(tau Tau, side pair.Side, call int) Call {
	x, y := g.Sides[side], g.Sides[side.Other()]
	class := x.Class(call)
	var out Call
	start := 0.0
	for k, common := range g.common(side, class) {
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
