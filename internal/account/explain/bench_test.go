//go:build unix

package explain

import (
	"context"
	"flag"
	"path/filepath"
	"runtime"
	"testing"

	"diptych/internal/account"
	"diptych/internal/align"
	"diptych/internal/align/finding"
	"diptych/internal/pair"
	"diptych/internal/peers"
	"diptych/internal/synth"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
	"diptych/internal/wait"
)

var benchCalls = flag.Int("calls", 400_000, "calls a side of the pair of BenchmarkCompare")

// BenchmarkCompare says how much processor time a call takes in each part of Compare, and how much
// the parts allocate in all, on a generated pair in which functions got slower and calls were
// inserted.
func BenchmarkCompare(b *testing.B) {
	ctx := context.Background()
	p := simulated(b, *benchCalls)
	aligned, err := align.All(ctx, p, p.Threads, align.Options{}, nil)
	if err != nil {
		b.Fatal(err)
	}
	var found *finding.Report
	var waits [2]*wait.Analysis
	parts := []struct {
		name string
		do   func() error
	}{
		{"find", func() error {
			found, err = finding.Find(ctx, p, aligned, finding.Options{}, nil)
			return err
		}},
		{"waits", func() error {
			waits, err = wait.FindBoth(ctx, p.A, p.B, nil)
			return err
		}},
		{"account", func() error {
			_, err := account.Compare(ctx, p, waits, Options(p, found), nil)
			return err
		}},
		{"all", func() error {
			_, err := Compare(ctx, p, aligned, nil)
			return err
		}},
	}
	for _, part := range parts {
		b.Run(part.name, func(b *testing.B) {
			least, elapsed := 1e18, 1e18
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for b.Loop() {
				spent := peers.Measure(func() {
					if err := part.do(); err != nil {
						b.Fatal(err)
					}
				})
				least, elapsed = min(least, float64(spent.CPU)), min(elapsed, float64(spent.Elapsed))
			}
			runtime.ReadMemStats(&after)
			calls := float64(p.A.Calls() + p.B.Calls())
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(least/calls, "ns-cpu/call")
			b.ReportMetric(elapsed/calls, "ns-elapsed/call")
			b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/calls, "B/call")
		})
	}
}

// simulated returns a generated pair of about so many calls a side.
func simulated(b *testing.B, calls int) *pair.Pair {
	dir := b.TempDir()
	o := synth.Options{Calls: calls, Seed: 7, Edits: map[synth.Kind]float64{synth.Slow: .01, synth.Insert: .01}}
	names := [2]string{filepath.Join(dir, "a"), filepath.Join(dir, "b")}
	if _, err := synth.Generate(context.Background(), o, names[0], names[1], nil); err != nil {
		b.Fatal(err)
	}
	var sides [2]*trace.Trace
	for sd, name := range names {
		var err error
		if sides[sd], err = traceio.Load(context.Background(), name, input.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	return pair.New(sides[0], sides[1], pair.Rules{})
}
