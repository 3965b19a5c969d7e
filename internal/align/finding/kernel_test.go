package finding

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// TestKernels holds that the kernels of this machine give the same bits as the plain ones, also for
// times that no recording should have.
func TestKernels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 100).Draw(t, "pairs")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		words := make([]uint32, timedWords*n)
		for k := range words {
			words[k] = r.Uint32() >> r.IntN(32)
		}
		var a, b, off, wantA, wantB, want [100]float64
		splitTimes(a[:n], b[:n], words)
		plainSplitTimes(wantA[:n], wantB[:n], words)
		if a != wantA || b != wantB {
			t.Fatalf("times %v and %v, want %v and %v", a, b, wantA, wantB)
		}
		odd := rapid.SampledFrom([]float64{0, -1, -1e9, 1e300, 5e-324, math.NaN(), math.Inf(1)}).
			Draw(t, "odd")
		for k := range n {
			if r.IntN(50) == 0 {
				a[k] = odd
			}
			if r.IntN(50) == 0 {
				b[k] = odd
			}
		}
		pace := rapid.Float64Range(0.01, 100).Draw(t, "pace")
		tick := rapid.SampledFrom([]float64{1, 1000}).Draw(t, "tick")
		logRatios(off[:n], a[:n], b[:n], pace, tick)
		plainLogRatios(want[:n], a[:n], b[:n], pace, tick)
		for k, u := range off {
			if math.Float64bits(u) != math.Float64bits(want[k]) && !(u != u && want[k] != want[k]) {
				t.Fatalf("%v of %v and %v at %v, want %v", u, a[k], b[k], pace, want[k])
			}
		}
	})
}
