//go:build !goexperiment.simd || !amd64

package finding

// The kernels leave all pairs to pairmath.go.

func splitTimesAtOnce(_, _ []float64, _ []uint64) int { return 0 }

func ratioLogsAtOnce(_, _, _ []float64, _, _ float64) int { return 0 }

func geometricMeansAtOnce(_, _, _ []float64) int { return 0 }

func votesOfAtOnce(_, _, _, _ []float64, _ float64) int { return 0 }

func paceSumsAtOnce(_ *paceSums, _, _ []float64, _ *[nearPace]float64) int { return 0 }

func distancesAtOnce(_ []float64, _ float64) int { return 0 }

func spreadClassesAtOnce(_ []int64, _ *stillness, _, _, _ []float64, _ float64) int { return 0 }

func (w *scales) weighAtOnce(_ *pairWeights, _ *pairSums, _, _, _ []float64) int { return 0 }

func countBeforeAtOnce(_ []int32, _ int32) int { return 0 }

func countAroundAtOnce(_, _ []float64, _, _ float64) (done, below, atLow, atHigh, between int) {
	return 0, 0, 0, 0, 0
}
