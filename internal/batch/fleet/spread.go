package fleet

import (
	"math"
	"slices"
)

// quantile returns a quantile of sorted values, interpolated between neighbours (R's type 7); 0 of
// none.
func quantile(p float64, sorted []float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	h := p * float64(len(sorted)-1)
	k := min(int(h), len(sorted)-1)
	next := min(k+1, len(sorted)-1)
	return sorted[k] + (h-float64(k))*(sorted[next]-sorted[k])
}

// median returns the median of values, which it sorts.
func median(values []float64) float64 {
	slices.Sort(values)
	return quantile(.5, values)
}

// medianAndSpread returns the median m of values, and the median of |x − m|. It changes values.
func medianAndSpread(values []float64) (m, spread float64) {
	m = median(values)
	for k, x := range values {
		values[k] = math.Abs(x - m)
	}
	return m, median(values)
}

// whole rounds a number of ns.
func whole(ns float64) int64 { return int64(math.Round(ns)) }

// finite reports whether all values are numbers. Another one would spoil every sum and distance.
func finite(values ...float64) bool {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
