package wait

import (
	"testing"
	"time"
)

// BenchmarkFind says how the time of an analysis grows with the waits and releases of one object
// that all threads want: 1 is as much, 4 would be quadratic.
func BenchmarkFind(b *testing.B) {
	small, large := crowd(b, 50, 500), crowd(b, 50, 2000)
	var took [2]time.Duration
	for b.Loop() {
		began := time.Now()
		for range 4 {
			mustFind(b, small)
		}
		took[0] += time.Since(began)
		began = time.Now()
		mustFind(b, large)
		took[1] += time.Since(began)
	}
	b.ReportMetric(took[1].Seconds()/took[0].Seconds(), "growth")
}

// BenchmarkWindow says what part of the analysis showing one wait of a crowd costs.
func BenchmarkWindow(b *testing.B) {
	tr := crowd(b, 50, 2000)
	began := time.Now()
	a := mustFind(b, tr)
	whole := time.Since(began)
	for n := 0; b.Loop(); n++ {
		for w := range a.WaitsIn(n%50, tr.Duration/2, tr.Duration/2+10) {
			for range a.Of(w) {
				continue
			}
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/whole.Seconds(), "of-analysis")
}
