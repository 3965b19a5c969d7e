package trend

import (
	"math"
	"math/rand/v2"
	"testing"

	"diptych/internal/testtrace"
)

// noises are how values vary around their level, with a standard deviation of 1.
var noises = []struct {
	name string
	of   func(r *rand.Rand) float64
}{
	{"normal", (*rand.Rand).NormFloat64},
	{"heavy tails", func(r *rand.Rand) float64 { // Student's t, 4 degrees of freedom
		sum := 0.0
		for range 4 {
			v := r.NormFloat64()
			sum += v * v
		}
		return r.NormFloat64() / math.Sqrt(sum/4) / math.Sqrt2
	}},
	{"skewed", func(r *rand.Rand) float64 { return r.ExpFloat64() - 1 }},
}

// noisy returns a series without any change.
func noisy(r *rand.Rand, n int, noise func(*rand.Rand) float64) []float64 {
	x := make([]float64, n)
	for k := range x {
		x[k] = sigma * noise(r)
	}
	return x
}

// sigma is the standard deviation of noise in simulated series, as logarithms: 5 %.
const sigma = 0.05

// described describes one history of many functions.
func described(t *testing.T, functions int, series func(k int) []float64) []*shape {
	t.Helper()
	var all [][]float64
	for k := range functions {
		all = append(all, series(k))
	}
	shapes, err := describeAll(t.Context(), all, nil)
	if err != nil {
		t.Fatal(err)
	}
	return shapes
}

// claims counts steps and drifts.
func claims(shapes []*shape) (steps, drifts int) {
	for _, s := range shapes {
		steps += len(s.Steps)
		if s.Drift != nil {
			drifts++
		}
	}
	return steps, drifts
}

// lengths are the numbers of commits that are simulated.
func lengths() []int { return testtrace.Sized([]int{20}, []int{20, 60}) }

// TestNoiseIsNoChange: of histories in which nothing changes, few functions have any change,
// whatever their noise looks like, and also if one commit in ten was twice as slow.
func TestNoiseIsNoChange(t *testing.T) {
	histories := testtrace.Sized(1, 5)
	for _, noise := range noises {
		for _, n := range lengths() {
			for _, outliers := range []int{0, n / 10} {
				r := rand.New(rand.NewPCG(1, uint64(n)))
				wrong := 0
				for range histories {
					steps, drifts := claims(described(t, 50, func(int) []float64 {
						x := noisy(r, n, noise.of)
						for range outliers {
							x[r.IntN(n)] += math.Log(2)
						}
						return x
					}))
					wrong += steps + drifts
				}
				t.Logf("%-11s %d commits, %d outliers: %d claims of %d series", noise.name, n, outliers, wrong,
					50*histories)
				if most := 1 + 50*histories/200; wrong > most {
					t.Errorf("%s: %d claims, at most %d are expected", noise.name, wrong, most)
				}
			}
		}
	}
}

// TestDriftIsNoStaircase: functions that rise by 30 % all the time drift, and few have steps.
func TestDriftIsNoStaircase(t *testing.T) {
	for _, n := range lengths() {
		r := rand.New(rand.NewPCG(3, uint64(n)))
		steps, drifts := claims(described(t, 50, func(int) []float64 {
			x := noisy(r, n, (*rand.Rand).NormFloat64)
			for k := range x {
				x[k] += math.Log(1.3) * float64(k) / float64(n)
			}
			return x
		}))
		t.Logf("%d commits: %d drifts, %d steps", n, drifts, steps)
		if drifts < 35 || steps > 10 {
			t.Errorf("%d commits: %d of 50 drift, with %d steps", n, drifts, steps)
		}
	}
}
