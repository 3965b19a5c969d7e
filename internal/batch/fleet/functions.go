package fleet

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"diptych/internal/batch"
	"diptych/internal/pair"
)

// Tables of functions may have millions of rows, so they are read twice: first to find which
// functions matter, then for their values in each pair. Those matter that differ most over all
// pairs, and those that differ most in some pair, which may be the only one.
const (
	mostFunctions = 256 // of all pairs
	firstOfPair   = 3   // of each pair, if they differ by leastOfPair at least
	leastOfPair   = .005
)

// sampled is a function and what it does in each pair.
type sampled struct {
	Function
	chosen  bool
	cuts    batch.Cuts // of the sums below
	total   [2]float64 // times with callees, and waits in them, of both sides together
	samples []sample   // by number of the pair

	// over the shares of all pairs: see findSpreads
	median, spread, apart float64
}

// The sums of a function.
const (
	changeSum = iota
	selfASum
	selfBSum
	deltaSum
)

// sample is a function's self time in one pair.
type sample struct {
	row int32 // index into Fleet.Compared
	ns  [2]int64
}

func (s *sample) delta() int64 { return s.ns[pair.B] - s.ns[pair.A] }

func numberOf(row *batch.FunctionRow) int64 { return row.Number }

// chooseFunctions finds the functions that matter.
func (r *reading) chooseFunctions(ctx context.Context) error {
	last, rank := -1, 0
	err := eachRow(ctx, r, "functions", numberOf, func(pair int, row *batch.FunctionRow) {
		if r.row[pair] < 0 {
			return
		}
		if rank++; pair != last {
			last, rank = pair, 0
		}
		f := r.functions[row.Function]
		if f == nil {
			f = &sampled{Function: Function{Name: row.Function}}
			r.functions[row.Function] = f
		}
		f.Pairs++
		change := batch.Size(row.DeltaNs)
		f.cuts.Add(changeSum, &f.ChangeNs, change)
		f.chosen = f.chosen || rank < firstOfPair && float64(change) >= leastOfPair*r.longer[r.row[pair]]
	})
	if err != nil {
		return err
	}
	list := make([]*sampled, 0, len(r.functions))
	for _, f := range r.functions {
		list = append(list, f)
	}
	slices.SortFunc(list, byChange)
	for k, f := range list {
		if f.chosen = f.chosen || k < mostFunctions; f.chosen {
			r.order = append(r.order, f)
		}
	}
	r.fleet.Left = len(list) - len(r.order)
	return nil
}

// byChange puts first what differs most over all pairs.
func byChange(x, y *sampled) int {
	return cmp.Or(cmp.Compare(y.ChangeNs, x.ChangeNs), cmp.Compare(x.Name, y.Name))
}

// readFunctions reads what the chosen functions do in each pair, and finds how much the pairs have
// in common.
func (r *reading) readFunctions(ctx context.Context) error {
	all, shared := make([]float64, len(r.longer)), make([]float64, len(r.longer))
	err := eachRow(ctx, r, "functions", numberOf, func(k int, row *batch.FunctionRow) {
		f := r.functions[row.Function]
		if r.row[k] < 0 || f == nil {
			return
		}
		self := float64(row.SelfANs) + float64(row.SelfBNs)
		if all[r.row[k]] += self; r.shared(f) {
			shared[r.row[k]] += self
		}
		if !f.chosen {
			return
		}
		f.samples = append(f.samples, sample{int32(r.row[k]), [2]int64{row.SelfANs, row.SelfBNs}})
		f.total[0] += float64(row.TotalANs) + float64(row.TotalBNs)
		f.total[1] += float64(row.WaitANs) + float64(row.WaitBNs)
	})
	if err == nil {
		r.findCommon(all, shared)
	}
	return err
}

// allWaits is the share of a function's time from which on it does nothing but wait.
const allWaits = .9

// sumFunctions finds the spread of each function.
func (r *reading) sumFunctions(context.Context) error {
	for _, f := range r.order {
		f.Waits = f.total[0] > 0 && f.total[1] >= allWaits*f.total[0]
		r.sumFunction(f)
		r.fleet.TooLarge += f.cuts.Count()
		r.fleet.Functions = append(r.fleet.Functions, f.Function)
	}
	return nil
}

func (r *reading) sumFunction(f *sampled) {
	f.Pairs = len(f.samples)
	values, most := make([]float64, f.Pairs), int64(-1)
	for k := range f.samples {
		s := &f.samples[k]
		delta := s.delta()
		f.cuts.Add(selfASum, &f.SelfNs[pair.A], s.ns[pair.A])
		f.cuts.Add(selfBSum, &f.SelfNs[pair.B], s.ns[pair.B])
		f.cuts.Add(deltaSum, &f.DeltaNs, delta)
		values[k] = float64(delta)
		if size := batch.Size(delta); size > most {
			most, f.Worst = size, r.fleet.Compared[s.row]
		}
	}
	if f.Pairs == 0 {
		return
	}
	if f.MeanNs = values[0]; f.Pairs > 1 {
		f.MeanNs, f.SDNs = stat.MeanStdDev(values, nil)
	}
	slices.Sort(values)
	f.MinNs, f.MaxNs = int64(values[0]), int64(values[len(values)-1])
	f.Q1Ns, f.MedianNs = quantile(.25, values), quantile(.5, values)
	f.Q3Ns = quantile(.75, values)
}

// shares sets list to what part of its longer run each pair spends more in the function on B than
// on A. Pairs that do not have it spend as much on both.
func (f *sampled) shares(r *reading, list []float64) {
	clear(list)
	for k := range f.samples {
		s := &f.samples[k]
		list[s.row] = float64(s.delta()) / r.longer[s.row]
	}
}

// at returns the function's self times in a pair.
func (f *sampled) at(row int) sample {
	k, there := slices.BinarySearchFunc(f.samples, int32(row), func(s sample, row int32) int {
		return cmp.Compare(s.row, row)
	})
	if !there {
		return sample{row: int32(row)}
	}
	return f.samples[k]
}

// medianDelta returns the median over some rows of the function's self time, B − A.
func (f *sampled) medianDelta(r *reading, rows []int) int64 {
	list := make([]float64, len(r.fleet.Compared))
	for k := range f.samples {
		list[f.samples[k].row] = float64(f.samples[k].delta())
	}
	return whole(median(pick(list, rows)))
}

// ratio returns B / A, 0 if A has nothing.
func ratio(ns [2]int64) float64 {
	if ns[pair.A] <= 0 {
		return 0
	}
	return math.Max(float64(ns[pair.B])/float64(ns[pair.A]), 0)
}
