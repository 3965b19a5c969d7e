package match

import (
	"context"

	"golang.org/x/sync/errgroup"

	"diptych/internal/pair"
)

// Lit says what hovering a call f lights (DESIGN §11, Overview), by pair.Side and interval: on the
// other side the intervals in which a call starts that matches some call of S(f); on f's own side
// those in which calls of S(f) start that have a match.
func (g *Graph) Lit(ctx context.Context, tau Tau, side pair.Side, call int,
	ivs [2]*Intervals) ([2][]bool, error) {
	var out [2][]bool
	own, other := g.Sides[side], g.Sides[side.Other()]
	below := own.below(call)
	matching, matched, err := g.touch(ctx, tau, side, below)
	if err != nil {
		return out, err
	}
	out[side] = ivs[side].litBy(own, call, matching)
	out[side.Other()] = make([]bool, ivs[side.Other()].n)
	for k := range other.Size {
		if matched[k] {
			for _, e := range ivs[side.Other()].of(k) {
				out[side.Other()][e.interval] = true
			}
		}
	}
	return out, ctx.Err()
}

// below returns which classes the subtree of a call has calls of.
func (c *Classes) below(call int) []bool {
	has, left := make([]bool, len(c.Size)), len(c.Size)
	for i, next := call, c.Next(call); i < next && left > 0; i++ {
		if k := c.Class(i); !has[k] {
			has[k] = true
			left--
		}
	}
	return has
}

// touch compares some classes of one side with all of the other. It returns which of them have a
// match, and which of the others are one. Few are compared with all; if they are many, a witness is
// looked for on behalf of each class of both sides.
func (g *Graph) touch(ctx context.Context, tau Tau, side pair.Side, some []bool) (matching,
	matched []bool, err error) {
	x, y := g.Sides[side], g.Sides[side.Other()]
	ids, n := len(g.Pair.Names), 0
	for _, is := range some {
		if is {
			n++
		}
	}
	if n < len(some)/4 {
		matching, matched = make([]bool, len(x.Size)), make([]bool, len(y.Size))
		r := newRow(x, newColumns(y, ids))
		for k := range some {
			if some[k] {
				r.seek(k)
				matching[k] = r.touch(tau, matched)
			}
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
		}
		return matching, matched, nil
	}
	work, ctx := errgroup.WithContext(ctx)
	work.Go(func() (err error) {
		matching, err = newWitnesses(tau, x, y, ids, nil).find(ctx, some)
		return err
	})
	work.Go(func() (err error) {
		matched, err = newWitnesses(tau, y, x, ids, some).find(ctx, nil)
		return err
	})
	err = work.Wait()
	return matching, matched, err
}

// touch marks the classes of Y that the row's class matches, and reports whether there are any.
func (r *row) touch(tau Tau, matched []bool) (any bool) {
	size, common := r.x.Size[r.at], int32(0)
	for k, ySize := range r.y.Size {
		common += r.diff[k]
		if tau.Exceeded(uint32(common), size, ySize) {
			matched[k], any = true, true
		}
	}
	return any
}

// litBy returns in which intervals calls of a subtree start that are of the given classes.
func (iv *Intervals) litBy(c *Classes, call int, classes []bool) []bool {
	lit := make([]bool, iv.n)
	thread, from := c.At(call)
	starts, first := c.Threads[thread].Start, c.First[thread]
	to := c.Threads[thread].Next(from)
	for k := range lit {
		begins, ends := border(iv.from, iv.to, k, iv.n), border(iv.from, iv.to, k+1, iv.n)
		from += firstFrom(starts[from:to], begins)
		for i := from; i < to && (starts[i] < ends || k == iv.n-1 && starts[i] == ends); i++ {
			if classes[c.Class(first+i)] {
				lit[k] = true
				break
			}
		}
	}
	return lit
}
