package aggregate

import (
	"context"
	"sync"
)

// Aggregate is the rectangle of all leaves below a node and the slices From to To, inclusive.
type Aggregate struct{ Node, From, To int }

// Partition is an optimal partition of a source, and the sums of gain and loss of its aggregates.
// Aggregates are ordered by their first leaf, then by their first slice.
type Partition struct {
	P, Gain, Loss float64
	Aggregates    []Aggregate
}

// tie is the difference of two values of the criterion that are taken for equal.
const tie = 1e-11

// What a node does with some slices, if it does not cut them in two.
const (
	whole = -1 // one aggregate
	split = -2 // each child for itself
)

// pick is the partition of one node and some slices.
type pick struct {
	value, gain float64
	count       int32
}

// beats reports whether x is better than y: by value, of equal ones by fewest aggregates, then by
// larger gain.
func (x pick) beats(y pick) bool {
	switch {
	case x.value > y.value+tie:
		return true
	case x.value < y.value-tie:
		return false
	case x.count != y.count:
		return x.count < y.count
	}
	return x.gain > y.gain+tie
}

// Best returns the optimal partition for p by the full recursion over nodes and pairs of slices
//
//	best(h, i, j) = max(pIC, Σ best(child, i, j), max_c best(h, i, c) + best(h, c+1, j))
//
// with pIC = p·gain − (1−p)·loss. See solver for what is left out because it can't be the best.
func (q *Quality) Best(ctx context.Context, p float64) (*Partition, error) {
	x, err := BestOf(ctx, p, q)
	if err != nil {
		return nil, err
	}
	return x.Partitions[0], nil
}

// best returns the partition without its aggregates, and their number. These are in r then.
func (q *Quality) best(ctx context.Context, p float64, r *recovery) (x *Partition, n int, err error) {
	nodes := q.tree.Nodes
	if p == 1 && q.op == Sum && len(nodes) > 0 {
		// Loss counts for nothing, and no partition has more gain than the whole, or fewer
		// aggregates.
		x, n = r.follow(p, make([][]int16, len(nodes)))
		return x, n, ctx.Err()
	}
	choice := make([][]int16, len(nodes)) // of inner nodes
	pool := sync.Pool{New: func() any { return newSolver(q, p) }}
	visit := func(node int, below *best) *best {
		if q.columns[node] == nil {
			return nil // one aggregate for any slices, of criterion 0
		}
		s := pool.Get().(*solver)
		defer pool.Put(s)
		if nodes[node].Leaf != None {
			below = q.pool.Get().(*best)
			s.solveLeaf(node, below)
		} else {
			below = q.spread(below, q.all)
			choice[node] = make([]int16, q.at.len())
			s.solve(node, below, choice[node])
		}
		return below
	}
	walk(ctx, q.tree, visit, q.merge)
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	x, n = r.follow(p, choice)
	return x, n, nil
}

// Shares sets shares to the mean values of an aggregate by state, and returns the state whose share
// is largest by amount, None if all are 0.
func (a Aggregate) Shares(s Source, shares []float64) (mode int) {
	n := s.Tree().Nodes[a.Node]
	return Shares(s, int(n.From), int(n.To), a.From, a.To, shares)
}
