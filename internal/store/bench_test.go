package store

import (
	"flag"
	"path/filepath"
	"testing"
	"time"

	"diptych/internal/match"
	"diptych/internal/pair"
	"diptych/internal/synth"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

var (
	benchCalls = flag.Int("calls", 300_000, "calls a side of the pair that benchmarks generate")
	benchA     = flag.String("a", "", "a trace to measure with instead, as side A")
	benchB     = flag.String("b", "", "and as side B")
)

// BenchmarkResults measures a comparison that is computed, computed and stored, and found, each
// including the hashes of both traces where they are needed.
func BenchmarkResults(b *testing.B) {
	p := generated(b)
	var plain, storing, found time.Duration
	var hits int64
	var s *Store
	compare := func(s *Store) time.Duration {
		began := time.Now()
		g, _, err := s.Graph(ctx, p, match.Process(), nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, _, err := s.Ladder(ctx, g, [2]int{140, 140}, nil); err != nil {
			b.Fatal(err)
		}
		return time.Since(began)
	}
	for b.Loop() {
		dir := b.TempDir()
		plain += compare(nil)
		storing += compare(At(dir, DefaultLimit))
		s = At(dir, DefaultLimit)
		found += compare(s)
		hits += s.Counts().Hits
	}
	ms := func(d time.Duration) float64 { return d.Seconds() * 1000 / float64(b.N) }
	b.ReportMetric(ms(plain), "ms/computed")
	b.ReportMetric(ms(storing), "ms/stored")
	b.ReportMetric(ms(found), "ms/found")
	b.ReportMetric(float64(hits)/float64(b.N), "hits")
	if hits > 0 {
		b.ReportMetric(float64(size(b, s))/1e6, "MB")
	}
}

func generated(b *testing.B) *pair.Pair {
	files := [2]string{*benchA, *benchB}
	if files[0] == "" {
		files = [2]string{filepath.Join(b.TempDir(), "a"), filepath.Join(b.TempDir(), "b")}
		o := synth.Options{Calls: *benchCalls, Seed: 1,
			Edits: map[synth.Kind]float64{synth.Delete: 0.001}}
		if _, err := synth.Generate(ctx, o, files[0], files[1], nil); err != nil {
			b.Fatal(err)
		}
	}
	var traces [2]*trace.Trace
	for i, path := range files {
		var err error
		if traces[i], err = traceio.Load(ctx, path, input.Options{Progress: input.Silent}); err != nil {
			b.Fatal(err)
		}
	}
	return pair.New(traces[0], traces[1], pair.Rules{})
}

// BenchmarkStore measures storing and finding a value, and what of finding is not reading.
func BenchmarkStore(b *testing.B) {
	for name, n := range map[string]int{"1kB": 1000, "32MB": 32 << 20} {
		b.Run(name, func(b *testing.B) {
			s := At(b.TempDir(), DefaultLimit)
			v := value(1, n)
			var writing, reading, missing time.Duration
			for b.Loop() {
				began := time.Now()
				put(b, s, key(1), v)
				writing += time.Since(began)
				began = time.Now()
				if _, ok := s.Get(ctx, key(1)); !ok {
					b.Fatal("not found")
				}
				reading += time.Since(began)
				began = time.Now()
				if _, ok := s.Get(ctx, key(2)); ok {
					b.Fatal("found")
				}
				missing += time.Since(began)
			}
			ms := func(d time.Duration) float64 { return d.Seconds() * 1000 / float64(b.N) }
			b.ReportMetric(ms(writing), "ms/put")
			b.ReportMetric(ms(reading), "ms/get")
			b.ReportMetric(ms(missing), "ms/miss")
			b.ReportMetric(float64(size(b, s))/float64(n), "filebytes/byte")
		})
	}
}
