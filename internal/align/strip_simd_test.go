//go:build goexperiment.simd && amd64

package align

import "simd/archsimd"

func init() {
	if archsimd.X86.AVX512() && archsimd.X86.AVX512VBMI2() {
		stripKernels["AVX-512"] = sweepStrip512
	}
	if archsimd.X86.AVX2() {
		stripKernels["AVX2"] = sweepStrip256
	}
}
