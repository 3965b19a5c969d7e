package session

import (
	"context"
	"flag"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"diptych/internal/match"
	"diptych/internal/pair"
	"diptych/internal/synth"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

var benchPair = flag.String("pair", "", "two traces to measure with instead of generated ones, as A,B")

// BenchmarkFirstBars takes how long the overview is without bars once both traces are there: all
// of it, and how much of it is classifying the calls that the first bars are of. Elapsed times mean
// something on a quiet machine alone; processor times include what other jobs do meanwhile.
func BenchmarkFirstBars(b *testing.B) {
	traces := measured(b)
	for _, process := range []bool{false, true} {
		b.Run(map[bool]string{false: "Thread", true: "Process"}[process], func(b *testing.B) {
			var elapsed, spent, classifying float64
			for b.Loop() {
				began, before := time.Now(), testtrace.Processor().Seconds()
				s, sample := firstBars(b, traces, process)
				elapsed += time.Since(began).Seconds()
				spent += testtrace.Processor().Seconds() - before
				s.stopAll()
				before = testtrace.Processor().Seconds()
				if _, err := match.Classify(context.Background(), s.state.Pair, sample.Graph().Scope, nil); err != nil {
					b.Fatal(err)
				}
				classifying += testtrace.Processor().Seconds() - before
			}
			b.ReportMetric(1e3*elapsed/float64(b.N), "ms-to-bars")
			b.ReportMetric(1e3*spent/float64(b.N), "ms-cpu-to-bars")
			b.ReportMetric(1e3*classifying/float64(b.N), "ms-cpu-classifying")
		})
	}
}

// firstBars opens a pair as a window does and returns the first bars.
func firstBars(b *testing.B, traces [2]*trace.Trace, process bool) (*Session, *match.Sample) {
	s := New(func() {})
	for side, tr := range traces {
		s.Put(pair.Side(side), "", tr)
	}
	s.ShowProcess(process)
	for {
		if bars, sample := s.State().Bars(); bars[pair.A] != nil {
			if sample == nil {
				b.Fatal("the ladder came first: the pair is too small")
			}
			return s, sample
		}
		s.deliver(<-s.results)
	}
}

func measured(b *testing.B) (traces [2]*trace.Trace) {
	paths := strings.Split(*benchPair, ",")
	if *benchPair == "" {
		dir := b.TempDir()
		paths = []string{filepath.Join(dir, "a"), filepath.Join(dir, "b")}
		o := synth.Options{Calls: 1_000_000, Seed: 7, Edits: map[synth.Kind]float64{synth.Insert: .01}}
		if _, err := synth.Generate(context.Background(), o, paths[0], paths[1], nil); err != nil {
			b.Fatal(err)
		}
	}
	for side := range traces {
		tr, err := traceio.Load(context.Background(), paths[side], input.Options{})
		if err != nil {
			b.Fatal(err)
		}
		traces[side] = tr
	}
	return traces
}
