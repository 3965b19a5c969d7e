package account

import (
	"context"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/wait"
)

// BenchmarkCompare splits two runs of 8 threads. The cost is linear: ns a call is about the same
// whatever the size.
func BenchmarkCompare(b *testing.B) {
	for _, c := range []struct {
		name    string
		records int64
		below   bool
	}{{"16k calls", 4_000, false}, {"256k calls", 64_000, false}, {"256k calls, with callees", 64_000, true}} {
		s := testtrace.Shape{Threads: testtrace.Exactly(8), Records: testtrace.Exactly(c.records),
			Step: testtrace.Range{0, 900}, Close: true, Depth: 30, Objects: testtrace.Exactly(4),
			Marks: 40, Functions: []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"}}
		x, y := s.Random(b, 1), s.Random(b, 2)
		p := pair.New(x, y, pair.Rules{})
		waits := [2]*wait.Analysis{analyse(b, x), analyse(b, y)}
		o := Options{Below: map[uint32]bool{}}
		for id := uint32(0); c.below && id < 4; id++ {
			o.Below[id] = true
		}
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Compare(context.Background(), p, waits, o, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/
				float64(x.Calls()+y.Calls()), "ns/call")
		})
	}
}
