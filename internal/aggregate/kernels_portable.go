//go:build !goexperiment.simd || !amd64

package aggregate

// The kernels leave all to kernels.go and solver.go.

func (s *solver) wholesAtOnce(_, _, _, _, _ []float64, _, _ float64) bool { return false }

func putAtOnce(_ pick, _ int16, _ *pairs, _, _ []float64, _ []int32, _ []int16) (done, fell bool) {
	return false, false
}

func addFloatsAtOnce(_, _ []float64) int { return 0 }

func addCountsAtOnce(_, _ []int32) int { return 0 }

func nextNear(values, rest []float64, k int, least float64) int {
	return plainNextNear(values, rest, k, least)
}

func addFloatAtOnce(_ []float64, _ float64) int { return 0 }

func addCountAtOnce(_ []int32, _ int32) int { return 0 }
