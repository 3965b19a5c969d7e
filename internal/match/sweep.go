package match

import (
	"context"
	"runtime"

	"golang.org/x/sync/errgroup"

	"diptych/internal/pair"
	"diptych/internal/progress"
)

// A sweep goes through the rows of one side or of both. A row costs least after its predecessor, so
// the classes are divided into strips of neighbours, which are swept concurrently. Floating-point
// sums depend on their order, so there are as many strips whatever the number of processors: what
// crosses rows is summed up by strip, and the strips are added in order.

// strip is the classes [from, to) of one side.
type strip struct {
	side     pair.Side
	from, to int
}

const (
	mostStrips = 8   // a side
	stripRows  = 256 // in a strip, about, while there are fewer strips
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

// sweep calls start for each strip, given its index, and what that returns with each of its rows,
// from first to last. Strips run concurrently, in about the order given. report counts rows.
func (g *Graph) sweep(ctx context.Context, over []strip, report progress.Func,
	start func(k int) func(*row)) error {
	m := progress.NewMeter(report, 0)
	var cols [2]*columns // against a side
	for _, s := range over {
		m.Expect(int64(s.to - s.from))
		if other := s.side.Other(); cols[other] == nil {
			cols[other] = newColumns(g.Sides[other], len(g.Pair.Names))
		}
	}
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(runtime.GOMAXPROCS(0))
	for k, s := range over {
		work.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			r, visit := newRow(g.Sides[s.side], cols[s.side.Other()]), start(k)
			for from := s.from; from < s.to; from += batch {
				to := min(from+batch, s.to)
				for i := from; i < to; i++ {
					r.seek(i)
					visit(r)
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
