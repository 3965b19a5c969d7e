package finding

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Every logarithm has the bits of math.Log: of ordinary times, of ratios at and beside the borders
// of the series, and of what is not positive, not finite or not normal.
func TestRatioLogs(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	var a, b []float64
	add := func(x, y float64) { a, b = append(a, x), append(b, y) }
	for range 50_000 {
		add(1+float64(rng.IntN(1<<rng.IntN(40))), 1+float64(rng.IntN(1<<rng.IntN(40))))
	}
	for range len(a) % 8 { // what is not normal stands in eights of its own
		add(3, 7)
	}
	for _, x := range []float64{1, 2, 0.5, math.Sqrt2, math.Sqrt2 / 2, 0x1p-1022, math.MaxFloat64,
		0, -1, 0x1p-1060, math.Inf(1), math.Inf(-1), math.NaN()} {
		for range 8 {
			add(1, x)
			add(1, math.Nextafter(x, 1))
			add(3, 7)
		}
	}
	for _, tick := range []float64{0, 1, 1000} {
		for _, pace := range []float64{1, 0.93, 1.37} {
			for n := len(a); n > len(a)-9; n-- { // the last pairs are less than eight
				logs := make([]float64, n)
				ratioLogs(logs, a[:n], b[:n], pace, tick)
				for p, got := range logs {
					x := (b[p] + tick) / (pace*a[p] + tick)
					want := math.Log(x)
					same := math.Float64bits(got) == math.Float64bits(want)
					if !same && !(math.IsNaN(got) && math.IsNaN(want)) {
						t.Fatalf("tick %g, pace %g: the logarithm of %g is %g, want %g", tick, pace, x, got, want)
					}
				}
			}
		}
	}
}
