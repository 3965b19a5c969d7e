package fleet

import (
	"context"

	"diptych/internal/aggregate"
	"diptych/internal/batch"
)

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

// The optimal partition takes time in proportion to rows × slices³, so many rows have fewer slices.
// Fewer than fewestSlices would say nothing of when.
const (
	mostWork     = 1e9
	fewestSlices = 20
)

// perSlice returns how many buckets a slice of so many rows has.
func perSlice(rows int) (buckets int) {
	for _, buckets = range []int{1, 2, 4, 5, 8, batch.Buckets / fewestSlices} {
		slices := float64(batch.Buckets / buckets)
		if float64(rows)*slices*slices*slices <= mostWork {
			break
		}
	}
	return buckets
}

// amounts is the matrix with several buckets a slice, as the source of an aggregation: leaves are
// the rows. The engine takes values for amounts, so what has signs is two states, one for either.
type amounts struct {
	tree   *aggregate.Tree
	slices int
	values []float64 // by row, slice and state
}

// amountStates are the states: quantities, and which sign of them.
var amountStates = []struct {
	of   Quantity
	sign float64
	name string
}{{Dissimilarity, 1, "dissimilar"}, {Lag, 1, "B falls behind"}, {Lag, -1, "B catches up"},
	{Waiting, 1, "B waits more"}, {Waiting, -1, "B waits less"}}

// background is added to all amounts. To an information, specks of nearly nothing differ as much as
// large ones do; on a ground that is more than they are, they are alike.
const background = .05

func newAmounts(m *Matrix, buckets int) *amounts {
	s := &amounts{tree: m.Tree, slices: batch.Buckets / buckets}
	s.values = make([]float64, m.Rows()*s.slices*len(amountStates))
	for row := range m.Rows() {
		for k, state := range amountStates {
			values := m.Row(state.of, row)
			for slice := range s.slices {
				mean := 0.0
				for _, v := range values[slice*buckets : (slice+1)*buckets] {
					mean += state.sign * v / float64(buckets)
				}
				s.values[s.at(row, slice)+k] = max(mean, 0) + background
			}
		}
	}
	return s
}

func (s *amounts) at(row, slice int) int { return (row*s.slices + slice) * len(amountStates) }

func (s *amounts) Tree() *aggregate.Tree { return s.tree }
func (s *amounts) Slices() int           { return s.slices }

func (s *amounts) States() (names []string) {
	for _, state := range amountStates {
		names = append(names, state.name)
	}
	return names
}

func (s *amounts) Row(leaf int, row []float64) { copy(row, s.values[s.at(leaf, 0):s.at(leaf+1, 0)]) }

func (s *amounts) Add(leaf, from, to int, sum []float64) {
	for k, v := range s.values[s.at(leaf, from):s.at(leaf, to+1)] {
		sum[k%len(sum)] += v
	}
}

// partition finds the areas of the matrix.
func (r *reading) partition(ctx context.Context) error {
	m := r.fleet.Matrix
	p := &Partition{PerSlice: perSlice(m.Rows())}
	r.fleet.Partition = p
	if m.Rows() == 0 {
		return nil
	}
	q, err := aggregate.Measure(ctx, newAmounts(m, p.PerSlice), aggregate.Sum)
	if err != nil {
		return err
	}
	c, err := aggregate.NewCurve(ctx, q)
	if err != nil {
		return err
	}
	best, err := c.Nearest(ctx)
	if err != nil {
		return err
	}
	p.P, p.Gain, p.Loss, p.Curve = best.P, best.Gain, best.Loss, c.Points()
	for _, a := range best.Partitions[0].Aggregates {
		n := m.Tree.Nodes[a.Node]
		p.Areas = append(p.Areas, m.area(int(n.From), int(n.To), a.From*p.PerSlice, (a.To+1)*p.PerSlice))
	}
	return nil
}

// area returns the mean values of a rectangle.
func (m *Matrix) area(fromRow, toRow, fromBucket, toBucket int) Area {
	a := Area{FromRow: fromRow, ToRow: toRow, FromBucket: fromBucket, ToBucket: toBucket}
	cells := float64((toRow - fromRow) * (toBucket - fromBucket))
	for q := range Quantities {
		for row := fromRow; row < toRow; row++ {
			for _, v := range m.Row(q, row)[fromBucket:toBucket] {
				a.Mean[q] += v / cells
			}
		}
	}
	return a
}
