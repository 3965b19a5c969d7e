package fleet

import (
	"diptych/internal/aggregate"
	"diptych/internal/batch"
)

// Quantity is what a cell of the matrix tells.
type Quantity int

const (
	// Dissimilarity is the share of the calls around the bucket that are different or missing on
	// one side, in [0,1].
	Dissimilarity Quantity = iota
	// Lag is how much B falls behind A from the middle of the bucket before to the middle of
	// this one, as a share of a bucket of the longer run; below 0 where B catches up. It is the
	// change of −skew.
	Lag
	// Waiting is the share of B's threads that wait less that of A's, in [−1,1].
	Waiting
	// Quantities is how many there are.
	Quantities
)

// Matrix is how all pairs that could be compared differ along their time: a row for each, a column
// for each bucket.
type Matrix struct {
	// Pairs are indices into Fleet.Pairs, by row. Pairs of a cluster are neighbours, the largest
	// cluster comes first, and within it what is alike is near.
	Pairs []int
	// Tree has the rows as leaves: below the root the clusters, in them what is alike.
	Tree   *aggregate.Tree
	values [Quantities][]float64 // by row·batch.Buckets + bucket
}

// Rows returns how many rows there are.
func (m *Matrix) Rows() int { return len(m.Pairs) }

// Row returns the values of a row, by bucket. They are not to be changed.
func (m *Matrix) Row(q Quantity, row int) []float64 {
	return m.values[q][row*batch.Buckets:][:batch.Buckets]
}

// Partition is the matrix as few areas that are alike within: an optimal partition for the p whose
// gain is nearest to 1 with a loss nearest to 0, of all quantities together.
type Partition struct {
	PerSlice      int // buckets
	P, Gain, Loss float64
	Areas         []Area            // by first row, then by first bucket
	Curve         []aggregate.Point // what is optimal for other p, as far as it was looked for
}

// Area is a rectangle of the matrix: rows [FromRow, ToRow), buckets [FromBucket, ToBucket).
type Area struct {
	FromRow, ToRow       int
	FromBucket, ToBucket int
	Mean                 [Quantities]float64
}
