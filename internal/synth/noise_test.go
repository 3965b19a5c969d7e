package synth

import (
	"context"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// stretched returns the logarithms of what a clock makes of calls of 1 ms that begin one after
// another over a run of a second.
func stretched(c *Clock, calls int) []float64 {
	off := make([]float64, calls)
	for i := range off {
		off[i] = math.Log(float64(c.Stretch(1e6, int64(i)*1e9/int64(calls))) / 1e6)
	}
	return off
}

// widthOf returns half of the distance between the quantiles that lie a standard deviation off.
func widthOf(off []float64) float64 {
	off = slices.Sorted(slices.Values(off))
	return (off[len(off)*84/100] - off[len(off)*16/100]) / 2
}

func machineOf(n Noise, pace float64) *Machine { return NewMachine(n, 5, pace, 1e9, 1000) }

// TestNoiseIsAsLargeAsAskedFor measures the noise of clocks.
func TestNoiseIsAsLargeAsAskedFor(t *testing.T) {
	for _, want := range []float64{.02, .05, .2} {
		if got := widthOf(stretched(machineOf(Noise{Calls: want}, 1).Thread(3), 20_000)); math.Abs(
			got/want-1) > .1 {
			t.Errorf("calls vary by %v, want %v", got, want)
		}
		if got := widthOf(stretched(machineOf(Noise{Drift: want}, 1).Thread(3), 20_000)); got < want/2 ||
			got > 2*want {
			t.Errorf("the pace varies by %v, want %v", got, want)
		}
	}
	stalls := 0
	for _, off := range stretched(machineOf(Noise{Stalls: .01}, 1).Thread(0), 20_000) {
		stalls += toInt(off > math.Log(1+leastStall*1e-3-1e-9))
	}
	if stalls < 150 || stalls > 250 {
		t.Errorf("%d of 20000 calls stall, want 200", stalls)
	}
	if got := stretched(machineOf(Noise{}, 1.5).Thread(0), 10); math.Abs(got[7]-math.Log(1.5)) > 1e-4 {
		t.Errorf("a pace of 1.5 makes calls longer by %v", math.Exp(got[7]))
	}
}

// TestDriftIsOfTheMachine holds that all threads have one pace at one moment, which changes slowly.
func TestDriftIsOfTheMachine(t *testing.T) {
	m := machineOf(Noise{Drift: .1}, 1)
	one, other := stretched(m.Thread(0), 4*driftSteps), stretched(m.Thread(1), 4*driftSteps)
	if !slices.Equal(one, other) {
		t.Error("two threads drift apart")
	}
	for i := range one {
		if i%4 != 0 && one[i] != one[i-1] {
			t.Error("the pace changes within a step, at", i)
		}
	}
	if slices.Min(one) == slices.Max(one) {
		t.Error("no drift")
	}
}

// TestNoiseIsNoEdit holds that noise changes the times of both sides, each in its own way, and
// neither calls nor truth.
func TestNoiseIsNoEdit(t *testing.T) {
	o := Options{Seed: 4, Calls: 3000, Threads: 2, Functions: 150,
		Edits: map[Kind]float64{Insert: .01, Slow: .01, Delete: .01}}
	still := generateTruth(t, o)
	o.Noise, o.Pace = Noise{.05, .05, .001}, 1.3
	noisy := generateTruth(t, o)
	if !reflect.DeepEqual(still.Edits, noisy.Edits) || still.Calls != noisy.Calls {
		t.Error("noise changes what is edited")
	}
	if again := generateTruth(t, o); !reflect.DeepEqual(noisy, again) {
		t.Error("the same options give another pair")
	}
}

// generateTruth generates a pair and returns its truth.
func generateTruth(t *testing.T, o Options) *Truth {
	t.Helper()
	dir := t.TempDir()
	b := filepath.Join(dir, "b.json")
	if _, err := Generate(context.Background(), o, filepath.Join(dir, "a.json"), b, nil); err != nil {
		t.Fatal(err)
	}
	truth, err := ReadTruth(TruthName(b))
	if err != nil {
		t.Fatal(err)
	}
	return truth
}

func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
