//go:build !goexperiment.simd || !amd64

package match

// newLaneKernels returns the fastest kernels for this processor.
func newLaneKernels() laneKernels { return laneKernels{countLanes, addMatches, wordsWide} }
