package stats

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sort"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// Histogram is how long the calls of one function take, on both sides over the same bins. It counts
// the calls that are in a window, each with its whole duration, recursive ones too.
type Histogram struct {
	ID     uint32
	Window Window
	Bins   []Bin // of rising durations, without gaps; at least one if there are calls
	Sides  [2]Durations
}

// Bin counts the calls with durations from From to To, without To, ns.
type Bin struct {
	From, To int64
	Calls    [2]int
}

// Durations sum up the durations of one side's calls, ns. Without calls all are 0.
type Durations struct {
	Calls       int
	Least, Most int64
	Median, P95 int64
}

// mostBins is how many bins a histogram has at most.
const mostBins = 40

// Measure makes the histogram of the function with identity id. It holds the durations of all
// its calls in the window while it runs, 8 bytes each.
func Measure(ctx context.Context, p *pair.Pair, id uint32, w Window,
	report progress.Func) (*Histogram, error) {
	h := &Histogram{ID: id, Window: w}
	var durations [2][]int64
	err := eachCall(ctx, p, id, &w, report, func(side pair.Side, th *trace.Thread, _, i int) {
		durations[side] = append(durations[side], th.Dur(i))
	})
	if err != nil {
		return nil, err
	}
	for side, ns := range durations {
		slices.Sort(ns)
		h.Sides[side] = sumUp(ns)
	}
	h.Bins = binsFor(least(h.Sides), max(h.Sides[0].Most, h.Sides[1].Most))
	if h.Sides[0].Calls+h.Sides[1].Calls == 0 {
		h.Bins = nil
	}
	for k := range h.Bins {
		for side, ns := range durations {
			h.Bins[k].Calls[side] = below(ns, h.Bins[k].To) - below(ns, h.Bins[k].From)
		}
	}
	return h, nil
}

// least returns the shortest duration of both sides.
func least(sides [2]Durations) int64 {
	switch {
	case sides[0].Calls == 0:
		return sides[1].Least
	case sides[1].Calls == 0:
		return sides[0].Least
	}
	return min(sides[0].Least, sides[1].Least)
}

// below returns how many of the sorted durations are shorter than ns.
func below(sorted []int64, ns int64) int {
	return sort.Search(len(sorted), func(k int) bool { return sorted[k] >= ns })
}

// sumUp sums up sorted durations. A quantile is the smallest duration that at least that share of
// the calls does not exceed.
func sumUp(sorted []int64) Durations {
	n := len(sorted)
	if n == 0 {
		return Durations{}
	}
	quantile := func(hundredths int) int64 { return sorted[(n*hundredths+99)/100-1] }
	return Durations{Calls: n, Least: sorted[0], Most: sorted[n-1], Median: quantile(50),
		P95: quantile(95)}
}

// perDecade are how many bins there may be to a factor of ten: the most that give no more than
// mostBins are taken.
var perDecade = []int{20, 10, 5, 2, 1}

// binsFor returns bins on a logarithmic axis that hold all durations from least to most. Calls that
// take no time have a bin of their own, [0, 1).
func binsFor(least, most int64) []Bin {
	if most < 1 {
		return []Bin{{From: 0, To: 1}}
	}
	for _, n := range perDecade {
		edges := edgesFor(max(least, 1), most, n)
		if least <= 0 {
			edges = slices.Insert(edges, 0, 0)
		}
		if len(edges) > mostBins+1 && n > 1 {
			continue
		}
		var bins []Bin
		for k := range edges[1:] {
			bins = append(bins, Bin{From: edges[k], To: edges[k+1]})
		}
		return bins
	}
	return nil
}

// edgesFor returns whole numbers near powers of ten^(1/n), each once: the first is at most least,
// the last above most. If the power above most is no int64, the last is the largest of these.
func edgesFor(least, most int64, n int) []int64 {
	edge := func(k int) int64 {
		if e := math.Round(math.Pow(10, float64(k)/float64(n))); e < math.MaxInt64 {
			return int64(e)
		}
		return math.MaxInt64
	}
	k := int(math.Floor(math.Log10(float64(least)) * float64(n)))
	for k > 0 && edge(k) > least {
		k--
	}
	edges := []int64{edge(k)}
	for k++; edges[len(edges)-1] <= most && edges[len(edges)-1] < math.MaxInt64; k++ {
		if e := edge(k); e > edges[len(edges)-1] {
			edges = append(edges, e)
		}
	}
	for len(edges) > 2 && edges[1] <= least { // rounding may have left an empty bin
		edges = edges[1:]
	}
	return edges
}

// Call is a call with its duration, ns.
type Call struct {
	Side pair.Side
	Ref  trace.CallRef
	Ns   int64
}

// Calls returns the calls of a function in a window whose durations are in a bin, the longest
// first, at most so many, and how many there are.
func Calls(ctx context.Context, p *pair.Pair, id uint32, w Window, bin Bin, most int,
	report progress.Func) (list []Call, all int, err error) {
	err = eachCall(ctx, p, id, &w, report, func(side pair.Side, th *trace.Thread, thread, i int) {
		ns := th.Dur(i)
		if ns < bin.From || ns >= bin.To {
			return
		}
		all++
		ref := trace.CallRef{Thread: int32(thread), Call: int32(i)}
		if list = append(list, Call{side, ref, ns}); len(list) >= 2*most {
			list = longest(list, most)
		}
	})
	return longest(list, most), all, err
}

// longest sorts calls by duration, side and place, and keeps the first n.
func longest(list []Call, n int) []Call {
	slices.SortStableFunc(list, func(x, y Call) int {
		return cmp.Or(cmp.Compare(y.Ns, x.Ns), cmp.Compare(x.Side, y.Side))
	})
	return list[:min(n, len(list))]
}

// eachCall visits the calls of a function that are in a window.
func eachCall(ctx context.Context, p *pair.Pair, id uint32, w *Window, report progress.Func,
	visit func(side pair.Side, th *trace.Thread, thread, call int)) error {
	return eachThread(ctx, p, w, report, func(side pair.Side) func(*trace.Thread, int) error {
		ids := p.IDs(side)
		return func(th *trace.Thread, thread int) error {
			return each(ctx, th, w.Ranges[side], func(i int) {
				if ids[th.Fn[i]] == id {
					visit(side, th, thread, i)
				}
			})
		}
	})
}
