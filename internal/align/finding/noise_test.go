package finding

import (
	"math"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

// TestStatistics holds what is asked of the statistics against values from printed tables.
func TestStatistics(t *testing.T) {
	votes := make([]float64, paceBins)
	votes[paceBin(1)], votes[paceBin(1.25)], votes[paceBin(2)] = 2, 3, 4
	half := make([]float64, paceBins)
	half[paceBin(3)], half[paceBin(0.1)] = 5, 4
	for _, c := range []struct {
		what            string
		got, want, near float64
	}{
		{"deviations in a median deviation", toDeviation, 1.4826, 1e-4},
		{"t of 10 degrees at 0.99865, of 3", 3 * widening(27), 3.957, 0.01},
		{"t of 100 degrees at 0.99865, of 3", 3 * widening(270), 3.077, 0.01},
		{"pace", paceOf(votes), 1.25, 0.002},
		{"pace without votes", paceOf(make([]float64, paceBins)), 1, 0},
		{"agreement on 3", float64(toInt(agree(half, 3))), 1, 0},
		{"agreement on 1.25", float64(toInt(agree(votes, 1.25))), 0, 0},
		{"median of a law", lawOf([]float64{1, 2, 3, 4, 5, 6, 7, 8, 99}).median, 5, 0},
		{"spread of a law", lawOf([]float64{1, 2, 3, 4, 5, 6, 7, 8, 99}).spread, 2 * toDeviation, 1e-9},
		{"spread of too few", lawOf([]float64{1, 2, 3}).spread, -1, 0},
	} {
		if math.Abs(c.got-c.want) > c.near {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
}

// TestCloseCallsShareThePace holds that a function of which all calls take less is likely to do so,
// unless the pace of a stretch of the run varies by as much and its calls are all in one.
func TestCloseCallsShareThePace(t *testing.T) {
	v := &weighed{sum: -90, bulk: -90, base: 100, squares: 400, uneven: 90, alike: [2]int{60, 1}}
	for drift, want := range map[float64]Certainty{0.03: Likely, 1.3: Chance} {
		n := &noise{excess: 1, widen: 4, drift: drift}
		if got := n.certaintyOfBulk(&effort{pairs: 61}, v); got != want {
			t.Errorf("drift %v: %v, want %v", drift, got, want)
		}
	}
}

// TestAllCallsAreNoBurst holds that the largest changes of a function whose calls all take longer are
// no burst, and those of a function whose other calls take as long as before are.
func TestAllCallsAreNoBurst(t *testing.T) {
	n := &noise{excess: 1, widen: 1, drift: 0.03}
	for alike, bulk := range map[int]float64{471: 480, 240: 3} {
		v := weighed{sum: 2000, bulk: bulk, base: 300, squares: 400, uneven: 90, alike: [2]int{472 - alike, alike}}
		if got := n.allChange(&judged{e: &effort{pairs: 472}, v: v}); got != (alike == 471) {
			t.Errorf("%d of 472 take longer, all but a few by %v: %v", alike, bulk, got)
		}
	}
}

// TestSway has functions differ by more than their calls vary.
func TestSway(t *testing.T) {
	var off, exact, loose []float64
	for k := range 101 {
		off = append(off, 0.01*float64(k-50)/50) // evenly within 1 % either way
		exact, loose = append(exact, 0), append(loose, 0.1)
	}
	want := 0.005 * toDeviation
	if sway := swayOf(off, exact); math.Abs(sway-want) > 2e-4 {
		t.Errorf("sway %v, want %v", sway, want)
	}
	if sway := swayOf(off, loose); sway != 0 {
		t.Errorf("sway %v of functions whose calls explain what they differ by", sway)
	}
	off[0] = 3
	if sway := swayOf(off, exact); math.Abs(sway-want) > 4e-4 {
		t.Errorf("sway %v with one function changed, want %v", sway, want)
	}
}

// TestFewFunctionsMayVaryMore holds that where nearly all of the time is in one function, nothing
// says how much a run varies as a whole: what half as long again is elsewhere could be chance.
func TestFewFunctionsMayVaryMore(t *testing.T) {
	build := func(self int64) *trace.Trace {
		return recorded(t, noisy(uint64(self)), among("main", again(200, f("render", self))))
	}
	for self, want := range map[int64]Certainty{30_000: Chance, 40_000: Likely, 100_000: Certain} {
		_, _, r := compared(t, build(20_000), build(self))
		if got := only(t, r, Slower).Certainty; got != want {
			t.Errorf("%d ns instead of 20,000: %v, want %v", self, got, want)
		}
	}
}

// TestWhatDurationsSay tells calls apart by what their time depends on.
func TestWhatDurationsSay(t *testing.T) {
	b := trace.NewBuilder("test")
	call := func(th *trace.ThreadBuilder, from, to int64, name string, k trace.FuncKind) trace.Ref {
		return th.Complete(from, to, b.Function(trace.Function{Name: name, Kind: k}))
	}
	main, other, lane := b.Thread("1", -1), b.Thread("2", -1), b.Thread("3", -1)
	sums := b.Thread("4", -1)
	call(sums, 0, 70, "Total Backend", trace.Routine)
	sums.SetKind(trace.Sums)
	lane.SetKind(trace.AsyncTrack)
	done := call(other, 0, 15, "done", trace.Routine)

	call(main, 0, 100, "main", trace.Routine)
	late, early := call(main, 10, 20, "late", trace.Routine), call(main, 30, 40, "early", trace.Routine)
	for _, wait := range []trace.Ref{late, early} {
		main.Block(wait, trace.Wait)
		b.CorrespondAt(wait, done, 15, b.Object("it"))
	}
	main.Block(call(main, 50, 60, "read", trace.Routine), trace.IO)
	call(main, 70, 80, "schedule", trace.Event)
	call(main, 82, 89, "caller", trace.Routine)
	main.Flag(call(main, 84, 86, "seen", trace.Routine), trace.Sampled)
	call(lane, 0, 90, "request", trace.Routine)
	tr := testtrace.Build(t, b)
	rules := newRules(tr)
	for k, th := range tr.Threads {
		for i, says := range rules.inThread(k, nil) {
			name := tr.FunctionOf(th, i).Name
			want := map[string]dependence{"late": onThreads, "read": onDevice, "schedule": onSystem,
				"seen":   onSamples,
				"caller": onSamples, "request": onThreads, "Total Backend": onSystem}[name]
			if says != want {
				t.Errorf("%s says %d, not %d", name, says, want)
			}
			if rules.waits(k, int32(i)) != (want >= onThreads) {
				t.Errorf("%s waits: %v", name, rules.waits(k, int32(i)))
			}
		}
	}
}

// TestRecordedTwice compares recordings of one program on one input: two processes of threads that
// share a queue, two of goroutines, two of asynchronous requests, some of them on a busy machine.
// Nothing got slower or faster, and what is missing or new really is called less or more often.
func TestRecordedTwice(t *testing.T) {
	for _, files := range [][2]string{
		{"queue-1.data.tar.gz", "queue-2.data.tar.gz"},
		{"requests-1.json.gz", "requests-2.json.gz"},
		{"pipeline-1.gotrace", "pipeline-2.gotrace"},
	} {
		var sides [2]*trace.Trace
		for sd, name := range files {
			var err error
			path := filepath.Join("..", "..", "..", "testdata", "twice", name)
			if sides[sd], err = traceio.Load(t.Context(), path, input.Options{}); err != nil {
				t.Fatal(err)
			}
		}
		for _, sides := range [][2]*trace.Trace{sides, {sides[1], sides[0]}} {
			p, _, r := compared(t, sides[pair.A], sides[pair.B])
			for _, f := range r.Findings {
				if f.Share > telling && f.Certainty != Chance && !reallyDiffers(p, &f) {
					t.Errorf("%s: %s", files[0], f.Sentence())
				}
			}
		}
	}
}

// reallyDiffers reports whether a finding is one that may be told of recordings of the same: calls
// of which there are more on one side. Their order may differ, too.
func reallyDiffers(p *pair.Pair, f *Finding) bool {
	switch f.Kind {
	case Slower, Faster, Burst:
		return false
	case Missing, New, Called, Repeat:
		more := callsOf(p, pair.B, f.Function) - callsOf(p, pair.A, f.Function)
		return more != 0 && int64(more) == f.Calls[pair.B]-f.Calls[pair.A]
	}
	return true
}

// callsOf returns how often a function is called.
func callsOf(p *pair.Pair, sd pair.Side, function string) (n int) {
	t := p.Trace(sd)
	for _, th := range t.Threads {
		for i := range th.Fn {
			n += toInt(t.FunctionOf(th, i).Name == function)
		}
	}
	return n
}

// TestPaceBin holds classes of ratios against logarithms.
func TestPaceBin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ratio := math.Exp(rapid.Float64Range(-30, 30).Draw(t, "logarithm"))
		if rapid.Bool().Draw(t, "whole") {
			ratio = float64(rapid.IntRange(1, 2000).Draw(t, "b")) / float64(rapid.IntRange(1, 2000).Draw(t, "a"))
		}
		want := int(math.Round(octave*math.Log2(ratio))) + paceBins/2
		if got := paceBin(ratio); got != min(max(want, 0), paceBins-1) {
			t.Errorf("%v is in class %d, not %d", ratio, got, want)
		}
	})
}
