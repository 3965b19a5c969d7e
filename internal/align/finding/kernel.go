package finding

import "math"

// What is done alike to every pair of calls: with vector instructions where the processor has them
// (kernel_simd.go), and else as here. Both give the same bits.

// plainSplitTimes takes the times of pairs out of their words.
func plainSplitTimes(a, b []float64, pairs []uint32) {
	for p := range a {
		of := pairs[timedWords*p:][:timedWords]
		a[p], b[p] = float64(of[0]), float64(of[1])
	}
}

// plainLogRatios takes the logarithms of the ratios of times at a pace. A tick of the clock is
// added to both, so that calls of none have a ratio.
func plainLogRatios(off, a, b []float64, pace, tick float64) {
	for p := range off {
		off[p] = math.Log((b[p] + tick) / (pace*a[p] + tick))
	}
}
