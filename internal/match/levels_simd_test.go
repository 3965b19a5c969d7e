//go:build goexperiment.simd && amd64

package match

import "simd/archsimd"

func init() {
	if archsimd.X86.AVX() {
		levelKernels["AVX"] = levelKernel{countWords, fill128}
	}
	if archsimd.X86.AVX512() {
		levelKernels["AVX-512"] = levelKernel{count512, fill128}
	}
}
