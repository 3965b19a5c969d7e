//go:build goexperiment.simd && amd64

package match

import "simd/archsimd"

func init() {
	if archsimd.X86.AVX512() {
		engines["AVX-512"] = func(c *comparison) engine { return newPanel(c, (*panel).compare512) }
	}
	if archsimd.X86.AVX2() {
		engines["AVX2"] = func(c *comparison) engine { return newPanel(c, (*panel).compare256) }
	}
}
