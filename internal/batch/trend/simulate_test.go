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

// describedHistory describes one history of many functions.
func describedHistory(t *testing.T, functions int, series func(k int) []float64) []*shape {
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

func family(t *testing.T, n, functions int, series func(k int) []float64) (shapes []*shape, told [][]step) {
	shapes = describedHistory(t, functions, series)
	for _, s := range shapes {
		told = append(told, s.Steps)
	}
	return shapes, told
}

func noisy(r *rand.Rand, n int, sigma float64, noise func(*rand.Rand) float64) []float64 {
	x := make([]float64, n)
	for k := range x {
		x[k] = sigma * noise(r)
	}
	return x
}

// TestNoiseIsNoChange: of histories in which nothing changes, few have any change, whatever their
// noise looks like.
func TestNoiseIsNoChange(t *testing.T) {
	histories := testtrace.Sized(4, 60)
	for _, noise := range noises {
		for _, n := range []int{20, 60} {
			r := rand.New(rand.NewPCG(1, uint64(n)))
			wrong, raw := 0, 0
			for range histories {
				shapes, told := family(t, n, 100, func(int) []float64 { return noisy(r, n, .05, noise.of) })
				for k := range told {
					wrong += len(told[k])
					if len(shapes[k].Steps) > 0 {
						raw++
					}
				}
			}
			t.Logf("%-12s %3d commits: %d of %d series have a step at 5 %%, %d after allowing for all",
				noise.name, n, raw, histories*100, wrong)
		}
	}
}

// TestStepsAreFound: recall and false changes by size of the step.
func TestStepsAreFound(t *testing.T) {
	histories := testtrace.Sized(1, 20)
	for _, noise := range noises {
		for _, n := range []int{20, 60} {
			for _, factor := range []float64{1.05, 1.1, 1.2, 1.5} {
				r := rand.New(rand.NewPCG(2, uint64(n)))
				found, exact, wrong, steps := 0, 0, 0, 0
				for range histories {
					at := map[int]int{}
					_, told := family(t, n, 100, func(k int) []float64 {
						x := noisy(r, n, .05, noise.of)
						if k%10 == 0 {
							at[k] = 4 + r.IntN(n-8)
							for i := at[k]; i < n; i++ {
								x[i] += math.Log(factor)
							}
						}
						return x
					})
					steps += len(at)
					for k, list := range told {
						hit := false
						for _, s := range list {
							off := s.At - at[k]
							if at[k] == 0 || off < -2 || off > 2 || hit {
								wrong++
								continue
							}
							hit = true
							found++
							if off == 0 {
								exact++
							}
						}
					}
				}
				t.Logf("%-12s %3d commits, step %2.0f %%: found %3d of %d, %d exactly, %d wrong", noise.name, n,
					100*(factor-1), found, steps, exact, wrong)
			}
		}
	}
}

// TestDriftAndOutliers
func TestDriftAndOutliers(t *testing.T) {
	for _, noise := range noises {
		for _, n := range []int{20, 60} {
			r := rand.New(rand.NewPCG(3, uint64(n)))
			drifts, steps, outlierSteps := 0, 0, 0
			shapes, told := family(t, n, 200, func(int) []float64 {
				x := noisy(r, n, .05, noise.of)
				for k := range x {
					x[k] += .3 * float64(k) / float64(n)
				}
				return x
			})
			for k := range told {
				steps += len(told[k])
				if shapes[k].Drift != nil {
					drifts++
				}
			}
			_, told = family(t, n, 200, func(int) []float64 {
				x := noisy(r, n, .05, noise.of)
				for range n / 10 {
					x[r.IntN(n)] += math.Log(2)
				}
				return x
			})
			for k := range told {
				outlierSteps += len(told[k])
			}
			t.Logf("%-12s %3d commits: drift 30 %%: %d drifts, %d steps of 200; outliers: %d steps", noise.name, n, drifts, steps, outlierSteps)
		}
	}
}
