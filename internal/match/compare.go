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
// of the numbers of kinds; blocks.go and panel.go say which pairs are skipped, and which are
// compared at once. Sums are in the order of A's kinds, or of B's blocks. report counts blocks.
func (g *Graph) Match(ctx context.Context, tau Tau, report progress.Func) (*Result, error) {
	of, _ := g.kinds()
	c := newComparison(of[pair.A].Classes, of[pair.B].Classes, tau, len(g.Pair.Names))
	if err := c.run(ctx, report); err != nil {
		return nil, err
	}
	a, b := c.sums()
	r := &Result{Tau: tau, Sides: [2]Sums{of[pair.A].spread(a), of[pair.B].spread(b)}}
	r.sumTotals(g)
	return r, nil
}

// comparison is that of all kinds at one τ. The tiles are divided into parts in turn, since the
// later ones, of larger sets, take longer. So that a result does not depend on the number of
// processors, the number of parts does not, and their sums are added in order.
type comparison struct {
	x          *rowKinds
	y          *blocks
	least      []uint32 // see Tau.least
	identities int
	tiles      []interval
	rows       [][]amount // by part, then by kind of A
	columns    []amount   // by kind of B
}

func newComparison(x, y *Classes, tau Tau, identities int) *comparison {
	c := &comparison{x: newRowKinds(x, identities), y: newBlocks(x, y, identities),
		least: tau.least(identities), identities: identities, columns: make([]amount, len(y.Base))}
	c.tiles = c.y.tiles()
	c.rows = make([][]amount, min(len(c.tiles), mostStrips))
	return c
}

// run compares all tiles.
func (c *comparison) run(ctx context.Context, report progress.Func) error {
	m := progress.NewMeter(report, 0)
	m.Expect(int64(c.y.number()))
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(runtime.GOMAXPROCS(0))
	for part := range c.rows {
		work.Go(func() error { return c.comparePart(ctx, part, m) })
	}
	return work.Wait()
}

// comparePart compares every tile of a part.
func (c *comparison) comparePart(ctx context.Context, part int, m *progress.Meter) error {
	e, own := newEngine(c), make([]amount, len(c.x.Base))
	c.rows[part] = own
	for k := part; k < len(c.tiles); k += len(c.rows) {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := e.compareTile(c.tiles[k], own, func(blocks int) error {
			return m.Add(ctx, int64(blocks))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// sums returns what the kinds of both sides match.
func (c *comparison) sums() (a, b Sums) {
	a, b = newSums(len(c.x.Base)), newSums(len(c.columns))
	for _, own := range c.rows {
		for i := range own {
			a.addClass(i, &own[i])
		}
	}
	for k := range c.columns {
		b.addClass(k, &c.columns[k])
	}
	return a, b
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
			return s.visit(ctx, newRow(g.Sides[s.side], cols[s.side.Other()]), m, start(k))
		})
	}
	return work.Wait()
}

// visit makes a row that of each class of the strip and calls visit with it.
func (s strip) visit(ctx context.Context, r *row, m *progress.Meter, visit func(*row)) error {
	for from := s.from; from < s.to; from += batch {
		to := min(from+batch, s.to)
		for i := from; i < to; i++ {
			r.seekClass(i)
			visit(r)
		}
		if err := m.Add(ctx, int64(to-from)); err != nil {
			return err
		}
	}
	return nil
}
