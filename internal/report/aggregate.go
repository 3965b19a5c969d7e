package report

import (
	"diptych/internal/aggregate"
	"diptych/internal/pair"
)

// Aggregate is the JSON object of `diptych aggregate`. What is not known of one trace is null.
type Aggregate struct {
	Slices   int      `json:"slices"`
	Borders  []int64  `json:"borders"`  // ns in A; slice i is [borders[i], borders[i+1])
	BordersB []int64  `json:"bordersB"` // ns in B
	States   []string `json:"states"`
	Operator string   `json:"operator"`
	By       string   `json:"by"` // thread or structure
	Tree     struct {
		A          []AggregateNode `json:"a"`
		B          []AggregateNode `json:"b"`
		Difference []AggregateNode `json:"difference"`
	} `json:"tree"`

	// Curve is that of A, or of A and B under the same p: the means of gain and loss, the sum of
	// aggregates. DifferenceCurve is that of the difference.
	Curve           []AggregatePoint    `json:"curve"`
	DifferenceCurve []AggregatePoint    `json:"differenceCurve"`
	CurveComplete   bool                `json:"curveComplete"` // of both curves
	A               *AggregatePartition `json:"a"`
	B               *AggregatePartition `json:"b"`
	Difference      *AggregatePartition `json:"difference"`
	ElapsedNs       Elapsed             `json:"elapsedNs"`
}

// AggregateNode is a node of a resource tree, depth first.
type AggregateNode struct {
	Node   []string `json:"node"`   // names below the root
	Parent int32    `json:"parent"` // index or −1
	Leaf   *string  `json:"leaf"`   // thread id or function
}

// AggregatePoint is what is optimal for p, and between from and to.
type AggregatePoint struct {
	P          float64 `json:"p"`
	From       float64 `json:"from"`
	To         float64 `json:"to"`
	Gain       float64 `json:"gain"`
	Loss       float64 `json:"loss"`
	Aggregates int     `json:"aggregates"`
}

// AggregatePartition is an optimal partition.
type AggregatePartition struct {
	P          float64         `json:"p"`
	Gain       float64         `json:"gain"`
	Loss       float64         `json:"loss"`
	Aggregates []AggregateArea `json:"aggregates"`
}

// AggregateArea is an aggregate: a node and slices, both included. Shares are the mean values of
// the states that are not 0; in a difference positive is more in A.
type AggregateArea struct {
	Node   int                `json:"node"`
	From   int                `json:"from"`
	To     int                `json:"to"`
	Mode   *string            `json:"mode"` // the state with the largest share; null without any
	Share  float64            `json:"share"`
	Shares map[string]float64 `json:"shares"`
}

// NewAggregate describes models, without curves and partitions. LeafName returns the thread id or
// the function that a leaf's origin (Models.Threads, Models.Places, Difference.Of) stands for.
func NewAggregate(m *aggregate.Models, d *aggregate.Difference, op aggregate.Operator, by string,
	leafName func(s pair.Side, of int) string) *Aggregate {
	a := m.Sides[pair.A]
	out := &Aggregate{Slices: a.Slices(), Borders: a.Borders, States: a.States(),
		Operator: op.String(), By: by}
	if out.States == nil {
		out.States = []string{}
	}
	of := m.Leaves(pair.A)
	out.Tree.A = aggregateTree(a.Tree(), func(i int) string { return leafName(pair.A, of[i]) })
	if d != nil {
		b, ofB := m.Sides[pair.B], m.Leaves(pair.B)
		out.BordersB = b.Borders
		out.Tree.B = aggregateTree(b.Tree(),
			func(i int) string { return leafName(pair.B, ofB[i]) })
		out.Tree.Difference = aggregateTree(d.Tree(), func(i int) string {
			s, origin := m.Origin(d, i)
			return leafName(s, origin)
		})
	}
	return out
}

func aggregateTree(t *aggregate.Tree, leaf func(i int) string) []AggregateNode {
	out := make([]AggregateNode, len(t.Nodes))
	for i, n := range t.Nodes {
		out[i] = AggregateNode{Node: n.Path, Parent: n.Parent}
		if n.Path == nil {
			out[i].Node = []string{}
		}
		if n.Leaf >= 0 {
			name := leaf(int(n.Leaf))
			out[i].Leaf = &name
		}
	}
	return out
}

// AggregatePoints describes a curve.
func AggregatePoints(list []aggregate.Point) []AggregatePoint {
	out := make([]AggregatePoint, len(list))
	for i, x := range list {
		out[i] = AggregatePoint{x.P, x.From, x.To, x.Gain, x.Loss, x.Aggregates}
	}
	return out
}

// NewAggregatePartition describes a partition of a source.
func NewAggregatePartition(s aggregate.Source, p *aggregate.Partition) *AggregatePartition {
	out := &AggregatePartition{P: p.P, Gain: p.Gain, Loss: p.Loss, Aggregates: []AggregateArea{}}
	states := s.States()
	shares := make([]float64, len(states))
	for _, a := range p.Aggregates {
		area := AggregateArea{Node: a.Node, From: a.From, To: a.To, Shares: map[string]float64{}}
		if mode := a.Shares(s, shares); mode >= 0 {
			area.Mode, area.Share = &states[mode], shares[mode]
		}
		for k, v := range shares {
			if v != 0 {
				area.Shares[states[k]] = v
			}
		}
		out.Aggregates = append(out.Aggregates, area)
	}
	return out
}
