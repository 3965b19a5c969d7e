package align

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// TestTimeline holds timelines against looking for the deepest call at every sample.
func TestTimeline(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := someVirtual(t)
		n := rapid.IntRange(1, 250).Draw(t, "samples")
		got, err := v.Timeline(context.Background(), n)
		if err != nil {
			t.Fatal(err)
		}
		differs := make([]float64, n)
		for k := range differs {
			at := int64(2*k+1) * v.Length / int64(2*n)
			differs[k] = plainDiffers(v, at)
			if want := v.Skew(at); v.Length > 0 && got.Skew[k] != want {
				t.Fatalf("skew %d at %d, want %d", got.Skew[k], at, want)
			}
		}
		for k := range differs {
			sum, under := 0.0, 0.0
			for i := range differs {
				if 20*max(i-k, k-i) <= n {
					sum, under = sum+differs[i], under+1
				}
			}
			if math.Abs(got.Dissimilarity[k]-sum/under) > 1e-12 {
				t.Fatalf("sample %d: %v, want %v", k, got.Dissimilarity[k], sum/under)
			}
		}
	})
}

// plainDiffers returns 1 where the deepest call at a virtual time is different or missing, else 0.
// A level that is passed through lies between two others.
func plainDiffers(v *Virtual, at int64) (differs float64) {
	deepest := -1
	for s, th := range v.Threads {
		for i := range th.Len() {
			depth := 0
			for up := int32(i); up != None; up = th.Parent(int(up)) {
				if !v.Passed[s].Has(up) {
					depth += 2
				}
			}
			if v.Passed[s].Has(int32(i)) {
				depth++
			}
			if v.Start[s][i] > at || at >= v.End[s][i] || depth < deepest {
				continue
			}
			if depth > deepest {
				deepest, differs = depth, 0
			}
			if v.StateOf(pair.Side(s), i) != Equal {
				differs = 1
			}
		}
	}
	return differs
}

// TestPreemptionIsNoDifference holds that what the system did to one side leaves the runs alike.
func TestPreemptionIsNoDifference(t *testing.T) {
	side := func(kind trace.FuncKind, more bool) *trace.Trace {
		b := trace.NewBuilder("test")
		th := b.Thread("1", -1)
		th.Complete(0, 100*ms, b.Function(trace.Function{Name: "main"}))
		if more {
			th.Complete(20*ms, 60*ms, b.Function(trace.Function{Name: "more", Kind: kind}))
		}
		return testtrace.Build(t, b)
	}
	for kind, want := range map[trace.FuncKind]bool{
		trace.Routine: true, trace.Event: false, trace.State: false,
	} {
		for _, in := range [2]bool{false, true} {
			p := pair.New(side(kind, in), side(kind, !in), pair.Rules{})
			v, err := aligned(t, p, Options{}).Virtual(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			line, err := v.Timeline(context.Background(), 100)
			if err != nil {
				t.Fatal(err)
			}
			if got := slices.Max(line.Dissimilarity) > 0; got != want {
				t.Errorf("kind %d in B: %v, differs %v, want %v", kind, !in, got, want)
			}
		}
	}
}
