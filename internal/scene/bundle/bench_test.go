package bundle

import (
	"math/rand/v2"
	"testing"
	"time"
)

// BenchmarkRoute routes 20,000 edges in 20 groups between hierarchies of 5,000 cells, and says how
// many times longer the plain layout takes.
func BenchmarkRoute(b *testing.B) {
	f := someFacing(rand.New(rand.NewPCG(1, 1)), 5000, 20, 20, 20_000)
	now := time.Now()
	plain(f.o, f.sides, f.groups, f.edges)
	slow := time.Since(now)
	var a Arena
	knots, _ := f.route(&a)
	b.ResetTimer()
	for b.Loop() {
		knots, _ = Route(f.o, f.sides, f.groups, f.edges, knots[:0], &a)
	}
	b.ReportMetric(float64(slow)/(float64(b.Elapsed())/float64(b.N)), "x-plain")
	b.ReportMetric(float64(len(knots))/float64(len(f.edges)), "knots/edge")
}
