package finding

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// TestWrittenNumbersOfCalls holds that recorded calls which only one of two sides has, of a recorder
// that leaves out short ones, could be chance if the recorder has counted as many on both sides, or
// fewer there, however long they were held up; and that they are none if it has counted more.
func TestWrittenNumbersOfCalls(t *testing.T) {
	const ms = 1_000_000
	build := func(passes, inlined, once int64, counts map[string]int64) *trace.Trace {
		b := trace.NewBuilder("test")
		th, now := b.Thread("1", -1), int64(0)
		call := func(name string, ns int64) {
			th.Begin(now, b.Function(trace.Function{Name: name}))
			if ns == 20*ms {
				th.Complete(now, now+ns, b.Function(trace.Function{Name: "detail"}))
			}
			now += ns
			th.End(now)
		}
		for round := range int64(30) {
			for k := range int64(12) {
				call(fmt.Sprint("pass", k), ms/2+ms/100*((7*round+k)%60))
			}
			if round < inlined {
				call("inline", 20*ms)
			}
			if round < passes {
				call("sroa", 20*ms)
			}
			if round < once {
				call("once", 20*ms)
			}
		}
		for k, name := range []string{"inline", "sroa", "once"} {
			if n, known := counts[name]; known {
				sum := b.Thread(fmt.Sprint(2+k), -1)
				sum.SetKind(trace.Sums)
				ref := sum.Complete(0, 40*ms, b.Function(trace.Function{Name: "Total " + name}))
				sum.Args(ref, fmt.Appendf(nil, `{"count":%d,"avg ms":0}`, n))
			}
		}
		return testtrace.Build(t, b)
	}
	type counts = map[string]int64
	for _, c := range []struct {
		what string
		a, b counts
		want Certainty // of what is told of sroa, which A has 4 recorded calls of, and B 20
	}{
		{"nothing is counted", nil, nil, Certain},
		{"nothing in A", nil, counts{"sroa": 90}, Certain},
		{"as many", counts{"sroa": 90}, counts{"sroa": 90}, Chance},
		{"fewer", counts{"sroa": 90}, counts{"sroa": 80}, Chance},
		{"more", counts{"sroa": 90}, counts{"sroa": 180}, Certain},
		{"only others", counts{"inline": 90}, counts{"inline": 90}, Certain},
	} {
		for _, turned := range []bool{false, true} {
			a, b := build(4, 0, 0, c.a), build(20, 0, 0, c.b)
			if turned {
				a, b = b, a
			}
			p, _, r := compared(t, a, b)
			if id := slices.Index(p.Names, "sroa"); r.LeavesOut(uint32(id)) != (c.want == Chance) {
				t.Errorf("%s: calls are left out: %v", c.what, !(c.want == Chance))
			}
			k := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Function == "sroa" && f.counts() })
			if k < 0 || r.Findings[k].Certainty != c.want ||
				strings.Contains(r.Findings[k].Text, "; with the short calls that are not recorded, ") != (c.want == Chance) {
				t.Errorf("%s: want %v: %+v", c.what, c.want, r.Findings)
			}
		}
	}
	both := counts{"once": 20, "inline": 20}
	for _, turned := range []bool{false, true} {
		a, b := build(0, 0, 20, both), build(0, 20, 0, both)
		if turned {
			a, b = b, a
		}
		_, _, r := compared(t, a, b)
		for _, f := range r.Findings {
			if f.Kind == Renamed || f.OfOneSide() && f.Certainty != Chance {
				t.Errorf("both sides call both functions, by what is counted: %+v", f)
			}
		}
	}
}

// TestCountedCallsFollowNoChance holds that calls of which the recorder has counted more do not
// follow from recorded calls of their caller that could be chance, but do from those that are none.
func TestCountedCallsFollowNoChance(t *testing.T) {
	const ms = 1_000_000
	build := func(adaptors, passes int64, counts map[string]int64) *trace.Trace {
		b := trace.NewBuilder("test")
		th, now := b.Thread("1", -1), int64(0)
		call := func(name string, ns int64) {
			th.Complete(now, now+ns, b.Function(trace.Function{Name: name}))
			now += ns
		}
		for k := range int64(360) {
			call(fmt.Sprint("pass", k%12), ms/2+ms/100*(7*k%60))
		}
		for range adaptors {
			th.Begin(now, b.Function(trace.Function{Name: "adaptor"}))
			for range passes / adaptors {
				call("simplify", 20*ms)
			}
			th.End(now)
		}
		for name, n := range counts {
			sum := b.Thread("total "+name, -1)
			sum.SetKind(trace.Sums)
			sum.Args(sum.Complete(0, 40*ms, b.Function(trace.Function{Name: "Total " + name})), fmt.Appendf(nil, `{"count":%d}`, n))
		}
		return testtrace.Build(t, b)
	}
	type counts = map[string]int64
	for _, c := range []struct {
		adaptors int64
		under    bool
	}{{60, false}, {120, true}} {
		for _, turned := range []bool{false, true} {
			a, b := build(50, 100, counts{"adaptor": 60, "simplify": 300}), build(80, 400, counts{"adaptor": c.adaptors, "simplify": 900})
			if turned {
				a, b = b, a
			}
			_, _, r := compared(t, a, b)
			k := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Function == "simplify" && f.counts() })
			if k < 0 || r.Findings[k].Certainty == Chance || r.Findings[k].Under >= 0 != c.under {
				t.Errorf("%d calls of adaptor counted: simplify follows from it: %+v, want %v", c.adaptors, r.Findings, c.under)
			}
		}
	}
}
