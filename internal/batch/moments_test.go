package batch

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// TestMomentsArePlain holds moments against their definitions, computed in fractions.
func TestMomentsArePlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOf(rapid.OneOf(rapid.Int64(), rapid.Int64Range(-9, 9))).Draw(t, "numbers")
		var m moments
		var room big.Int
		for k, x := range all {
			m.add(extreme{x, int64(k + 1), "pair"}, &room)
		}
		sum, mean, deviation := plainly(all)
		if m.n != int64(len(all)) || m.total() != sum {
			t.Errorf("%d numbers, sum %d, want %d", m.n, m.total(), sum)
		}
		if m.mean() != mean || m.deviation() != deviation {
			t.Errorf("mean %v ± %v, want %v ± %v", m.mean(), m.deviation(), mean, deviation)
		}
		for k, x := range all {
			if x < m.min.value || x > m.max.value || x == m.min.value && k+1 < int(m.min.number) ||
				x == m.max.value && k+1 < int(m.max.number) {
				t.Errorf("number %d is %d: extremes %v and %v", k+1, x, m.min, m.max)
			}
		}
	})
}

// plainly returns the sum, the mean and the standard deviation of a sample.
func plainly(all []int64) (sum int64, mean, deviation float64) {
	if len(all) == 0 {
		return 0, 0, 0
	}
	whole, n := new(big.Rat), new(big.Rat).SetInt64(int64(len(all)))
	for _, x := range all {
		whole.Add(whole, new(big.Rat).SetInt64(x))
	}
	middle := new(big.Rat).Quo(whole, n)
	squares := new(big.Rat)
	for _, x := range all {
		d := new(big.Rat).Sub(new(big.Rat).SetInt64(x), middle)
		squares.Add(squares, d.Mul(d, d))
	}
	if len(all) > 1 {
		variance, _ := squares.Quo(squares, n.Sub(n, new(big.Rat).SetInt64(1))).Float64()
		deviation = math.Sqrt(variance)
	}
	mean, _ = middle.Float64()
	switch total := whole.Num(); {
	case total.IsInt64():
		sum = total.Int64()
	case total.Sign() < 0:
		sum = math.MinInt64
	default:
		sum = math.MaxInt64
	}
	return sum, mean, deviation
}

func TestPlus(t *testing.T) {
	for _, c := range []struct{ a, b, want int64 }{
		{1, 2, 3}, {math.MaxInt64, 1, math.MaxInt64}, {math.MinInt64, -1, math.MinInt64},
		{math.MinInt64, math.MinInt64, math.MinInt64}, {math.MaxInt64, math.MinInt64, -1},
	} {
		if got := Plus(c.a, c.b); got != c.want {
			t.Errorf("%d + %d = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
