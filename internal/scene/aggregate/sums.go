package aggregate

import (
	"diptych/internal/aggregate"
)

// sums answers what the shares of many leaves over some timeslices are, without going through the
// leaves. It keeps running sums over time for the nodes with enough leaves: a band is a run of
// siblings, so few nodes make up any band.
type sums struct {
	source aggregate.Source
	states int
	// upTo is by node: at [slice*states+state] the sum of a state's values in the slices before,
	// over all leaves below the node. It is nil for nodes with fewer than summed leaves.
	upTo [][]float64
}

// summed is the least number of leaves of a node with sums of its own. More nodes would take more
// memory than they save time.
const summed = 16

// negligible is what rounding leaves of a share that is 0, where values of a difference cancel out.
const negligible = 1e-12

// newSums takes the time of one pass over all values, and (slices+1)·states·8 bytes for each node
// with sums.
func newSums(s aggregate.Source) *sums {
	t, slices := s.Tree(), s.Slices()
	x := &sums{source: s, states: len(s.States()), upTo: make([][]float64, len(t.Nodes))}
	row := make([]float64, slices*x.states)
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.To-n.From >= summed {
			x.upTo[i] = make([]float64, len(row)+x.states)
		}
		if n.Leaf == aggregate.None {
			continue
		}
		at := n.Parent
		for at != aggregate.None && x.upTo[at] == nil {
			at = t.Nodes[at].Parent
		}
		if at != aggregate.None {
			s.Row(int(n.Leaf), row)
			add(x.upTo[at][x.states:], row)
		}
	}
	for i := len(t.Nodes) - 1; i > 0; i-- { // children before their parents
		if x.upTo[i] != nil {
			add(x.upTo[t.Nodes[i].Parent], x.upTo[i])
		}
	}
	for _, sum := range x.upTo {
		for i := x.states; i < len(sum); i++ {
			sum[i] += sum[i-x.states]
		}
	}
	return x
}

func add(sum, more []float64) {
	for i, v := range more {
		sum[i] += v
	}
}

// shares is aggregate.Shares for the leaves of a band, but for rounding.
func (x *sums) shares(b band, from, to int, shares []float64) (mode int) {
	clear(shares)
	nodes := x.source.Tree().Nodes
	for i := b.node; i < len(nodes) && int(nodes[i].From) < b.leaves[1]; {
		n := &nodes[i]
		inside := int(n.From) >= b.leaves[0] && int(n.To) <= b.leaves[1]
		switch {
		case int(n.To) <= b.leaves[0]:
			i += int(n.Size)
		case inside && x.upTo[i] != nil:
			before, after := x.upTo[i][from*x.states:], x.upTo[i][(to+1)*x.states:]
			for k := range shares {
				shares[k] += after[k] - before[k]
			}
			i += int(n.Size)
		case n.Leaf != aggregate.None:
			x.source.Add(int(n.Leaf), from, to, shares)
			i++
		default:
			i++ // its children
		}
	}
	mode = aggregate.None
	most := negligible
	for k := range shares {
		shares[k] /= float64((b.leaves[1] - b.leaves[0]) * (to - from + 1))
		if v := max(shares[k], -shares[k]); v > most {
			mode, most = k, v
		}
	}
	return mode
}
