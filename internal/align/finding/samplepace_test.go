package finding

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// TestThePaceOfSamples holds that what runs the whole program is told neither where a busy machine
// makes all functions take more samples, nor if its name says nothing; and that a function is which
// alone has more. Both hold of times and of numbers of samples.
func TestThePaceOfSamples(t *testing.T) {
	for unit, each := range map[trace.Unit]int64{trace.Nanoseconds: 1_000_000, trace.Counted: 1} {
		testPaceOfSamples(t, unit, each)
	}
}

func testPaceOfSamples(t *testing.T, unit trace.Unit, each int64) {
	build := func(seed uint64, root string, pace, hot float64) *trace.Trace {
		r := rand.New(rand.NewPCG(seed, 0))
		b := trace.NewBuilder("test")
		b.Kind, b.Unit, b.Symbols = trace.Profile, unit, true
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
				th.Complete(now, now+each, fn(fmt.Sprint("leaf", k)))
				now += each
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
				t.Errorf("%s: %+v: pace %v, told %q", unit, c, r.Pace, got)
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

// TestTheWholeProgramIsSlower holds that what runs the whole program could be slower by chance where
// too few functions say what the pace is; but not if one of them has more by itself.
func TestTheWholeProgramIsSlower(t *testing.T) {
	program := func(factor, hot int) *trace.Trace {
		return profileOf(t, stack{"run>total", 100 * factor / 10}, stack{"run>serialize", 110 * factor / 10 * hot},
			stack{"run>clone", 90 * factor / 10}, stack{"run>apply", 105 * factor / 10}, stack{"run>format", 95 * factor / 10})
	}
	for _, c := range []struct {
		factor, hot int
		function    string
		want        Certainty
	}{{14, 1, "run", Chance}, {30, 1, "run", Certain}, {10, 3, "serialize", Certain}} {
		for _, turned := range []bool{false, true} {
			a, b := program(10, 1), program(c.factor, c.hot)
			if turned {
				a, b = b, a
			}
			_, _, r := compared(t, a, b)
			for _, f := range r.Findings {
				if f.Function == "run" && f.Certainty != c.want || c.function != "run" && f.Function == "run" {
					t.Errorf("%+v: %v: %s", c, f.Certainty, f.Sentence())
				}
			}
			if len(r.Findings) == 0 {
				t.Errorf("%+v: nothing is told", c)
			}
		}
	}
}

// TestFewStacksElsewhere holds that allocations which another caller makes could be chance, if they
// are few stacks, and that a profile of allocations has no new functions, but some that allocate.
func TestFewStacksElsewhere(t *testing.T) {
	heap := func(first string, tables, rows int64) *trace.Trace {
		b := trace.NewBuilder("test")
		b.Kind, b.Unit, b.Symbols = trace.Profile, "bytes", true
		th, now := b.Thread("1", -1), int64(0)
		add := func(n int64, names ...string) {
			for _, name := range names {
				th.Begin(now, b.Function(trace.Function{Name: name}))
			}
			now += n
			for range names {
				th.End(now)
			}
		}
		for k := range int64(60) {
			add(2000+k, "main", fmt.Sprint("work", k))
		}
		add(3000, "main", "build", "sample")
		add(3000, "main", "build", "locate")
		add(tables/2, "main", "build", first, "NewWriter")
		add(tables/2, "main", "build", first, "NewWriter", "init")
		if rows > 0 {
			add(rows, "main", "encode")
		}
		return testtrace.Build(t, b)
	}
	_, _, r := compared(t, heap("sample", 1_000_000, 0), heap("locate", 1_010_000, 500_000))
	for _, f := range r.Findings {
		want := map[string]Certainty{"sample": Chance, "locate": Chance, "encode": Certain}
		if level, known := want[f.Function]; !known || f.Certainty != level || strings.Contains(f.Text, "new in B") {
			t.Errorf("%v: %s", f.Certainty, f.Sentence())
		}
	}
	if len(r.Findings) != 3 {
		t.Errorf("%d findings", len(r.Findings))
	}
}
