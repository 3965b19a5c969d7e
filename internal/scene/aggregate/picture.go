package aggregate

import (
	"context"
	"slices"

	"diptych/internal/aggregate"
)

// Picture is a partition with what its colours need, made once by a job. It never changes.
type Picture struct {
	Source    aggregate.Source
	Quality   *aggregate.Quality
	Partition *aggregate.Partition
	Modes     []int32   // by aggregate: the state with the largest share, or aggregate.None
	Shares    []float32 // of that state, with its sign in a difference
	sums      *sums
	cuts      [][]aggregate.Aggregate // by node: the best cuts of all slices, if it has sums
}

// Prepare makes the picture of a partition. Its cost is that of the source's values that are not 0,
// and that of the cuts in time of all nodes with many leaves.
func Prepare(ctx context.Context, s aggregate.Source, q *aggregate.Quality,
	p *aggregate.Partition) (*Picture, error) {
	out := &Picture{Source: s, Quality: q, Partition: p, sums: newSums(s),
		cuts: make([][]aggregate.Aggregate, len(s.Tree().Nodes))}
	shares := make([]float64, len(s.States()))
	for _, a := range p.Aggregates {
		mode := a.Shares(s, shares)
		share := 0.0
		if mode >= 0 {
			share = shares[mode]
		}
		out.Modes = append(out.Modes, int32(mode))
		out.Shares = append(out.Shares, float32(share))
	}
	for i, sum := range out.sums.upTo {
		if sum != nil && ctx.Err() == nil {
			out.cuts[i] = q.Cuts(i, 0, s.Slices()-1, p.P)
		}
	}
	return out, ctx.Err()
}

// cutsOf returns the best cuts in time of a node over some slices.
func (p *Picture) cutsOf(node, from, to int) []aggregate.Aggregate {
	if known := p.cuts[node]; known != nil && from == 0 && to == p.Source.Slices()-1 {
		return known
	}
	return p.Quality.Cuts(node, from, to, p.Partition.P)
}

// leaves returns the leaves below a node.
func leaves(t *aggregate.Tree, node int) [2]int {
	return [2]int{int(t.Nodes[node].From), int(t.Nodes[node].To)}
}

// children returns the children of a node.
func children(t *aggregate.Tree, node int) (list []int) {
	for c, end := node+1, node+int(t.Nodes[node].Size); c < end; c += int(t.Nodes[c].Size) {
		list = append(list, c)
	}
	return list
}

// band is a row of the picture that stands for several rows of the tree: siblings that are too low
// to see, or the leaves of a node that was folded by hand.
type band struct {
	node   int // whose best cuts in time it has
	leaves [2]int
}

// rows is where the leaves of a tree stand in a plot.
type rows struct {
	top   []float32 // by leaf: its upper edge, px; the last one is the lower edge of all
	bands []band    // in order of the tree
	fold  []bool    // by node: folded by hand
}

// layOut gives each leaf a row, from 0 on. Nodes that are folded by hand have a row each, fold px
// high, but at most half the height together; all other leaves share what is left. If nothing else
// is left, folded nodes share all. Rows lower than least px become bands with their neighbours.
func layOut(t *aggregate.Tree, height, fold, least float32, folded []string) *rows {
	r := &rows{top: make([]float32, t.Leaves+1), fold: make([]bool, len(t.Nodes))}
	n, hidden, inside := 0, 0, 0
	for i := range t.Nodes {
		x := &t.Nodes[i]
		if i >= inside && len(folded) > 0 && x.Leaf == aggregate.None &&
			slices.Contains(folded, Key(x)) {
			r.fold[i], inside = true, i+int(x.Size)
			n, hidden = n+1, hidden+int(x.To-x.From)
		}
	}
	switch {
	case n == 0:
	case hidden == t.Leaves:
		fold = height / float32(n)
	default:
		fold = min(fold, height/2/float32(n))
	}
	r.stack(t, (height-fold*float32(n))/float32(max(t.Leaves-hidden, 1)), fold)
	r.divide(t, 0, least)
	return r
}

// stack gives each leaf its place.
func (r *rows) stack(t *aggregate.Tree, each, fold float32) {
	in := make([]float32, t.Leaves)
	for i := range in {
		in[i] = each
	}
	for i, f := range r.fold {
		if f {
			at := leaves(t, i)
			for k := at[0]; k < at[1]; k++ {
				in[k] = fold / float32(at[1]-at[0])
			}
		}
	}
	y := 0.0 // 24 bits would be a pixel off after some 10,000 rows
	for k := range in {
		r.top[k] = float32(y)
		y += float64(in[k])
	}
	r.top[t.Leaves] = float32(y)
}

// height returns how high some leaves are together.
func (r *rows) height(leaves [2]int) float32 { return r.top[leaves[1]] - r.top[leaves[0]] }

// divide finds the bands below a node: runs of neighbouring children that are too low, of which
// each stands for itself if it is alone.
func (r *rows) divide(t *aggregate.Tree, node int, least float32) {
	if len(t.Nodes) == 0 {
		return
	}
	if r.fold[node] {
		r.bands = append(r.bands, band{node, leaves(t, node)})
		return
	}
	var run []int
	flush := func() {
		switch {
		case len(run) == 1 && t.Nodes[run[0]].Leaf == aggregate.None:
			r.bands = append(r.bands, band{run[0], leaves(t, run[0])})
		case len(run) > 1:
			r.bands = append(r.bands,
				band{node, [2]int{leaves(t, run[0])[0], leaves(t, run[len(run)-1])[1]}})
		}
		run = run[:0]
	}
	for _, c := range children(t, node) {
		if r.height(leaves(t, c)) < least {
			run = append(run, c)
			continue
		}
		flush()
		r.divide(t, c, least)
	}
	flush()
}
