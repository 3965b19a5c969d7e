package trend

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// plainSegment is the optimal partition by its definition (Jackson et al. 2005): every beginning of
// every last segment, and each cost summed anew.
func plainSegment(x []float64, penalty float64, least int) (starts []int, total float64) {
	n := len(x)
	f, last := make([]float64, n+1), make([]int, n+1)
	for t := 1; t <= n; t++ {
		f[t] = math.Inf(1)
		for s := 0; s <= t-least; s++ {
			c := plainCost(x[s:t])
			if s > 0 {
				c += f[s] + penalty
			}
			if c < f[t] {
				f[t], last[t] = c, s
			}
		}
	}
	for t := last[n]; t > 0; t = last[t] {
		starts = append(starts, t)
	}
	slices.Reverse(starts)
	return starts, f[n]
}

func plainCost(x []float64) (sum float64) {
	level := mean(x)
	for _, v := range x {
		sum += (v - level) * (v - level)
	}
	return sum
}

// totalCost is what segments that begin at starts cost.
func totalCost(x []float64, starts []int, penalty float64) float64 {
	total := penalty * float64(len(starts))
	from := 0
	for _, at := range append(slices.Clone(starts), len(x)) {
		total += plainCost(x[from:at])
		from = at
	}
	return total
}

// TestPruningKeepsTheOptimum: PELT's segments cost as much as the best of all, and have their
// length.
func TestPruningKeepsTheOptimum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		least := rapid.IntRange(1, 5).Draw(t, "least")
		n := rapid.IntRange(2*least, 60).Draw(t, "n")
		penalty := rapid.Float64Range(0.01, 30).Draw(t, "penalty")
		level := 0.0
		x := make([]float64, n)
		for k := range x {
			if rapid.IntRange(0, 9).Draw(t, "step") == 0 {
				level = rapid.Float64Range(-8, 8).Draw(t, "level")
			}
			x[k] = level + rapid.Float64Range(-2, 2).Draw(t, "noise")
		}
		starts := segment(x, penalty, least)
		_, want := plainSegment(x, penalty, least)
		if got := totalCost(x, starts, penalty); math.Abs(got-want) > 1e-6*(1+want) {
			t.Fatalf("segments from %v cost %v, the best %v", starts, got, want)
		}
		from := 0
		for _, at := range append(slices.Clone(starts), n) {
			if at-from < least {
				t.Fatalf("a segment of %d values in %v", at-from, starts)
			}
			from = at
		}
	})
}
