package finding

import (
	"math"
	"path/filepath"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

// TestStatistics holds what is asked of the statistics against values from printed tables.
func TestStatistics(t *testing.T) {
	var e effort
	e.blocks[0], e.blocks[5], e.blocks[9], e.blocks[31] = 2, 2, 2, 2
	e.sum = 8
	votes := make([]float64, paceBins)
	votes[paceBin(1)], votes[paceBin(1.25)], votes[paceBin(2)] = 2, 3, 4
	for _, c := range []struct {
		what            string
		got, want, near float64
	}{
		{"blocks of equal weight", e.agreeing(), 4, 0},
		{"one of them stalled", equalWeights(32, []float64{2, 28, 2}), 1.3, 0.01},
		{"none changed", equalWeights(0, []float64{0, 0}), 0, 0},
		{"deviations in a median deviation", toDeviation, 1.4826, 1e-4},
		{"t of 10 degrees at 0.99865, of 3", 3 * widening(27), 3.957, 0.01},
		{"t of 100 degrees at 0.99865, of 3", 3 * widening(270), 3.077, 0.01},
		{"pace", paceOf(votes), 1.25, 0.002},
		{"pace without votes", paceOf(make([]float64, paceBins)), 1, 0},
	} {
		if math.Abs(c.got-c.want) > c.near {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
}

// TestSwing has functions follow a pace of 1.1 but for one, which is not allowed to count.
func TestSwing(t *testing.T) {
	var efforts []*effort
	for k := range 101 {
		off := math.Exp(0.01 * float64(k-50) / 50) // evenly within 1 % either way
		efforts = append(efforts, nil, &effort{likePace: [2]float64{1000, 1100 * off}})
	}
	before := swing(efforts, 1.1)
	if want := 0.005 * toDeviation * widening(101); math.Abs(before-want) > 1e-4 {
		t.Errorf("swing %v, want %v", before, want)
	}
	efforts[1].likePace[pair.B] *= 1.5
	if after := swing(efforts, 1.1); math.Abs(after-before) > 0.05*before {
		t.Errorf("swing %v, with one function slower %v", before, after)
	}
	if s := swing(efforts[:2*fewest-2], 1.1); s != 0 {
		t.Errorf("swing %v of too few functions", s)
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
	over := overAtOnce(tr)
	for k, th := range tr.Threads {
		for i, says := range dependencesIn(tr, th, over[k]) {
			name := tr.FunctionOf(th, i).Name
			want := map[string]dependence{"late": onThreads, "read": onDevice, "schedule": onSystem,
				"seen":   onSamples,
				"caller": onSamples, "request": onThreads, "Total Backend": onSystem}[name]
			if says != want {
				t.Errorf("%s says %d, not %d", name, says, want)
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
				if f.Share > telling && !reallyDiffers(p, &f) {
					t.Errorf("%s: %s", files[0], f.Text)
				}
			}
		}
	}
}

// reallyDiffers reports whether a finding is one that may be told of recordings of the same: calls
// of which there are more on one side. Their order may differ, too.
func reallyDiffers(p *pair.Pair, f *Finding) bool {
	switch f.Kind {
	case Slower, Faster:
		return false
	case Missing, New:
		more := callsOf(p, pair.B, f.Function) - callsOf(p, pair.A, f.Function)
		return (more > 0) == (f.Kind == New) && more != 0
	}
	return true
}

// callsOf returns how often a function is called on threads that both sides have.
func callsOf(p *pair.Pair, sd pair.Side, function string) (n int) {
	t := p.Trace(sd)
	for k, th := range t.Threads {
		for i := range th.Fn {
			n += toInt(p.Partner(sd, k) >= 0 && t.FunctionOf(th, i).Name == function)
		}
	}
	return n
}
