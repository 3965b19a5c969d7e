package match

import (
	"context"
	"math/bits"

	"diptych/internal/pair"
	"diptych/internal/progress"
)

// Sums are, by class, what its calls match on the other side: the same for each of them, but that a
// shift is relative to the call's own start.
type Sums struct {
	Weight  []float64 // Σ s(f,g) over the matches g of one call f
	Matches []uint64  // their number
	Start   []float64 // sum of their start times, ns
}

func newSums(n int) Sums { return Sums{make([]float64, n), make([]uint64, n), make([]float64, n)} }

// Result is everything derived from the matches at one τ. It is the same however many processors
// computed it.
type Result struct {
	Tau           Tau
	Sides         [2]Sums // by pair.Side
	Pairs         uint64  // number of matches, exact unless Saturated
	Saturated     bool    // Pairs did not fit and is the largest number
	SimilaritySum float64 // Σ s over all matches
	MatchedCalls  [2]uint64
}

// Match compares the classes of both sides at τ, with all processors. Cost is at most the product
// of their numbers; memory beyond the result is that of a few results. report may be nil.
func (g *Graph) Match(ctx context.Context, tau Tau, report progress.Func) (*Result, error) {
	a, b := g.Sides[pair.A], g.Sides[pair.B]
	r := &Result{Tau: tau, Sides: [2]Sums{newSums(len(a.Base)), newSums(len(b.Base))}}
	over := g.strips(pair.A)
	parts := make([][]amount, len(over)) // of B, by class
	least := tau.least(len(g.Pair.Names))
	err := g.sweep(ctx, over, report, func(k int) func(*row) {
		parts[k] = make([]amount, len(b.Base))
		return func(row *row) {
			own := row.match(least, parts[k])
			r.Sides[pair.A].add(int(row.at), &own)
		}
	})
	if err != nil {
		return nil, err
	}
	for _, of := range parts {
		for k := range of {
			r.Sides[pair.B].add(k, &of[k])
		}
	}
	r.total(g)
	return r, nil
}

// least returns, by how many members two sets have together, counted twice if shared, the least
// number of shared ones with which s > τ.
func (t Tau) least(identities int) []uint32 {
	p, q := t.fraction()
	out := make([]uint32, 2*identities+1)
	for both := range out {
		out[both] = uint32(p*uint64(both)/(q+p)) + 1
	}
	return out
}

// match returns what the row's class matches, and adds to each class matched what this one's calls
// are to it.
func (r *row) match(least []uint32, others []amount) (own amount) {
	size, common, least := r.x.Size[r.at], int32(0), least[r.x.Size[r.at]:]
	this := cell{float64(r.x.Count[r.at]), r.x.Start[r.at]}
	cells := r.y.cells
	diff, others := r.diff[:len(cells)], others[:len(cells)]
	for k, ySize := range r.y.Size[:len(cells)] {
		common += diff[k]
		if uint32(common) < least[ySize] {
			continue
		}
		s := float64(common) / float64(size+ySize-uint32(common))
		own.add(s, &cells[k])
		others[k].add(s, &this)
	}
	return own
}

// add adds to the sums of class k.
func (s *Sums) add(k int, a *amount) {
	s.Weight[k] += a.weight
	s.Matches[k] += uint64(a.matches)
	s.Start[k] += a.start
}

// total sums up over the classes.
func (r *Result) total(g *Graph) {
	for s := range r.Sides {
		for k, n := range g.Sides[s].Count {
			if r.Sides[s].Matches[k] > 0 {
				r.MatchedCalls[s] += n
			}
		}
	}
	for k, n := range g.Sides[pair.A].Count {
		of := &r.Sides[pair.A]
		r.SimilaritySum += float64(n) * of.Weight[k]
		hi, lo := bits.Mul64(n, of.Matches[k])
		sum, carry := bits.Add64(r.Pairs, lo, 0)
		r.Pairs = sum
		r.Saturated = r.Saturated || hi != 0 || carry != 0
	}
	if r.Saturated {
		r.Pairs = 1<<64 - 1
	}
}

// Weight returns w(f), the sum of the similarities of the matches of call i.
func (r *Result) Weight(g *Graph, s pair.Side, i int) float64 {
	return r.Sides[s].Weight[g.Sides[s].Class(i)]
}

// Shift returns the mean of t_s(g) − t_s(f) over the matches g of call i, in ns, and whether it has
// any.
func (r *Result) Shift(g *Graph, s pair.Side, i int) (ns float64, ok bool) {
	k := g.Sides[s].Class(i)
	n := r.Sides[s].Matches[k]
	if n == 0 {
		return 0, false
	}
	return r.Sides[s].Start[k]/float64(n) - float64(g.Sides[s].Calls.Start(i)), true
}
