package match

import (
	"context"
	"math/bits"
	"slices"
	"sync"

	"diptych/internal/pair"
	"diptych/internal/progress"
)

// Result is the totals at one τ. They are the same however many processors computed them. What
// single calls match, Call and the bars of a Ladder say.
type Result struct {
	Tau Tau
	Totals
}

// Totals are the sums over all matches at one τ.
type Totals struct {
	Pairs         uint64    // number of matches, exact unless Saturated
	Saturated     bool      // Pairs did not fit and is the largest number
	SimilaritySum float64   // Σ s over all matches
	MatchedCalls  [2]uint64 // by pair.Side: calls that have a match
}

// Match compares the classes of both sides at τ, on all processors. The cost is at most the product
// of the numbers of kinds; blocks.go says which pairs are skipped, and lanes.go how many are
// compared at once. report counts panels.
func (g *Graph) Match(ctx context.Context, tau Tau, report progress.Func) (*Result, error) {
	of, _ := g.kinds()
	c := newComparison(of[pair.A].Classes, of[pair.B].Classes, tau, len(g.Pair.Names))
	if err := c.run(ctx, report); err != nil {
		return nil, err
	}
	return c.result(tau), nil
}

// comparison is that of all kinds at one τ. A kind of B adds up what it matches from the first kind
// of A to the last, so that a result does not depend on the number of processors. For a kind of A,
// only the fact that it has a match is noted.
type comparison struct {
	tau        Tau
	x          *rowKinds
	y          *blocks
	least      []uint32 // see Tau.least
	identities int
	tiles      []interval
	columns    []matched // by kind of B

	mu   sync.Mutex
	rows [][]bool // of each that compares, by kind of A: it has a match
}

// matched is the calls of A that one call of a kind of B matches: their number, which is whole, and
// the sum of their similarities.
type matched struct{ calls, similarity float64 }

// add adds the calls of a kind of A. A similarity is divided only once, after it has been
// multiplied by their number: both numbers are whole, so there is one rounding and not two.
func (m *matched) add(calls, common, both float64) {
	m.calls += calls
	m.similarity += common * calls / (both - common)
}

func newComparison(x, y *Classes, tau Tau, identities int) *comparison {
	c := &comparison{tau: tau, least: tau.least(identities), identities: identities,
		columns: make([]matched, len(y.Base))}
	var work progress.Group
	work.Do(func() { c.x = newRowKinds(x, identities) })
	work.Do(func() { c.y = newBlocks(x, y, identities) })
	_ = work.Wait()
	c.tiles = c.y.tiles()
	return c
}

// run compares all tiles, the last ones first, which take longest.
func (c *comparison) run(ctx context.Context, report progress.Func) error {
	m := progress.NewMeter(report, 0)
	m.Expect(int64(c.y.number()))
	free := sync.Pool{New: func() any { return c.newPanels(newLaneKernels()) }}
	return progress.Spread(ctx, len(c.tiles), func(k int) error {
		p := free.Get().(*panels)
		defer free.Put(p)
		return p.compareTile(ctx, c.tiles[len(c.tiles)-1-k], m)
	})
}

// result adds up what has been compared. Many more kinds than digits are added, so what each
// addition rounds off the sum is added up too (Neumaier).
func (c *comparison) result(tau Tau) *Result {
	r := &Result{Tau: tau}
	for i, n := range c.x.Count {
		if slices.ContainsFunc(c.rows, func(rows []bool) bool { return rows[i] }) {
			r.MatchedCalls[pair.A] += n
		}
	}
	var pairs uint128
	rest := 0.0
	for k := range c.columns {
		m, n := &c.columns[k], c.y.Count[k]
		if m.calls == 0 {
			continue
		}
		r.MatchedCalls[pair.B] += n
		pairs.plus(bits.Mul64(n, uint64(m.calls)))
		was, more := r.SimilaritySum, float64(n)*m.similarity
		r.SimilaritySum += more
		rest += min(was, more) - (r.SimilaritySum - max(was, more))
	}
	r.SimilaritySum += rest
	r.Pairs, r.Saturated = pairs.saturated()
	return r
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
	work, ctx := progress.NewGroup(ctx)
	work.SetLimit(progress.Processors())
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
