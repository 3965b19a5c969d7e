package match

import (
	"context"
	"math/bits"

	"diptych/internal/pair"
)

// Sums are, by class, what its calls match on the other side: the same for each of them, but that a
// shift is relative to the call's own start.
type Sums struct {
	Weight  []float64 // Σ s(f,g) over the matches g of one call f
	Matches []uint64  // their number
	Start   []float64 // sum of their start times, ns
}

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
// of their numbers; memory beyond the result is that of a few results. progress may be nil.
func (g *Graph) Match(ctx context.Context, tau Tau, progress Progress) (*Result, error) {
	w := newSweep(g, tau, progress)
	if err := w.run(ctx); err != nil {
		return nil, err
	}
	r := &Result{Tau: tau, Sides: w.result()}
	r.total(g)
	return r, nil
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
	return r.Sides[s].Weight[g.Sides[s].Of[i]]
}

// Shift returns the mean of t_s(g) − t_s(f) over the matches g of call i, in ns, and whether it has
// any.
func (r *Result) Shift(g *Graph, s pair.Side, i int) (ns float64, ok bool) {
	k := g.Sides[s].Of[i]
	n := r.Sides[s].Matches[k]
	if n == 0 {
		return 0, false
	}
	return r.Sides[s].Start[k]/float64(n) - float64(g.Sides[s].Calls.Start(i)), true
}
