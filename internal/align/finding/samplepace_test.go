package finding

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// TestThePaceOfSamples holds that what runs the whole program is told neither where a busy machine
// makes all functions take more samples, nor if its name says nothing; and that a function is which
// alone has more.
func TestThePaceOfSamples(t *testing.T) {
	const ms = 1_000_000
	build := func(seed uint64, root string, pace, hot float64) *trace.Trace {
		r := rand.New(rand.NewPCG(seed, 0))
		b := trace.NewBuilder("test")
		b.Kind, b.Symbols = trace.Profile, true
		fn := func(name string) trace.FuncID { return b.Function(trace.Function{Name: name}) }
		th, now := b.Thread("1", -1), int64(0)
		th.Begin(0, fn(root))
		for k := range 60 {
			samples := pace * float64(20+k%5)
			if k == 7 {
				samples *= hot
			}
			samples += math.Sqrt(samples) * r.NormFloat64() / 2
			th.Begin(now, fn(fmt.Sprint("work", k)))
			for range max(int(samples), 1) {
				th.Complete(now, now+ms, fn(fmt.Sprint("leaf", k)))
				now += ms
			}
			th.End(now)
		}
		th.End(now)
		return testtrace.Build(t, b)
	}
	for _, c := range []struct {
		root      string
		pace, hot float64
		want      string // told
	}{{"run", 1, 1, ""}, {"run", 1.5, 1, ""}, {"[unknown]", 1, 4, "leaf7"}, {"run", 1, 4, "leaf7"}, {"run", 1.5, 4, "leaf7"}} {
		for _, turned := range []bool{false, true} {
			a, b := build(1, c.root, 1, 1), build(2, c.root, c.pace, c.hot)
			pace := c.pace
			if turned {
				a, b, pace = b, a, 1/pace
			}
			_, _, r := compared(t, a, b)
			got := ""
			for _, f := range r.Findings {
				got += f.Function
			}
			if got != c.want || math.Abs(math.Log(r.Pace/pace)) > 0.1 {
				t.Errorf("%+v: pace %v, told %q", c, r.Pace, got)
			}
		}
	}
}

// TestAFactorOfThreeIsNoPace holds that no busy machine makes all functions take three times as many
// samples.
func TestAFactorOfThreeIsNoPace(t *testing.T) {
	var a, b []stack
	for k := range 30 {
		a = append(a, stack{fmt.Sprint("run>work", k), 20})
		b = append(b, stack{fmt.Sprint("run>work", k), 60 + k%3})
	}
	if _, _, r := compared(t, profileOf(t, a...), profileOf(t, b...)); r.Pace != 1 || len(r.Findings) == 0 {
		t.Errorf("pace %v: %+v", r.Pace, r.Findings)
	}
}

// TestNamesThatSayNothing holds which names recorders write for want of one.
func TestNamesThatSayNothing(t *testing.T) {
	for name, want := range map[string]bool{"[unknown]": true, "(unknown)": true, "??": true, "": true,
		"[lua5.4]": false, "unknown_tag": false, "0x7f4c887508a8": false, "λ": false} {
		if saysNothing(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}
