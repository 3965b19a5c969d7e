package match

import (
	"context"
	"math/bits"
	"runtime"

	"golang.org/x/sync/errgroup"

	"diptych/internal/pair"
	"diptych/internal/progress"
)

// Sums are what one call of each class matches on the other side. All calls of a class match the
// same calls, so the sums hold for each of them; only its shift also depends on its own start.
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

// Match compares the classes of both sides at τ, on all processors. The cost is at most the product
// of the numbers of kinds. B's are divided into tiles, each so small that what is kept of its
// columns stays in a processor's cache while A's rows go by. report counts rows of tiles.
func (g *Graph) Match(ctx context.Context, tau Tau, report progress.Func) (*Result, error) {
	of, small := g.kinds()
	x, y := of[pair.A].Classes, newColumns(of[pair.B].Classes, len(g.Pair.Names))
	tiles, over := y.tiles(), []strip(nil)
	parts := min(len(tiles), mostStrips)
	first := func(part int) int { return part * len(tiles) / parts } // tile
	for k := range parts {
		over = append(over, strip{pair.A, 0, (first(k+1) - first(k)) * len(x.Base)})
	}
	rows := make([][]amount, parts) // by part of the tiles and kind of A
	columns := make([]amount, len(y.Base))
	least, core := tau.least(len(g.Pair.Names)), x.members()
	err := small.sweepClasses(ctx, over, report, func(k int) func(int) {
		var t tile
		var narrow *packed
		var wide *row
		own := make([]amount, len(x.Base))
		rows[k] = own
		return func(step int) { // all rows of a tile, then those of the next
			i := step % len(x.Base)
			if i == 0 {
				t = tiles[first(k)+step/len(x.Base)]
				narrow, wide = newPacked(x, t.columns, tau), newRow(x, t.columns)
			}
			others := columns[t.from:][:len(t.Base)]
			var sum amount
			if core[i] <= mostPacked {
				narrow.seekClass(i)
				sum = narrow.addMatches(least, others)
			} else {
				wide.seekClass(i)
				sum = wide.addMatches(least, others)
			}
			own[i].weight += sum.weight
			own[i].matches += sum.matches
			own[i].start += sum.start
		}
	})
	if err != nil {
		return nil, err
	}
	a, b := newSums(len(x.Base)), newSums(len(y.Base))
	for _, own := range rows {
		for i := range own {
			a.addClass(i, &own[i])
		}
	}
	for k := range columns {
		b.addClass(k, &columns[k])
	}
	r := &Result{Tau: tau, Sides: [2]Sums{of[pair.A].spread(a), of[pair.B].spread(b)}}
	r.sumTotals(g)
	return r, nil
}

// least returns how many members two sets must share so that s > τ, by the sum of their sizes.
// Example: at τ = 0.2 sets of 3 and 5 members must share least[8] = 2 of them: 2/6 > 0.2 > 1/7.
func (t Tau) least(identities int) []uint32 {
	p, q := t.fraction()
	out := make([]uint32, 2*identities+1)
	for both := range out {
		out[both] = uint32(p*uint64(both)/(q+p)) + 1
	}
	return out
}

// addMatches returns what the row's class matches. To each class it matches, it adds this class's
// calls to others.
func (r *row) addMatches(least []uint32, others []amount) (own amount) {
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
		own.addMatches(s, &cells[k])
		others[k].addMatches(s, &this)
	}
	return own
}

// addClass adds an amount to the sums of class k.
func (s *Sums) addClass(k int, a *amount) {
	s.Weight[k] += a.weight
	s.Matches[k] += uint64(a.matches)
	s.Start[k] += a.start
}

// sumTotals fills in the totals from the sums by class.
func (r *Result) sumTotals(g *Graph) {
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

// A sweep goes through the rows of one side or of both. A row is cheapest to make right after the
// one before it, so the classes are divided into strips of neighbours, and the strips are swept
// concurrently. Floating-point sums depend on the order of summation. So that a result does not
// depend on the number of processors, the number of strips is fixed, each strip is summed up by
// itself, and the strips' sums are added in order.

// strip is the classes [from, to) of one side.
type strip struct {
	side     pair.Side
	from, to int
}

const (
	mostStrips = 8   // a side
	stripRows  = 256 // about so many in a strip while there are fewer than mostStrips
	batch      = 64  // rows between two looks at the context
)

// strips divides the classes of a side.
func (g *Graph) strips(s pair.Side) []strip {
	n := len(g.Sides[s].Base)
	out := make([]strip, min(n/stripRows+1, mostStrips))
	for k := range out {
		out[k] = strip{s, k * n / len(out), (k + 1) * n / len(out)}
	}
	return out
}

// members returns the number of members of each class, which of kinds are fewer than Size says.
func (c *Classes) members() []uint32 {
	out := make([]uint32, len(c.Base))
	for k, base := range c.Base {
		if base != none {
			out[k] = out[base]
		}
		out[k] += c.from[k+1] - c.from[k]
	}
	return out
}

// sweep calls start with the index of each strip, and the function that start returns with each row
// of the strip, from first to last. Strips run concurrently. report counts rows.
func (g *Graph) sweep(ctx context.Context, over []strip, report progress.Func,
	start func(k int) func(*row)) error {
	var cols [2]*columns // against a side
	for _, s := range over {
		if other := s.side.Other(); cols[other] == nil {
			cols[other] = newColumns(g.Sides[other], len(g.Pair.Names))
		}
	}
	return g.sweepClasses(ctx, over, report, func(k int) func(int) {
		s := over[k].side
		r, visit := newRow(g.Sides[s], cols[s.Other()]), start(k)
		return func(i int) {
			r.seekClass(i)
			visit(r)
		}
	})
}

// sweepClasses is sweep with classes for rows.
func (g *Graph) sweepClasses(ctx context.Context, over []strip, report progress.Func,
	start func(k int) func(int)) error {
	m := progress.NewMeter(report, 0)
	for _, s := range over {
		m.Expect(int64(s.to - s.from))
	}
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(runtime.GOMAXPROCS(0))
	for k, s := range over {
		work.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			visit := start(k)
			for from := s.from; from < s.to; from += batch {
				to := min(from+batch, s.to)
				for i := from; i < to; i++ {
					visit(i)
				}
				if err := m.Add(ctx, int64(to-from)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return work.Wait()
}
