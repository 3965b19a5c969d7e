//go:build goexperiment.simd && amd64

package match

import "simd/archsimd"

// newLaneKernels returns the fastest kernels for this processor.
func newLaneKernels() laneKernels {
	switch {
	case archsimd.X86.AVX512():
		return laneKernels{countLanes512, addMatches512, wideKernel{countWide512, addWide512}}
	case archsimd.X86.AVX2():
		return laneKernels{countLanes256, addMatches256, wideKernel{countWide256, addWide256}}
	}
	return laneKernels{countLanes, addMatches, wordsWide}
}
