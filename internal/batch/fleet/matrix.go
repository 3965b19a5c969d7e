package fleet

import (
	"context"
	"fmt"

	"diptych/internal/aggregate"
	"diptych/internal/batch"
	"diptych/internal/pair"
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

func (q Quantity) String() string { return [...]string{"dissimilarity", "lag", "waiting"}[q] }

// Matrix is how all pairs that could be compared differ along their time: a row for each, a column
// for each bucket.
type Matrix struct {
	// Pairs are indices into Fleet.Pairs, by row. Pairs of a cluster are neighbours, the largest
	// cluster comes first, and within it what is alike is near.
	Pairs []int
	// Tree has the rows as leaves: below the root the clusters, in them what is alike.
	Tree *aggregate.Tree
	of   []int // by row: the index into Fleet.Compared
	*timeline
}

// Rows returns how many rows there are.
func (m *Matrix) Rows() int { return len(m.Pairs) }

// Row returns the values of a row, by bucket. They are not to be changed.
func (m *Matrix) Row(q Quantity, row int) []float64 { return m.values(q, m.of[row]) }

// timeline is how pairs differ along their time, by index into Fleet.Compared.
type timeline struct {
	cells [Quantities][]float64 // by index·batch.Buckets + bucket
	at    [2][]int64            // by side, as cells
}

func (t *timeline) values(q Quantity, k int) []float64 {
	return t.cells[q][k*batch.Buckets:][:batch.Buckets]
}

func (t *timeline) reached(s pair.Side, k int) []int64 {
	return t.at[s][k*batch.Buckets:][:batch.Buckets]
}

// readTimeline reads how each pair differs along its time.
func (r *reading) readTimeline(ctx context.Context) error {
	t, n := &r.timeline, len(r.fleet.Compared)*batch.Buckets
	for q := range t.cells {
		t.cells[q] = make([]float64, n)
	}
	for s := range t.at {
		t.at[s] = make([]int64, n)
	}
	var damaged error
	number := func(row *batch.TimelineRow) int64 { return row.Number }
	err := eachRow(ctx, r, "timeline", number, func(k int, row *batch.TimelineRow) {
		switch at := r.row[k]; {
		case row.Bucket < 0 || row.Bucket >= batch.Buckets:
			damaged = fmt.Errorf("table timeline: pair %d has bucket %d; there are %d", k+1, row.Bucket,
				batch.Buckets)
		case !finite(row.Dissimilarity, row.WaitA, row.WaitB):
			damaged = fmt.Errorf("table timeline: pair %d has a share that is no number", k+1)
		case at >= 0:
			t.take(at*batch.Buckets+int(row.Bucket), row)
		}
	})
	if err != nil {
		return err
	}
	for k, longer := range r.longer {
		t.lag(k, longer/batch.Buckets)
	}
	return damaged
}

// take takes a row, of which skew is made lag later.
func (t *timeline) take(cell int, row *batch.TimelineRow) {
	t.cells[Dissimilarity][cell] = row.Dissimilarity
	t.cells[Lag][cell] = float64(row.SkewNs)
	t.cells[Waiting][cell] = row.WaitB - row.WaitA
	t.at[pair.A][cell], t.at[pair.B][cell] = row.AtANs, row.AtBNs
}

// lag makes lag of the skew of a pair whose buckets have some length.
func (t *timeline) lag(k int, bucket float64) {
	before := 0.0
	row := t.values(Lag, k)
	for b, skew := range row {
		row[b], before = (before-skew)/bucket, skew
	}
}

// layOutMatrix puts the pairs into rows.
func (r *reading) layOutMatrix(context.Context) error {
	m := &Matrix{timeline: &r.timeline}
	var places []aggregate.Place
	var of []int
	for _, l := range r.leaves {
		places, of = append(places, l.Place), append(of, l.row)
	}
	tree, order := aggregate.NewTree(places)
	m.Tree = tree
	for _, k := range order {
		m.of = append(m.of, of[k])
		m.Pairs = append(m.Pairs, r.fleet.Compared[of[k]])
	}
	r.fleet.Matrix = m
	return nil
}
