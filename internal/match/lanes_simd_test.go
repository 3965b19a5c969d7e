//go:build goexperiment.simd && amd64

package match

import "simd/archsimd"

func init() {
	if archsimd.X86.AVX512() {
		kernels["AVX-512"] = laneKernels{countLanes512, addMatches512, wideKernel{countWide512, addWide512}}
	}
	if archsimd.X86.AVX2() {
		kernels["AVX2"] = laneKernels{countLanes256, addMatches256, wideKernel{countWide256, addWide256}}
	}
}
