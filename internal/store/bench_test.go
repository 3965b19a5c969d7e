package store

import (
	"flag"
	"path/filepath"
	"testing"
	"time"

	"diptych/internal/align"
	"diptych/internal/match"
	"diptych/internal/pair"
	"diptych/internal/synth"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

var (
	benchCalls = flag.Int("calls", 300_000, "calls a side of the pair that benchmarks generate")
	benchEdit  = flag.Float64("edit", 0.001, "calls of it that are deleted, as a rate")
	benchA     = flag.String("a", "", "a trace to measure with instead, as side A")
	benchB     = flag.String("b", "", "and as side B")
)

// BenchmarkResults measures a comparison that is computed, that is computed and stored, and that is
// found, including the hashes of both traces where they are needed.
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

// BenchmarkAlignments measures how many times faster than computing an alignment it is to find it,
// with and without hashing the traces, and to decode it; and its size.
func BenchmarkAlignments(b *testing.B) {
	p := generated(b)
	var plain, first, found, decoded time.Duration
	var bytes int
	aligned := func(s *Store) ([]*align.Result, time.Duration) {
		began := time.Now()
		rs, cached, err := s.Alignments(ctx, p, p.Threads, align.Options{}, nil)
		if err != nil || cached != (s.Counts().Hits > 0) {
			b.Fatal(cached, err)
		}
		return rs, time.Since(began)
	}
	for b.Loop() {
		rs, took := aligned(nil)
		plain += took
		dir := b.TempDir()
		aligned(greedy(dir))
		s := greedy(dir)
		_, took = aligned(s)
		first += took
		_, took = aligned(s)
		found += took
		text := align.Encode(rs)
		began := time.Now()
		if _, err := align.Decode(ctx, p, p.Threads, text); err != nil {
			b.Fatal(err)
		}
		decoded += time.Since(began)
		packed, err := pack(ctx, key(1), text)
		if err != nil {
			b.Fatal(err)
		}
		bytes = len(packed)
	}
	b.ReportMetric(plain.Seconds()/first.Seconds(), "aligned/found")
	b.ReportMetric(plain.Seconds()/found.Seconds(), "aligned/foundhashed")
	b.ReportMetric(plain.Seconds()/decoded.Seconds(), "aligned/decoded")
	b.ReportMetric(plain.Seconds()*1000/float64(b.N), "ms/aligned")
	b.ReportMetric(float64(bytes), "bytes")
}

func generated(b *testing.B) *pair.Pair {
	files := [2]string{*benchA, *benchB}
	if files[0] == "" {
		files = [2]string{filepath.Join(b.TempDir(), "a"), filepath.Join(b.TempDir(), "b")}
		o := synth.Options{Calls: *benchCalls, Seed: 1,
			Edits: map[synth.Kind]float64{synth.Delete: *benchEdit}}
		if _, err := synth.Generate(ctx, o, files[0], files[1], nil); err != nil {
			b.Fatal(err)
		}
	}
	var traces [2]*trace.Trace
	for i, path := range files {
		var err error
		if traces[i], err = traceio.Load(ctx, path, input.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	return pair.New(traces[0], traces[1], pair.Rules{})
}

// BenchmarkStore measures storing a value, finding it, and finding none.
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
