//go:build goexperiment.simd && amd64

package align

import "simd/archsimd"

// fastestStrips returns the fastest kernel of strips for this processor, and from how many columns
// on it pays: the more it gains, the fewer, since a strip cannot follow a narrow band as closely as
// pairs of blocks do. AVX-512 gains 3 times, AVX2 2.5 times.
func fastestStrips() (kernel stripKernel, width int) {
	switch {
	case archsimd.X86.AVX512() && archsimd.X86.AVX512VBMI2():
		return sweepStrip512, 64
	case archsimd.X86.AVX2():
		return sweepStrip256, 64
	}
	return nil, 0
}

// The blocks that have 1, 2 and 4 in their numbers: see stagger512.
var (
	lateBy1 = perBlock{1: allBits, 3: allBits, 5: allBits, 7: allBits}
	lateBy2 = perBlock{2: allBits, 3: allBits, 6: allBits, 7: allBits}
	lateBy4 = perBlock{4: allBits, 5: allBits, 6: allBits, 7: allBits}
)

// borderTops is w above a strip as words of ones where w ≥ k.
var borderTops = func() (tops [8][4]perBlock) {
	for w := range tops {
		for k := range min(w, 4) {
			tops[w][k] = everyBlock(allBits)
		}
	}
	return tops
}()
