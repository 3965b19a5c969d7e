package match

import (
	"context"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"diptych/internal/pair"
)

// A sweep goes through the rows of A once and sums up both sides: a row's own sums, and what its
// class adds to each class of B that it matches. Floating-point sums depend on their order, so
// A's classes are divided into strips whatever the number of processors: each strip sums up B's
// side by itself, and the strips are added in order.
type sweep struct {
	tau    Tau
	a      *Classes
	b      *columns
	strips []strip
	of     Sums // A's

	mu       sync.Mutex // for what follows
	progress Progress
	done     int64
}

// strip is the classes [from, to) of A and what they add up to on B's side.
type strip struct {
	from, to int
	of       Sums
}

const (
	strips = 8
	batch  = 64 // rows between two looks at the context
)

func newSweep(g *Graph, tau Tau, progress Progress) *sweep {
	a, b := g.Sides[pair.A], g.Sides[pair.B]
	w := &sweep{tau: tau, a: a, b: newColumns(b, len(g.Pair.Names)), progress: progress,
		of: newSums(len(a.Base))}
	for k := range strips {
		n := len(a.Base)
		w.strips = append(w.strips, strip{from: k * n / strips, to: (k + 1) * n / strips})
	}
	return w
}

func newSums(n int) Sums { return Sums{make([]float64, n), make([]uint64, n), make([]float64, n)} }

func (w *sweep) run(ctx context.Context) error {
	workers, ctx := errgroup.WithContext(ctx)
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for k := range w.strips {
		workers.Go(func() error { return w.strip(ctx, &w.strips[k]) })
	}
	return workers.Wait()
}

func (w *sweep) strip(ctx context.Context, s *strip) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.of = newSums(len(w.b.Base))
	r := newRow(w.a, w.b)
	for k := s.from; k < s.to; k++ {
		r.seek(k)
		w.of.Weight[k], w.of.Matches[k], w.of.Start[k] = r.sums(w.tau, &s.of)
		if n := k + 1 - s.from; n%batch == 0 || k+1 == s.to {
			w.report((n-1)%batch + 1)
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *sweep) report(rows int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done += int64(rows)
	if w.progress != nil {
		w.progress(w.done, int64(len(w.a.Base)))
	}
}

// result adds up the strips.
func (w *sweep) result() [2]Sums {
	b := newSums(len(w.b.Base))
	for _, s := range w.strips {
		for k := range b.Weight {
			b.Weight[k] += s.of.Weight[k]
			b.Matches[k] += s.of.Matches[k]
			b.Start[k] += s.of.Start[k]
		}
	}
	return [2]Sums{w.of, b}
}

// sums returns what the row's class matches at τ and adds to each class matched what this one's
// calls are to it.
func (r *row) sums(tau Tau, other *Sums) (weight float64, matches uint64, start float64) {
	x, y := r.x, r.y
	size, count, starts := x.Size[r.at], x.Count[r.at], x.Start[r.at]
	p, q := tau.fraction()
	diff, common := r.diff[:len(y.Size)], int32(0)
	for k, ySize := range y.Size {
		common += diff[k]
		if uint64(common)*(q+p) <= p*(uint64(size)+uint64(ySize)) { // not tau.Exceeded
			continue
		}
		s := float64(common) / float64(size+ySize-uint32(common))
		weight += s * float64(y.Count[k])
		matches += y.Count[k]
		start += y.Start[k]
		other.Weight[k] += s * float64(count)
		other.Matches[k] += count
		other.Start[k] += starts
	}
	return weight, matches, start
}
