package aggregate

import (
	"cmp"
	"context"
	"slices"
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

// best is the best partition of a node for all slices i to j, by at(i, j).
type best struct {
	value, gain []float64 // the criterion; the gain
	count       []int32   // aggregates
}

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

func (b *best) at(k int) pick { return pick{b.value[k], b.gain[k], b.count[k]} }

// Best returns the optimal partition for p by the full recursion over nodes and pairs of slices
//
//	best(h, i, j) = max(pIC, Σ best(child, i, j), max_c best(h, i, c) + best(h, c+1, j))
//
// with pIC = p·gain − (1−p)·loss. A first piece i to c of a cut is tried only if it is not cut
// itself: one that is cut is found as a cut of its own first piece. This leaves some cuts of each
// pair where there would be up to all slices.
func (q *Quality) Best(ctx context.Context, p float64) (*Partition, error) {
	choice := make([][]int16, len(q.tree.Nodes))
	pool := sync.Pool{New: func() any {
		n := q.at.len()
		return &best{make([]float64, n), make([]float64, n), make([]int32, n)}
	}}
	visit := func(node int, below *best) *best {
		choice[node] = make([]int16, q.at.len())
		inner := below != nil
		if !inner {
			below = pool.Get().(*best)
		}
		q.solve(node, p, below, inner, choice[node])
		return below
	}
	walk(ctx, q.tree, visit, func(sum, more *best) {
		for i := range sum.value {
			sum.value[i] += more.value[i]
			sum.gain[i] += more.gain[i]
			sum.count[i] += more.count[i]
		}
		pool.Put(more)
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return q.recover(p, choice), nil
}

// solve replaces the sums of a node's children, if it has any, by what is best for the node.
func (q *Quality) solve(node int, p float64, b *best, inner bool, choice []int16) {
	weigh := q.criterion(p)
	firsts := make([]int, 0, q.slices) // the last slices of the first pieces that are not cut
	for i := q.slices - 1; i >= 0; i-- {
		firsts = firsts[:0]
		row := q.at[i]
		for j := i; j < q.slices; j++ {
			k := row + j
			now := weigh(node, k)
			chosen := int16(whole)
			if below := b.at(k); inner && below.beats(now) {
				now, chosen = below, split
			}
			for _, c := range firsts {
				rest := q.at[c+1] + j
				value := b.value[row+c] + b.value[rest]
				if value < now.value-tie {
					continue
				}
				cut := pick{value, b.gain[row+c] + b.gain[rest], b.count[row+c] + b.count[rest]}
				if cut.beats(now) {
					now, chosen = cut, int16(c)
				}
			}
			if chosen < 0 {
				firsts = append(firsts, j)
			}
			b.value[k], b.gain[k], b.count[k], choice[k] = now.value, now.gain, now.count, chosen
		}
	}
}

// criterion returns the function that values the aggregate of a node and the slices at k.
func (q *Quality) criterion(p float64) func(node, k int) pick {
	return func(node, k int) pick {
		gain := q.scale.gain * q.gain[node][k]
		return pick{p*gain - (1-p)*q.scale.loss*q.loss[node][k], gain, 1}
	}
}

// recover follows the choices from the root and all slices.
func (q *Quality) recover(p float64, choice [][]int16) *Partition {
	out := &Partition{P: p}
	if len(q.tree.Nodes) == 0 {
		return out
	}
	open := []Aggregate{{0, 0, q.slices - 1}}
	for len(open) > 0 {
		a := open[len(open)-1]
		open = open[:len(open)-1]
		switch c := int(choice[a.Node][q.at[a.From]+a.To]); c {
		case whole:
			out.Aggregates = append(out.Aggregates, a)
			gain, loss := q.Of(a.Node, a.From, a.To)
			out.Gain += gain
			out.Loss += loss
		case split:
			for _, child := range q.tree.children(a.Node) {
				open = append(open, Aggregate{child, a.From, a.To})
			}
		default:
			open = append(open, Aggregate{a.Node, a.From, c}, Aggregate{a.Node, c + 1, a.To})
		}
	}
	slices.SortFunc(out.Aggregates, func(x, y Aggregate) int {
		nodes := q.tree.Nodes
		return cmp.Or(cmp.Compare(nodes[x.Node].From, nodes[y.Node].From), cmp.Compare(x.From, y.From))
	})
	return out
}

// Shares sets shares to the mean values of an aggregate by state, and returns the state whose share
// is largest by amount, None if all are 0.
func (a Aggregate) Shares(s Source, shares []float64) (mode int) {
	n := s.Tree().Nodes[a.Node]
	return Shares(s, int(n.From), int(n.To), a.From, a.To, shares)
}
