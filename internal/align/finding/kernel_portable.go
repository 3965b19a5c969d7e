//go:build !goexperiment.simd || !amd64

package finding

func splitTimes(a, b []float64, pairs []uint32) { plainSplitTimes(a, b, pairs) }

func logRatios(off, a, b []float64, pace, tick float64) { plainLogRatios(off, a, b, pace, tick) }
