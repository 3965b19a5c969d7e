package align

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/synth"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

// The acceptance runs are
//
//	go test ./internal/align -run '^$' -bench 'Pair|Fast' -benchtime 2x -calls 10000000 -edit 7.5e-7
//	go test ./internal/align -run '^$' -bench 'Flat/^0.1$' -benchtime 1x -flat 100000
var (
	benchCalls   = flag.Int("calls", 300_000, "calls a side of the pair that benchmarks generate")
	benchEdit    = flag.Float64("edit", 0.0001, "calls of it that are edited, as a rate of each kind")
	benchThreads = flag.Int("threads", 1, "its threads")
	benchPair    = flag.String("pair", "", "two traces to measure with instead, as A,B")
	benchFlat    = flag.Int("flat", 20_000, "calls of one level")
)

// measured returns the pair named on the command line, or one that is generated.
func measured(b *testing.B) *pair.Pair {
	if x, y, ok := strings.Cut(*benchPair, ","); ok {
		return pair.New(loaded(b, x), loaded(b, y), pair.Rules{})
	}
	dir := b.TempDir()
	x, y := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	edits := map[synth.Kind]float64{}
	for _, k := range []synth.Kind{synth.Insert, synth.Delete, synth.Move, synth.Repeat} {
		edits[k] = *benchEdit
	}
	o := synth.Options{Calls: *benchCalls, Threads: *benchThreads, Seed: 1, Edits: edits}
	if _, err := synth.Generate(context.Background(), o, x, y, nil); err != nil {
		b.Fatal(err)
	}
	return pair.New(loaded(b, x), loaded(b, y), pair.Rules{})
}

func loaded(b *testing.B, path string) *trace.Trace {
	tr, err := traceio.Load(context.Background(), path, input.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return tr
}

// timed returns how long all paired threads take with an engine, in seconds, and the results.
func timed(b *testing.B, p *pair.Pair, o Options) (float64, []*Result) {
	runtime.GC()
	began := time.Now()
	rs, err := All(context.Background(), p, p.Threads, o, nil)
	if err != nil {
		b.Fatal(err)
	}
	return time.Since(began).Seconds(), rs
}

// BenchmarkPair measures the fast engine and how many times as long the paper's hybrid takes.
func BenchmarkPair(b *testing.B) {
	p := measured(b)
	var fast, hybrid float64
	for b.Loop() {
		f, rs := timed(b, p, Options{})
		h, want := timed(b, p, Options{Engine: Hybrid})
		fast, hybrid = fast+f, hybrid+h
		for k := range rs {
			if rs[k].Score != want[k].Score || rs[k].Ties != want[k].Ties {
				b.Fatalf("%d %v, want %d %v", rs[k].Score, rs[k].Ties, want[k].Score, want[k].Ties)
			}
		}
	}
	b.ReportMetric(fast/float64(b.N)*1e3, "fast-ms")
	b.ReportMetric(hybrid/float64(b.N)*1e3, "hybrid-ms")
	b.ReportMetric(hybrid/fast, "×hybrid")
}

// BenchmarkFast measures the parts of the fast engine, and memory beyond the traces at its peak.
func BenchmarkFast(b *testing.B) {
	p := measured(b)
	calls := p.A.Calls() + p.B.Calls()
	var classes, all float64
	var held uint64
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		began := time.Now()
		w := newWork(p, p.Threads, Options{}, progress.NewMeter(nil, 0))
		if err := w.classify(context.Background()); err != nil {
			b.Fatal(err)
		}
		classes += time.Since(began).Seconds()
		w = nil
		runtime.GC()
		began = time.Now()
		if _, err := All(context.Background(), p, p.Threads, Options{}, nil); err != nil {
			b.Fatal(err)
		}
		all += time.Since(began).Seconds()
		runtime.ReadMemStats(&after)
		held = max(held, after.HeapAlloc-before.HeapAlloc)
	}
	n := float64(b.N)
	b.ReportMetric(classes/n*1e3, "classes-ms")
	b.ReportMetric(all/n*1e3, "all-ms")
	b.ReportMetric(classes/n*1e9/float64(calls), "class-ns/call")
	b.ReportMetric(float64(held)/float64(calls), "B/call")
}

// BenchmarkFlat measures one level of -flat calls of which a part is edited: how long it takes,
// how long to give it up, and how many times as long the paper's hybrid takes.
func BenchmarkFlat(b *testing.B) {
	for _, rate := range []float64{0.01, 0.05, 0.1, 0.25, 0.5} {
		b.Run(fmt.Sprint(rate), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			x := letters(r, *benchFlat, 3000)
			lv := flatLevel(x, mutated(r, x, 3000, rate))
			ctx, m := context.Background(), progress.NewMeter(nil, 0)
			var fast, hybrid, cancelled time.Duration
			for b.Loop() {
				began := time.Now()
				if _, err := lv.auto(ctx, m); err != nil {
					b.Fatal(err)
				}
				fast += time.Since(began)
				began = time.Now()
				if _, err := lv.hirschberg(ctx, m, defaultCells); err != nil {
					b.Fatal(err)
				}
				hybrid += time.Since(began)
				cancelled = max(cancelled, givenUp(lv))
			}
			b.ReportMetric(fast.Seconds()*1e3/float64(b.N), "fast-ms")
			b.ReportMetric(hybrid.Seconds()*1e3/float64(b.N), "hybrid-ms")
			b.ReportMetric(hybrid.Seconds()/fast.Seconds(), "×hybrid")
			b.ReportMetric(cancelled.Seconds()*1e3, "cancel-ms")
		})
	}
}

// givenUp returns how long a level goes on after it is cancelled, or 0 if it ended before.
func givenUp(lv *level) time.Duration {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	at := make(chan time.Time, 1)
	time.AfterFunc(10*time.Millisecond, func() { at <- time.Now(); cancel() })
	if _, err := lv.auto(ctx, progress.NewMeter(nil, 0)); errors.Is(err, context.Canceled) {
		return time.Since(<-at)
	}
	return 0
}

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
