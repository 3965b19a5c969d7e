package runs

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Estimate is a value with an interval that holds the true one with the probability Level.
type Estimate struct{ Value, Low, High, Level float64 }

// shift returns by how much B's values are larger than A's: the median of all differences of a B
// and an A, with the interval that belongs to the test of Mann and Whitney (Hodges and Lehmann
// 1963). The interval holds the shifts at which the test would find no difference between A moved
// by them and B. With too few runs for the level it holds all differences and has a lower one.
func (l *law) shift(a, b []float64, level float64) Estimate {
	return l.estimate(pairwise(a, b, func(x, y float64) float64 { return y - x }), level)
}

// ratio returns how many times as large B's values are, from the logarithms of all ratios. It is
// +Inf where only B has any, NaN where neither side has.
func (l *law) ratio(a, b []float64, level float64) Estimate {
	e := l.estimate(pairwise(a, b, func(x, y float64) float64 {
		if x == y { // also 0 and 0
			return 0
		}
		return math.Log(y / x)
	}), level)
	if slices.Max(a) == 0 && slices.Max(b) == 0 {
		return Estimate{math.NaN(), math.NaN(), math.NaN(), e.Level}
	}
	return Estimate{math.Exp(e.Value), math.Exp(e.Low), math.Exp(e.High), e.Level}
}

func pairwise(a, b []float64, of func(x, y float64) float64) []float64 {
	list := make([]float64, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			list = append(list, of(x, y))
		}
	}
	slices.Sort(list)
	return list
}

func (l *law) estimate(sorted []float64, level float64) Estimate {
	bound, has := l.tail(level)
	bound = max(bound, 1)
	return Estimate{middle(sorted), sorted[bound-1], sorted[len(sorted)-bound], has}
}

// middle returns the median of sorted values, some of which may be infinite. Halfway between −∞ and
// a number is −∞, as halfway between a number and +∞ is +∞.
func middle(sorted []float64) float64 {
	n := len(sorted)
	low, high := sorted[(n-1)/2], sorted[n/2]
	if low == high || math.IsInf(low, -1) {
		return low
	}
	return low + (high-low)/2
}

// Floor is by how much two runs of one side differ, as far as they go without a change. Times of
// some µs and of some seconds both vary by a share of themselves, so it is a ratio where every run
// has the place, and else a difference.
type Floor struct {
	Typical  float64 // the median over all pairs of runs of one side
	Widest   float64 // the largest
	Relative bool    // ratios of the larger over the smaller, at least 1; not differences
}

// floorOf returns the floor of the side that varies more.
func floorOf(sides [2][]float64) Floor {
	f := Floor{Relative: min(slices.Min(sides[0]), slices.Min(sides[1])) > 0}
	if f.Relative {
		f.Typical, f.Widest = 1, 1
	}
	for _, values := range sides {
		var apart []float64
		for i, x := range values {
			for _, y := range values[:i] {
				apart = append(apart, f.between(x, y))
			}
		}
		if len(apart) > 0 {
			slices.Sort(apart)
			f.Typical = max(f.Typical, stat.Quantile(0.5, stat.Empirical, apart, nil))
			f.Widest = max(f.Widest, apart[len(apart)-1])
		}
	}
	return f
}

// between returns how far apart two values are, in the floor's terms.
func (f Floor) between(x, y float64) float64 {
	if f.Relative {
		return max(x/y, y/x)
	}
	return math.Abs(x - y)
}

// reached reports whether a change is as large as two runs of one side typically differ.
func (f Floor) reached(c *Change) bool { return f.size(c) >= f.Typical }

// passed reports whether a change is so many times as large as any two runs of one side differ: on
// the scale of logarithms where the floor is a ratio.
func (f Floor) passed(c *Change, times float64) bool {
	if f.Relative {
		return f.size(c) > math.Pow(f.Widest, times)
	}
	return f.size(c) > times*f.Widest
}

func (f Floor) size(c *Change) float64 {
	if f.Relative {
		return max(c.Ratio.Value, 1/c.Ratio.Value)
	}
	return math.Abs(c.Delta.Value)
}

// Adjust returns the q of each p, allowing for all that were tested: if all changes are claimed
// whose q is at most 5 %, then on average at most 5 % of the claims are false (Benjamini and
// Hochberg 1995). The k-th smallest of K p has the q p·K/k, or that of a larger p if that is less.
func Adjust(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(x, y int) int { return cmp.Compare(p[y], p[x]) })
	q, least := make([]float64, len(p)), 1.0
	for i, at := range order {
		least = min(least, p[at]*float64(len(p))/float64(len(p)-i))
		q[at] = least
	}
	return q
}
