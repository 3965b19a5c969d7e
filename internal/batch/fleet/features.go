package fleet

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"diptych/internal/batch"
)

// What makes two pairs alike: that the same functions take longer or shorter, at the same times. So
// a pair is a list of numbers, all of them shares of its longer run and so of one scale:
//
//	by how much each of the functions changes whose change varies most over the pairs
//	by how much B falls behind A in each fortieth of the time
//	the share of the calls that have no equal on the other side
//
// Shares of the run, and not of the pair's difference, since those of a small difference are
// chance. Principal components make eight numbers of them, which keep the distances nearly as they
// are.
const (
	mostFeatures = 32 // functions
	parts        = 40 // of the time
	bucketsOf    = batch.Buckets / parts
	enoughOf     = .999 // of the variance
)

// findSpreads finds median and spread of each function over the pairs.
func (r *reading) findSpreads() {
	list := make([]float64, len(r.longer))
	for _, f := range r.order {
		f.shares(r, list)
		f.median, f.spread = medianAndSpread(list)
		f.apart = 0
		for _, d := range list { // which are |x − median| by now
			f.apart += d
		}
	}
}

// findFeatures makes the numbers of each pair.
func (r *reading) findFeatures() *mat.Dense {
	order := slices.DeleteFunc(slices.Clone(r.order), func(f *sampled) bool { return !r.compares(f) })
	slices.SortStableFunc(order, func(x, y *sampled) int { return cmp.Compare(y.apart, x.apart) })
	order = order[:min(len(order), mostFeatures)]
	table := mat.NewDense(len(r.longer), len(order)+parts+1, nil)
	list := make([]float64, len(r.longer))
	for c, f := range order {
		f.shares(r, list)
		table.SetCol(c, list)
	}
	for k := range r.longer {
		row := table.RawRowView(k)
		for b, lag := range r.timeline.values(Lag, k) {
			row[len(order)+b/bucketsOf] += lag / batch.Buckets
		}
		row[len(row)-1] = 1 - r.fleet.Pairs[r.fleet.Compared[k]].Similarity
	}
	return table
}

// reduce returns the first principal components of the rows of a table.
func reduce(table *mat.Dense) []point {
	n, d := table.Dims()
	points := make([]point, n)
	var pc stat.PC
	if n < 2 || !pc.PrincipalComponents(table, nil) {
		return points // all in one place
	}
	var vectors mat.Dense
	pc.VectorsTo(&vectors)
	variance := pc.VarsTo(nil)
	total, sum := 0.0, 0.0
	for _, v := range variance {
		total += v
	}
	for c := 0; c < min(components, len(variance)) && sum < enoughOf*total; c++ {
		for k := range points {
			for i := range d { // by hand: equal rows are to have equal sums
				points[k][c] += table.At(k, i) * vectors.At(i, c)
			}
		}
		sum += variance[c]
	}
	return points
}

// findClusters finds which pairs differ in the same way.
func (r *reading) findClusters(ctx context.Context) error {
	r.findSpreads()
	if len(r.longer) == 0 {
		return nil
	}
	points := reduce(r.findFeatures())
	h, err := newHierarchy(ctx, points)
	if err != nil {
		return err
	}
	r.describeClusters(h, points, h.cut())
	return nil
}

// nearestTo returns which of some points is nearest to one: of several the first.
func nearestTo(of *point, points []point, which []int) int {
	best, least := -1, math.Inf(1)
	for _, k := range which {
		if d := points[k].squared(of); d < least {
			best, least = k, d
		}
	}
	return best
}
