package aggregate

import (
	"context"
	"math"
	"sync"
)

// Operator says how the values of an aggregate's cells become one value.
type Operator uint8

const (
	Sum  Operator = iota
	Mean          // the reading of the paper of 2014
)

func (o Operator) String() string { return [...]string{"sum", "mean"}[o] }

// ParseOperator returns the operator of a name.
func ParseOperator(name string) (Operator, bool) {
	for o := Sum; o <= Mean; o++ {
		if o.String() == name {
			return o, true
		}
	}
	return 0, false
}

// Quality holds gain and loss of all possible aggregates of a source. For node h, slices i to j and
// n cells, with S_k = Σ v_k:
//
//	gain = Σ_k (S_k log2 S_k − Σ v_k log2 v_k)    loss = Σ_k S_k log2 n − gain
//
// both divided by those of the root over all slices, and 0 where these are 0. The operator Mean has
// S_k/n for S_k in the gain. See column for memory and time.
//
// A Quality never changes once it is measured.
type Quality struct {
	tree    *Tree
	slices  int
	op      Operator
	at      triangle
	all     []uint16  // the slices
	ones    []int32   // as many ones
	columns []*column // by node; nil for nodes without any value but 0
	logs    []float64 // by number of slices: its logarithm
	scale   struct{ gain, loss float64 }
	pool    *sync.Pool // of *best
	// Of *recovery, shared with parts.
	recoveries *sync.Pool
}

// triangle gives the place of slices i to j in an array of all pairs: at[i]+j.
type triangle []int

func newTriangle(slices int) triangle {
	at := make(triangle, slices)
	for i := range at {
		at[i] = rowOf(i, slices)
	}
	return at
}

// rowOf returns where the pairs that begin with the i-th of n slices are among all pairs: that of i
// and j is at rowOf(i, n) + j.
func rowOf(i, n int) int { return i*n - i*(i-1)/2 - i }

func (t triangle) len() int { return len(t) * (len(t) + 1) / 2 }

// Measure finds gain and loss of all possible aggregates.
func Measure(ctx context.Context, s Source, op Operator) (*Quality, error) {
	q := &Quality{tree: s.Tree(), slices: s.Slices(), op: op, at: newTriangle(s.Slices()),
		logs: make([]float64, s.Slices()+1, s.Slices()+1+lanes)}
	for i := range q.slices {
		q.all, q.ones = append(q.all, uint16(i)), append(q.ones, 1)
	}
	for i := range q.logs[1:] {
		q.logs[i+1] = math.Log(float64(i + 1))
	}
	q.pool = &sync.Pool{New: func() any { return newBest(q.slices) }}
	q.recoveries = &sync.Pool{New: func() any { return new(recovery) }}
	var err error
	if q.columns, err = measure(ctx, s); err != nil {
		return nil, err
	}
	q.normalise()
	return q, nil
}

// negligible is what rounding leaves of a gain or loss that is 0, as a share of their sum.
const negligible = 1e-12

// normalise finds the scale from gain and loss of the root over all slices.
func (q *Quality) normalise() {
	if len(q.tree.Nodes) == 0 {
		return
	}
	gain, loss := q.raw(0, 0, q.slices-1)
	small := negligible * max(1, math.Abs(gain)+math.Abs(loss))
	scale := func(root float64) float64 {
		if math.Abs(root) > small {
			return 1 / root
		}
		return 0
	}
	q.scale.gain, q.scale.loss = scale(gain), scale(loss)
}

// raw returns gain and loss before they are divided by the root's.
func (q *Quality) raw(node, i, j int) (gain, loss float64) {
	c := q.columns[node]
	if c == nil {
		return 0, 0
	}
	from, to := int(c.first[i]), int(c.first[j+1])
	if from == to {
		return 0, 0
	}
	n, logLeaves := q.leaves(node)
	gain = c.gains(from)[to-1-from]
	loss = (c.mass[to]-c.mass[from])*(logLeaves+q.logs[j-i+1]) - gain
	if q.op == Mean {
		gain = c.mean(from, to, loss, n*float64(j-i+1))
	}
	return gain, loss
}

// leaves returns the number of leaves of a node, and its logarithm.
func (q *Quality) leaves(node int) (n, log float64) {
	n = float64(q.tree.Nodes[node].To - q.tree.Nodes[node].From)
	return n, fastLog(n)
}

// Of returns gain and loss of the aggregate of a node and slices i to j.
func (q *Quality) Of(node, i, j int) (gain, loss float64) {
	gain, loss = q.raw(node, i, j)
	return q.scale.gain * gain, q.scale.loss * loss
}

// Within returns the quality of the part of the source below a node, as Measure does of
// Within(source, node). It measures nothing anew: the columns are shared, and only what they are
// divided by is the node's own gain and loss.
func (q *Quality) Within(node int) *Quality {
	part := *q
	part.tree = q.tree.Sub(node)
	part.columns = q.columns[node : node+int(q.tree.Nodes[node].Size)]
	part.normalise()
	return &part
}
