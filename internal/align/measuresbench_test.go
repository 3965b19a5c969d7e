package align

import (
	"context"
	"runtime"
	"testing"
	"time"
)

// BenchmarkMeasures measures what is derived from an alignment, all thread pairs one after the
// other, and the memory of virtual time.
func BenchmarkMeasures(b *testing.B) {
	p, ctx := measured(b), context.Background()
	_, rs := timed(b, p, Options{})
	names := []string{"metrics", "virtual", "timeline", "table", "moved"}
	spent := make([]time.Duration, len(names))
	part := func(k int, work func() error) {
		began := time.Now()
		if err := work(); err != nil {
			b.Fatal(err)
		}
		spent[k] += time.Since(began)
	}
	held, moves, calls := uint64(0), 0, p.A.Calls()+p.B.Calls()
	for b.Loop() {
		moves = 0
		for _, r := range rs {
			var v *Virtual
			var before, after runtime.MemStats
			part(0, func() error { r.Metrics(); return nil })
			runtime.GC()
			runtime.ReadMemStats(&before)
			part(1, func() (err error) { v, err = r.Virtual(ctx); return err })
			runtime.ReadMemStats(&after)
			held = max(held, after.HeapAlloc-before.HeapAlloc)
			part(2, func() error { _, err := v.Timeline(ctx, Samples); return err })
			part(4, func() error {
				m, err := v.Moved(ctx)
				moves += len(m)
				return err
			})
		}
		part(3, func() error { _, err := Differences(ctx, rs); return err })
	}
	for k, name := range names {
		b.ReportMetric(float64(spent[k].Milliseconds())/float64(b.N), name+"-ms")
	}
	b.ReportMetric(float64(held)/float64(calls), "B/call")
	b.ReportMetric(float64(moves), "moves")
}
