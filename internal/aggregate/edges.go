package aggregate

import "math"

// A thread that waits or sleeps has the same values in slice after slice. No best cut in time is
// within such a run, so that cuts are tried at its ends alone: in threads with few runs that is
// nearly nothing of the work.
//
// Let a piece of a partition end with slice r of a run, and the next one go on behind it. Take r
// for a real number that moves through the run from s to e, and everything else for fixed. The
// criterion of a piece that has t slices of the run, which have the values v and the mass μ = Σ v
// each, is
//
//	w(t) = (x + y) Σ_k S_k ln S_k − y M ln L + linear terms,  S_k = S_k(0) + t v_k,
//
// with the weights x of gain and y of loss, the piece's mass M and its length L in slices, which
// grow by μ and by 1. As Σ v_k²/S_k ≥ μ²/M, and with ρ = M/L,
//
//	w″ = (x + y) Σ_k v_k²/S_k − y (2μ − ρ)/L ≥ (x μ²/ρ + y (μ − ρ)²/ρ) / L ≥ x μ²/M ≥ 0
//
// So the sum of both pieces is convex in r, and best at an end of the run, where one of the pieces
// has all of it. By how much at least, if n slices may move and both pieces go on beyond the run?
// Their masses are M and M′ with M + M′ ≤ m, that of all slices. So the second derivative is at
// least x μ² (1/M + 1/M′) ≥ 4 x μ²/m, and a place with d and n − d slices to the ends is worse by
// d (n − d)/2 times as much, at least 2 (n − 1) x μ²/m. A piece that lies within the run has
// x μ t ln t and linear terms, which is x μ t ln (n/t) below the line between its ends: at least
// x μ ln 2.
//
// That must be more than rules for ties could level, as in solver.bound. Elsewhere, for p near 0 or
// in short runs, all cuts are tried.

// edges lists the active slices behind which cuts have to be tried, and the last one.
func (s *solver) edges(c *column) []uint16 {
	list, from := s.edgeList[:0], 0
	all, margin := c.mass[len(c.on)], float64(3*s.q.slices+10)*tie
	for _, to := range c.runs {
		mass, within := c.mass[from+1]-c.mass[from], float64(int(to)-from)
		if !(s.perGain*mass*min(2*within*mass/all, math.Ln2) > margin) {
			for ; from < int(to); from++ {
				list = append(list, uint16(from))
			}
		}
		list = append(list, to)
		from = int(to) + 1
	}
	s.edgeList = list
	return list
}
