package finding

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

// calls are numbers of calls: "f g" is how often f calls g.
type calls map[string]int64

// countedProfile makes a profile of costs whose recorder has counted these calls.
func countedProfile(t testtrace.TB, unit trace.Unit, counts calls, top *call) *trace.Trace {
	b := trace.NewBuilder("test")
	b.Kind, b.Unit, b.Symbols, b.Exact = trace.Profile, unit, true, unit != trace.Nanoseconds
	fn := func(name string) trace.FuncID { return b.Function(trace.Function{Name: name}) }
	for _, ends := range slices.Sorted(maps.Keys(counts)) {
		caller, callee, _ := strings.Cut(ends, " ")
		b.CountCalls(fn(caller), fn(callee), counts[ends])
	}
	return recordedAs(t, b, nil, top)
}

// side is one of two profiles.
type side struct {
	counts calls
	kids   []*call // of main
}

// TestCountedCalls holds what sentences say of calls that were counted.
func TestCountedCalls(t *testing.T) {
	alone := func(name string, self, n int64) side {
		return side{calls{"main " + name: n}, []*call{f(name, self)}}
	}
	for _, c := range []struct {
		what string
		unit trace.Unit
		a, b side
		want []string
	}{
		{"more calls, each as costly", "Ir", alone("f", 50_000_000, 100_000), alone("f", 100_000_000, 200_000),
			[]string{"f is called 200\u2009000 times instead of 100\u2009000 by main: +50.0 M Ir of self cost, 500 Ir each"}},
		{"fewer calls", "Ir", alone("f", 100_000, 200), alone("f", 30_000, 50),
			[]string{"f is called 50 times instead of 200 by main: −70.0 k Ir of self cost, 600 Ir each instead of 500 Ir"}},
		{"as many calls, each more costly", "Ir", alone("f", 50_000, 100), alone("f", 100_000, 100),
			[]string{"f takes 100 k Ir of self cost instead of 50.0 k Ir: +50.0 k Ir over 100 calls by main, 1.00 k Ir each instead of 500 Ir"}},
		{"costs that were counted differ by no chance, however large those of others are", "Ir",
			side{calls{"main f": 100}, []*call{f("f", 30_000_000), f("x", 50_000_000), f("y", 60_000_000), f("z", 70_000_000)}},
			side{calls{"main f": 100}, []*call{f("f", 60_000_000), f("x", 50_000_000), f("y", 60_000_000), f("z", 70_000_000)}},
			[]string{"f takes 60.0 M Ir of self cost instead of 30.0 M Ir: +30.0 M Ir over 100 calls by main, 600 k Ir each instead of 300 k Ir"}},
		{"more calls, each more costly", "Ir", alone("f", 50_000, 100), alone("f", 300_000, 200),
			[]string{"f takes 300 k Ir of self cost instead of 50.0 k Ir: +250 k Ir over 100 → 200 calls by main, 1.50 k Ir each instead of 500 Ir"}},
		{"more calls, each of which costs less", "Ir", alone("f", 50_000, 100), alone("f", 40_000, 1000),
			[]string{"f takes 40.0 k Ir of self cost instead of 50.0 k Ir: −10.0 k Ir over 100 → 1\u2009000 calls by main, 40 Ir each instead of 500 Ir"}},
		{"time that both sides have, and a function that B alone calls", trace.Nanoseconds,
			side{calls{"main x": 100, "main y": 100}, []*call{f("x", 500_000), f("y", 600_000)}},
			side{calls{"main x": 100, "main y": 100, "main f": 9000}, []*call{f("x", 600_000), f("y", 500_000), f("f", 300_000)}},
			[]string{"f is new in B: +300 µs of self time over 9\u2009000 calls by main, 33.3 ns each"}},
		{"one call", "Ir", alone("f", 50_000, 1), alone("f", 60_000, 1),
			[]string{"f takes 60.0 k Ir of self cost instead of 50.0 k Ir: +10.0 k Ir"}},
		{"a function that B alone has, and one that A has", "Ir", alone("f", 50_000, 100), alone("g", 7000, 10),
			[]string{"f is missing in B: −50.0 k Ir of self cost over 100 calls by main, 500 Ir each",
				"g is new in B: +7.00 k Ir of self cost over 10 calls by main, 700 Ir each"}},
		{"a new name, with more calls", "Ir", side{calls{"main score": 100}, []*call{f("score", 18_000)}},
			side{calls{"main rank_score": 300}, []*call{f("rank_score", 18_004)}},
			[]string{"score is named rank_score in B: the same callers and callees, 18.000 k Ir → 18.004 k Ir including callees " +
				"over 100 → 300 calls by main, 60.0 Ir each instead of 180 Ir"}},
		{"no new name of a function that B calls, too, though that costs nothing", "Ir",
			side{calls{"main f": 100}, []*call{f("f", 18_000)}}, side{calls{"main f": 100, "main g": 100}, []*call{f("g", 18_004)}},
			[]string{"f takes no self cost instead of 18.0 k Ir over 100 calls by main, 0 Ir each instead of 180 Ir",
				"g is new in B: +18.0 k Ir of self cost over 100 calls by main, 180 Ir each"}},
		{"a caller of several", "Ir",
			side{calls{"main g": 10, "main h": 10, "g f": 100, "h f": 600}, []*call{f("g", 1, f("f", 100_000)), f("h", 1, f("f", 600_000))}},
			side{calls{"main g": 10, "main h": 10, "g f": 900, "h f": 601}, []*call{f("g", 1, f("f", 900_000)), f("h", 1, f("f", 601_000))}},
			[]string{"f is called 1\u2009501 times instead of 700, by g 100 → 900: +801 k Ir of self cost, 1.00 k Ir each"}},
		{"recursion", "Ir", side{calls{"main f": 1, "f f": 99}, []*call{f("f", 50_000)}},
			side{calls{"main f": 1, "f f": 399}, []*call{f("f", 200_000)}},
			[]string{"f is called 400 times instead of 100, by itself 99 → 399: +150 k Ir of self cost, 500 Ir each"}},
		{"callees that are small by themselves", "Ir",
			side{calls{"main f": 10, "f x": 10}, []*call{f("f", 0, f("x", 50)), f("rest", 1_000_000)}},
			side{calls{"main f": 40, "f x": 40, "f y": 40}, []*call{f("f", 40, f("x", 90), f("y", 80)), f("rest", 1_000_000)}},
			[]string{"f is called 40 times instead of 10 by main: +160 Ir including callees, 5.25 Ir each instead of 5 Ir"}},
		{"that f costs nothing of what is shown does not mean that it is never called", "Dw",
			side{calls{"main f": 100}, []*call{f("f", 50_000)}}, side{calls{"main f": 100}, nil},
			[]string{"f takes no self cost instead of 50.0 k Dw over 100 calls by main, 0 Dw each instead of 500 Dw"}},
		{"what is called before the recorder began has no counts", "Ir",
			side{calls{"f g": 9}, []*call{f("f", 50_000, f("g", 9))}}, side{calls{"main f": 100, "f g": 9}, []*call{f("f", 100_000, f("g", 9))}},
			[]string{"f takes 100 k Ir of self cost instead of 50.0 k Ir: +50.0 k Ir"}},
		{"one side counts no calls, as cachegrind", "Ir", side{nil, []*call{f("f", 50_000)}}, alone("f", 100_000, 7),
			[]string{"f takes 100 k Ir of self cost instead of 50.0 k Ir: +50.0 k Ir"}},
		{"times are measured: that of more calls is no chance", "ns", alone("f", 50_000, 100), alone("f", 100_000, 200),
			[]string{"f is called 200 times instead of 100 by main: +50.0 µs of self time, 500 ns each"}},
		{"that of as many calls may be", "ns", alone("f", 50_000, 100), alone("f", 100_000, 100), nil},
	} {
		profile := func(s side) *trace.Trace {
			return countedProfile(t, c.unit, s.counts, f("main", 20_000, append(s.kids, f("end", 80_000))...))
		}
		p, _, r := compared(t, profile(c.a), profile(c.b))
		checkClaims(t, p, r)
		var got []string
		for _, f := range r.Findings {
			got = append(got, f.Text)
		}
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.what, got, c.want)
		}
	}
}

// TestCountedClaims counts what is claimed of random profiles again.
func TestCountedClaims(t *testing.T) {
	told := 0
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) *trace.Trace {
			counts := calls{}
			for range rapid.IntRange(0, 12).Draw(t, label+" counts") {
				fn := func(what string) string { return fmt.Sprint("f", rapid.IntRange(0, 6).Draw(t, label+what)) }
				counts[fn(" caller")+" "+fn(" callee")] = rapid.Int64Range(1, 1<<40).Draw(t, label+" calls")
			}
			unit := rapid.SampledFrom([]trace.Unit{"Ir", trace.Nanoseconds}).Draw(t, "unit")
			return countedProfile(t, unit, counts, someCalls(t, label))
		}
		p, _, r := compared(t, draw("A"), draw("B"))
		checkClaims(t, p, r)
		for _, f := range r.Findings {
			told += toInt(strings.Contains(f.Text, "each"))
		}
	})
	if told == 0 {
		t.Error("nothing is told of calls that were counted")
	}
}

// TestOrders holds what is told of a recording: how often functions are called, callgrind_annotate
// says the same.
func TestOrders(t *testing.T) {
	var sides [2]*trace.Trace
	for sd, name := range []string{"orders", "orders-changed"} {
		var err error
		path := filepath.Join("..", "..", "..", "testdata", "callgrind", name+".callgrind")
		if sides[sd], err = traceio.Load(t.Context(), path, input.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	_, _, r := compared(t, sides[0], sides[1])
	for _, want := range []string{
		"check takes 572 k Ir of self cost instead of 192 k Ir: +380 k Ir over 500 calls by take, 1.14 k Ir each instead of 384 Ir",
		"note is called 50 times instead of 500 by main: −28.4 k Ir of self cost, 133 Ir each instead of 70 Ir",
		"look_up is called 1\u2009000 times instead of 500 by take: +6.79 k Ir of self cost, 13.6 Ir each",
		"stamp is new in B: +4.50 k Ir of self cost over 500 calls by take, 9 Ir each",
		"tax is named duty in B: the same callers and callees, 3.50 k Ir including callees over 500 calls by take, 7 Ir each",
	} {
		if !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Text == want && f.Certainty == Certain }) {
			t.Errorf("%q is not told: %+v", want, r.Findings)
		}
	}
}

// TestCountedCauses holds that of functions which call each other more often, or less, the outermost
// is told with its callees, which follow from it, also where their costs are split among callers by
// estimate; but a callee that costs more a call is told by itself.
func TestCountedCauses(t *testing.T) {
	build := func(lines, each int64) *trace.Trace {
		format := func(n, each int64) *call { return f("format", 30*n, f("write", each*n)) }
		return countedProfile(t, "Ir", calls{"main order": 500, "order line": lines, "order format": 400,
			"line format": lines, "format write": 400 + lines},
			f("main", 20_000, f("order", 15_000, f("line", 10*lines, format(lines, each)),
				format(400, each-lines/100)), f("end", 80_000)))
	}
	for each, want := range map[int64]string{170: "line, including callees", 400: "write; line"} {
		for _, turned := range []bool{false, true} {
			a, b := build(500, 170), build(1000, each)
			if turned {
				a, b = b, a
			}
			p, _, r := compared(t, a, b)
			checkClaims(t, p, r)
			var causes []string
			for _, f := range r.Findings {
				if f.Under >= 0 {
					continue
				}
				if causes = append(causes, f.Function); strings.Contains(f.Text, "including callees") {
					causes[len(causes)-1] += ", including callees"
				}
			}
			if got := strings.Join(causes, "; "); got != want {
				t.Errorf("%d Ir each: caused by %q, want %q: %+v", each, got, want, r.Findings)
			}
		}
	}
}

// TestCostsOfACallThatHardlyDiffer holds that what a call costs is told of both sides only where it
// differs by a part that is worth it.
func TestCostsOfACallThatHardlyDiffer(t *testing.T) {
	s := &study{unit: "Ir"}
	for want, cost := range map[string][2]int64{", 333 Ir each": {33_400, 33_300}, ", 343 Ir each instead of 334 Ir": {33_400, 34_300}} {
		if got := s.eachCosts([2]int64{100, 100}, cost); got != want {
			t.Errorf("%v: %q, want %q", cost, got, want)
		}
	}
}
