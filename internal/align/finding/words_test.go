package finding

import (
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/plural"
	"diptych/internal/trace"
)

func TestLength(t *testing.T) {
	for _, tt := range []struct {
		n    int64
		unit trace.Unit
		want string
	}{
		{0, trace.Nanoseconds, "0 ns"},
		{1, trace.Nanoseconds, "1 ns"},
		{999, trace.Nanoseconds, "999 ns"},
		{1000, trace.Nanoseconds, "1.00 µs"},
		{1234, trace.Nanoseconds, "1.23 µs"},
		{99_900, trace.Nanoseconds, "99.9 µs"},
		{123_456, trace.Nanoseconds, "123 µs"},
		{999_499, trace.Nanoseconds, "999 µs"},
		{999_500, trace.Nanoseconds, "1.00 ms"},
		{12_340_000, trace.Nanoseconds, "12.3 ms"},
		{59e9, trace.Nanoseconds, "59.0 s"},
		{1234e9, trace.Nanoseconds, "20.6 min"},
		{1500, "", "1.50 µs"},
		{1500, "bytes", "1.46 KiB"},
		{7, "samples", "7 samples"},
	} {
		if got := Length(tt.n, tt.unit); got != tt.want {
			t.Errorf("%d %s is written %q, want %q", tt.n, tt.unit, got, tt.want)
		}
	}
}

func TestSignsAndPlurals(t *testing.T) {
	s := &study{p: &pair.Pair{}, unit: trace.Nanoseconds}
	for ns, want := range map[int64]string{0: "+0 ns", 5: "+5 ns", -5: "−5 ns", -1500: "−1.50 µs"} {
		if got := s.signed(ns); got != want {
			t.Errorf("%d is written %q, want %q", ns, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 calls", 1: "1 call", 2: "2 calls", 1001: "1001 calls"} {
		if got := plural.Of(n, "call"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestRatios: large ratios have no decimals, small ones are in per cent, and where one side took no
// time there is none.
func TestRatios(t *testing.T) {
	for _, tt := range []struct {
		a, b int64
		want string
	}{
		{100, 23_100, "231×"},
		{100, 1000, "10×"},
		{100, 949, "9.5×"},
		{100, 230, "2.3×"},
		{100, 110, "1.1×"},
		{100, 109, "9 % higher"},
		{1000, 1005, "0.5 % higher"},
		{100, 95, "5 % lower"},
		{100, 50, "50 % lower"},
		{1000, 9, "1/111 of A's"},
		{100, 0, "gone"},
		{0, 500, "higher"},
	} {
		if got := ratioWords([2]int64{tt.a, tt.b}); got != tt.want {
			t.Errorf("from %d to %d: %q, want %q", tt.a, tt.b, got, tt.want)
		}
	}
}

// studied returns a study in which each side has these totals of f, whose calls may be inferred
// from samples.
func studied(sampled bool, a, b total) *study {
	of := trace.NewBuilder("test")
	th := of.Thread("1", -1)
	if th.Complete(0, 1, of.Function(trace.Function{Name: "f"})); sampled {
		th.SetSampled()
	}
	tr, err := of.Build(context.Background())
	if err != nil {
		panic(err)
	}
	s := &study{p: pair.New(tr, tr, pair.Rules{}), unit: trace.Nanoseconds, sums: sums{names: []string{"f"}},
		report: &Report{Pace: 1}, mostIn: make([]oneThread, 1)}
	for sd, t := range [2]total{a, b} {
		s.totals[sd] = &totals{functions: []total{t}}
	}
	return s
}

func TestEffortWords(t *testing.T) {
	burst := weighed{sum: 900, strange: [2]strange{1: {count: 10, ns: 900, self: [2]float64{100, 1000}}}}
	pairs := &effort{pairs: 4}
	for _, tt := range []struct {
		name string
		f    Finding
		j    judged
		a, b total
		want string
	}{
		{"slower", Finding{Kind: Slower, DeltaNs: 400}, judged{v: weighed{sum: 400}},
			total{calls: 4, self: 400}, total{calls: 4, self: 800},
			"f: its self time is 2.0×, +400 ns over 4 calls."},
		{"sampled", Finding{Kind: Slower, DeltaNs: 400}, judged{v: weighed{sum: 400}},
			total{calls: 4, self: 400}, total{calls: 5, self: 800},
			"f: its self time is 2.0×, +400 ns, sampled in 4 → 5 calls."},
		{"faster, by chance", Finding{Kind: Faster, DeltaNs: -400, Certainty: Chance},
			judged{v: weighed{sum: -400}}, total{calls: 4, self: 800}, total{calls: 5, self: 400},
			"f: its self time is 50 % lower, −400 ns over 4 → 5 calls; could be chance."},
		{"on average", Finding{Kind: Slower, DeltaNs: 400}, judged{v: weighed{sum: 400}, means: true},
			total{calls: 4, self: 400}, total{calls: 40, self: 8000},
			"f: its self time is 2.0× on average a call, +400 ns over 4 → 40 calls."},
		{"one call", Finding{Kind: Slower, DeltaNs: 400}, judged{v: weighed{sum: 400, most: [2]float64{0, 390}, largest: [2]twin{1: {a: 10, b: 400}}}},
			total{calls: 4, self: 400}, total{calls: 4, self: 800},
			"f: its self time is 2.0×, +400 ns over 4 calls, almost all of it in one call: 400 ns instead of 10 ns."},
		{"a burst that is one call", Finding{Kind: Burst, DeltaNs: -900}, judged{ns: -900, v: weighed{sum: -900,
			most: [2]float64{880, 0}, largest: [2]twin{{a: 1000, b: 120}},
			strange: [2]strange{{count: 5, ns: 900, self: [2]float64{1100, 200}}}}},
			total{calls: 100, self: 2000}, total{calls: 100, self: 1100},
			"One of 100 calls of f takes 120 ns instead of 1.00 µs, −900 ns of self time in all."},
		{"one thread", Finding{Kind: Slower, DeltaNs: 400}, judged{v: weighed{sum: 400}, thread: "worker 3"},
			total{calls: 4, self: 400}, total{calls: 4, self: 800},
			"f: its self time is 2.0×, +400 ns over 4 calls, most of it in worker 3."},
		{"burst", Finding{Kind: Burst, DeltaNs: 900}, judged{v: burst, ns: 900},
			total{calls: 100, self: 1000}, total{calls: 100, self: 1900},
			"10 of 100 calls of f take 10× as long, +900 ns of self time in all."},
		{"the rest stalls", Finding{Kind: Slower, DeltaNs: 100}, judged{v: burst, ns: 900, bulkOnly: true},
			total{calls: 100, self: 1000}, total{calls: 100, self: 1900},
			"f: its self time is 1.9×, +900 ns over 100 calls, of which +800 ns are due to 10 calls " +
				"that could be chance."},
		{"much faster", Finding{Kind: Faster, DeltaNs: -1990}, judged{v: weighed{sum: -1990}},
			total{calls: 4, self: 2000}, total{calls: 4, self: 10},
			"f: its self time is 1/200 of A's, −1.99 µs over 4 calls."},
		{"a few much faster", Finding{Kind: Burst, DeltaNs: -900}, judged{ns: -900, v: weighed{sum: -900,
			strange: [2]strange{{count: 10, ns: 900, self: [2]float64{1000, 50}}}}},
			total{calls: 100, self: 2000}, total{calls: 100, self: 1100},
			"10 of 100 calls of f take 1/20 of the time, −900 ns of self time in all."},
		{"waits longer", Finding{Kind: Slower, DeltaNs: 400, Waiting: true}, judged{v: weighed{sum: 400}},
			total{calls: 4, self: 400}, total{calls: 4, self: 800},
			"f waits longer: +400 ns over 4 calls; the cause lies with what it waits for."},
		{"waits less", Finding{Kind: Faster, DeltaNs: -400, Waiting: true}, judged{v: weighed{sum: -400}},
			total{calls: 4, self: 800}, total{calls: 4, self: 400},
			"f waits less: −400 ns over 4 calls; the cause lies with what it waits for."},
		{"one waits longer", Finding{Kind: Slower, DeltaNs: 400, Waiting: true, Certainty: Chance},
			judged{v: weighed{sum: 400}, thread: "main"}, total{calls: 4, self: 400}, total{calls: 4, self: 800},
			"f waits longer: +400 ns over 4 calls, most of it in main; the cause lies with what it waits " +
				"for; could be chance."},
		{"asynchronous", Finding{Kind: Slower, DeltaNs: 400, Waiting: true}, judged{v: weighed{sum: 400}},
			total{calls: 1, self: 400, inAll: 400, async: 400}, total{calls: 2, self: 800, inAll: 800, async: 600},
			"f takes more time: +400 ns over 1 → 2 asynchronous spans."},
		{"shorter", Finding{Kind: Faster, DeltaNs: -400, Waiting: true}, judged{v: weighed{sum: -400}},
			total{calls: 1, self: 800, inAll: 800, async: 800}, total{calls: 1, self: 400, inAll: 400, async: 400},
			"f takes less time: −400 ns over 1 asynchronous span."},
	} {
		tt.f.Function, tt.j.caller, tt.j.by, tt.j.e = "f", anywhere, atRoot, pairs
		if tt.j.ns == 0 {
			tt.j.ns = tt.f.DeltaNs
		}
		if got := studied(strings.HasPrefix(tt.name, "sampled"), tt.a, tt.b).effortWords(&tt.f, &tt.j) + Labelled(tt.f.Certainty); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

func TestCountWords(t *testing.T) {
	const sampled = "sampled" // a caller that stands for calls inferred from samples
	for _, tt := range []struct {
		f    Finding
		want string
	}{
		{Finding{Kind: Missing, DeltaNs: -2500, Calls: [2]int64{1, 0}},
			"f is missing in B: 1 call, −2.50 µs including callees."},
		{Finding{Kind: Missing, Calls: [2]int64{19, 0}}, "f is missing in B: 19 calls."},
		{Finding{Kind: Called, Calls: [2]int64{1, 3}}, "f is called 3 times instead of 1."},
		{Finding{Kind: Missing, Calls: [2]int64{2, 0}, DeltaNs: -30, Caller: sampled},
			"f is sampled in A only, in 2 calls: −30 ns including callees."},
		{Finding{Kind: Called, Calls: [2]int64{570, 204}, DeltaNs: -30, Caller: sampled},
			"f is sampled in 204 calls instead of 570: −30 ns including callees."},
		{Finding{Kind: New, DeltaNs: 2500, Calls: [2]int64{0, 3}, Certainty: Chance},
			"f is new in B: 3 calls, +2.50 µs including callees; could be chance."},
		{Finding{Kind: New, DeltaNs: 2500, Calls: [2]int64{0, 3}, Waiting: true}, "f is new in B: 3 calls, " +
			"+2.50 µs including callees, most of it waiting; the cause lies with what they wait for."},
		{Finding{Kind: New, DeltaNs: 25, Calls: [2]int64{0, 3}, Waiting: true, scope: ofSelf},
			"f is new in B: 3 calls, +25 ns of self time."},
		{Finding{Kind: Repeat, DeltaNs: 30, Calls: [2]int64{12, 15}},
			"f runs 15 times instead of 12 in the same loops: +30 ns including callees."},
		{Finding{Kind: Repeat, DeltaNs: 30, Calls: [2]int64{1, 2}},
			"f runs 2 times instead of 1: +30 ns including callees."},
		{Finding{Kind: Called, DeltaNs: -30, Calls: [2]int64{12, 1}, scope: ofSelf},
			"f is called 1 time instead of 12: −30 ns of self time."},
		{Finding{Kind: Called, DeltaNs: 30, Calls: [2]int64{12, 15}, scope: ofPart},
			"f is called 15 times instead of 12: about +30 ns of +100 ns including callees."},
	} {
		tt.f.Function = "f"
		totals := [2]*total{{calls: tt.f.Calls[0], inAll: 20, longest: 9}, {calls: tt.f.Calls[1], inAll: 120, longest: 9}}
		s := studied(tt.f.Caller == sampled, *totals[0], *totals[1])
		if tt.f.Caller == sampled {
			tt.f.Caller = ""
		}
		tt.f.Text = s.countWords(&tt.f, totals)
		if got := tt.f.Sentence(); got != tt.want {
			t.Errorf("got %s\nwant %s", got, tt.want)
		}
	}
}

func TestThreadWords(t *testing.T) {
	s := &study{p: &pair.Pair{A: &trace.Trace{}, B: &trace.Trace{}}, unit: trace.Nanoseconds}
	for _, tt := range []struct {
		c    threadGroup
		want string
	}{
		{threadGroup{name: "thread IO", threads: [2]int64{1, 0}, calls: [2]int64{1, 0}, ns: [2]int64{70, 0}},
			"Only A has the thread IO: 1 call in 70 ns."},
		{threadGroup{name: "IO", threads: [2]int64{0, 1}, calls: [2]int64{0, 9}, ns: [2]int64{0, 70}},
			"Only B has the thread IO: 9 calls in 70 ns."},
		{threadGroup{name: "ZLIB", threads: [2]int64{0, 40}, calls: [2]int64{0, 9}, ns: [2]int64{0, 70},
			async: true}, "B has 40 tracks such as ZLIB, A none: 9 calls in 70 ns."},
		{threadGroup{name: "producer", threads: [2]int64{0, 1}, all: [2]int64{1, 2}, calls: [2]int64{0, 9},
			ns: [2]int64{0, 70}}, "B has 1 more thread such as producer (2 instead of 1): 9 calls in 70 ns."},
		{threadGroup{name: "thread 2", threads: [2]int64{3, 0}, all: [2]int64{5, 2}, calls: [2]int64{9, 0},
			ns: [2]int64{70, 0}}, "A has 3 more threads such as thread 2 (5 instead of 2): 9 calls in 70 ns."},
		{threadGroup{name: "pool", threads: [2]int64{1, 2}, calls: [2]int64{3, 9}, ns: [2]int64{50, 70}},
			"1 thread of A and 2 of B, such as pool, have no counterpart: 3 calls in 50 ns, 9 in 70 ns."},
	} {
		if got := s.threadWords(&tt.c) + "."; got != tt.want {
			t.Errorf("got %s\nwant %s", got, tt.want)
		}
	}
	s.p.A = &trace.Trace{Kind: trace.Profile}
	for c, want := range map[*threadGroup]string{
		{name: "delay", threads: [2]int64{1, 0}, ns: [2]int64{70, 0}}: "Only A has samples of delay: ",
		{name: "main", threads: [2]int64{0, 1}, ns: [2]int64{0, 70}}:  "Only B has the thread main: ",
	} {
		if got := s.threadWords(c); !strings.HasPrefix(got, want) {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

func TestSpansAreTakenApart(t *testing.T) {
	for _, tt := range []struct {
		name, head, argument string
		ok                   bool
	}{
		{"compile net/http", "compile", "net/http", true},
		{"Executing action (build fmt)", "Executing action", "(build fmt)", true},
		{"read /etc/passwd of root", "read", "/etc/passwd of root", true},
		{"main", "main", "", false},
		{" leading", "", "leading", false},
		{"trailing ", "trailing", "", false},
		{"", "", "", false},
		{"(whole)", "(whole)", "", false},
	} {
		head, argument, ok := span(tt.name)
		if head != tt.head || argument != tt.argument || ok != tt.ok {
			t.Errorf("%q is %q, %q, %v", tt.name, head, argument, ok)
		}
	}
}

func TestKindsHaveNames(t *testing.T) {
	for k := range kinds {
		if back, err := KindNamed(k.String()); err != nil || back != k {
			t.Errorf("%s is %v: %v", k, back, err)
		}
	}
	if _, err := KindNamed("worse"); err == nil || err.Error() != `no such kind of finding: "worse"` {
		t.Errorf("error %v", err)
	}
	if got := kinds.String(); got != "kind(11)" {
		t.Errorf("%s", got)
	}
}

// TestSentencesAreWhole: whatever differs, a sentence names its function, ends with one full stop,
// has plurals right, and gives a change of time with the sign of DeltaNs.
func TestSentencesAreWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, _, r := compared(t, recorded(t, nil, someCalls(t, "A")), recorded(t, nil, someCalls(t, "B")))
		for _, f := range r.Findings {
			text := f.Sentence()
			if !strings.HasSuffix(text, ".") || strings.HasSuffix(text, "..") || strings.Contains(text, "  ") {
				t.Fatalf("%q is no sentence", text)
			}
			if f.Kind != Threads && f.Kind != Divergence && !strings.Contains(text, f.Function) {
				t.Fatalf("%q does not name %s", text, f.Function)
			}
			for _, wrong := range []string{" 1 calls", " 0 call ", "−−", "+-", "+−", "NaN", "Inf", "%!"} {
				if strings.Contains(text, wrong) {
					t.Fatalf("%q has %q", text, wrong)
				}
			}
			if (f.Kind == Slower || f.Kind == Faster) && strings.Contains(text, "−") != (f.DeltaNs < 0) {
				t.Fatalf("%q tells of %d ns", text, f.DeltaNs)
			}
			if f.Kind == Missing && f.Calls[pair.B] > 0 && f.Calls[pair.A] == 0 {
				t.Fatalf("%q tells of %d and %d calls", text, f.Calls[pair.A], f.Calls[pair.B])
			}
		}
	})
}

// TestNothingIsNone holds that a function which one side was not sampled in takes none there, and
// that the other side's time is not told a second time as the change.
func TestNothingIsNone(t *testing.T) {
	for _, c := range []struct {
		ns   [2]int64
		want string
	}{
		{[2]int64{0, 5e6}, "takes 5.00 ms of self time instead of none"},
		{[2]int64{5e6, 0}, "takes no self time instead of 5.00 ms"},
		{[2]int64{5e6, 1e6}, "takes 1.00 ms of self time instead of 5.00 ms"},
	} {
		before, after := Lengths(c.ns, "")
		if got := TakesWords(c.ns, before, after, "of self time"); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// Sentence returns the whole sentence, as a finding that nothing follows is printed.
func (f *Finding) Sentence() string {
	text := f.Text
	if f.Awaits {
		text += Awaiting
	}
	return text + Labelled(f.Certainty)
}
