package finding

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
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
		{1234e9, trace.Nanoseconds, "1234 s"},
		{1500, "", "1.50 µs"},
		{1500, "bytes", "1500 bytes"},
		{7, "samples", "7 samples"},
	} {
		if got := Length(tt.n, tt.unit); got != tt.want {
			t.Errorf("%d %s is written %q, want %q", tt.n, tt.unit, got, tt.want)
		}
	}
}

func TestSignsAndPlurals(t *testing.T) {
	s := &study{unit: trace.Nanoseconds}
	for ns, want := range map[int64]string{0: "+0 ns", 5: "+5 ns", -5: "−5 ns", -1500: "−1.50 µs"} {
		if got := s.signed(ns); got != want {
			t.Errorf("%d is written %q, want %q", ns, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 calls", 1: "1 call", 2: "2 calls", 1001: "1001 calls"} {
		if got := plural(n, "call"); got != want {
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
		{100, 23_100, "231× "},
		{100, 1000, "10× "},
		{100, 949, "9.5× "},
		{100, 230, "2.3× "},
		{100, 110, "1.1× "},
		{100, 109, "9 % "},
		{1000, 1005, "0.5 % "},
		{0, 500, ""},
	} {
		if got := ratioWords([2]int64{tt.a, tt.b}, Slower); got != tt.want {
			t.Errorf("from %d to %d: %q, want %q", tt.a, tt.b, got, tt.want)
		}
		if tt.want == "" || strings.Contains(tt.want, "%") {
			continue // per cent are of what it was in A
		}
		if got := ratioWords([2]int64{tt.b, tt.a}, Faster); got != tt.want {
			t.Errorf("from %d to %d: %q, want %q", tt.b, tt.a, got, tt.want)
		}
	}
	if got := ratioWords([2]int64{100, 95}, Faster); got != "5 % " {
		t.Errorf("from 100 to 95: %q", got)
	}
}

// effortOf sums up changes of single pairs.
func effortOf(changes ...float64) *effort {
	e := &effort{pairs: int64(len(changes))}
	for _, d := range changes {
		e.sum += d
		e.squares += d * d
		e.count[toInt(d > 0)]++
	}
	return e
}

// TestEvenness holds what is said about how many calls carry a change.
func TestEvenness(t *testing.T) {
	some := func(n int, of int, d float64) []float64 {
		list := make([]float64, of)
		for i := range n {
			list[i] = d
		}
		return list
	}
	mixed := append(some(60, 60, 10), some(20, 20, -1)...)
	for _, tt := range []struct {
		name    string
		changes []float64
		want    string
	}{
		{"one pair", []float64{7}, "the only one on each side"},
		{"all of them", some(20, 20, 10), "consistently"},
		{"nine of ten", append(some(18, 18, 10), -1, -1), "consistently"},
		{"one of many", append(some(19, 19, 1), 1000), "almost all of it in one call"},
		{"most", mixed, "in 60 of these"},
		{"a few", some(5, 100, 10), "most of it in about 5 of these"},
	} {
		if got := effortOf(tt.changes...).evenness(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestEffortWords(t *testing.T) {
	s := &study{unit: trace.Nanoseconds}
	e := effortOf(100, 100, 100, 100)
	e.self = [2]int64{400, 800}
	for _, tt := range []struct {
		name string
		f    Finding
		self [2]int64
		want string
	}{
		{"slower", Finding{Kind: Slower, DeltaNs: 400}, [2]int64{400, 800},
			"f: its self time is 2.0× higher, +400 ns over 4 calls, consistently."},
		{"faster", Finding{Kind: Faster, DeltaNs: -400}, [2]int64{800, 400},
			"f: its self time is 2.0× lower, −400 ns over 4 calls, consistently."},
		{"from nothing", Finding{Kind: Slower, DeltaNs: 400}, [2]int64{0, 400},
			"f: its self time is higher, +400 ns over 4 calls, consistently."},
		{"a stall left out", Finding{Kind: Slower, DeltaNs: 300}, [2]int64{400, 9800},
			"f: its self time is higher, +300 ns over 4 calls, leaving out one stall."},
		{"waits longer", Finding{Kind: Slower, DeltaNs: 400, Waiting: true}, [2]int64{400, 800},
			"f waits longer: +400 ns over 4 calls, consistently; the cause lies with what it waits for."},
		{"waits less", Finding{Kind: Faster, DeltaNs: -400, Waiting: true}, [2]int64{800, 400},
			"f waits less: −400 ns over 4 calls, consistently; the cause lies with what it waits for."},
	} {
		tt.f.Function, e.self = "f", tt.self
		if got := s.effortWords(&tt.f, e); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

func TestCauseWords(t *testing.T) {
	s := &study{unit: trace.Nanoseconds}
	for _, tt := range []struct {
		f    Finding
		t    unmatched
		want string
	}{
		{Finding{Kind: Missing, DeltaNs: -2500}, unmatched{calls: [2]int64{1, 0}},
			"f is missing in B: 1 call fewer, −2.50 µs including callees."},
		{Finding{Kind: New, DeltaNs: 2500}, unmatched{calls: [2]int64{0, 3}},
			"f is new in B: 3 calls more, +2.50 µs including callees."},
		{Finding{Kind: New, DeltaNs: 2500, Waiting: true}, unmatched{calls: [2]int64{0, 3}},
			"f is new in B: 3 calls more, +2.50 µs most of it waiting; the cause lies with what they wait for."},
		{Finding{Kind: Repeat, DeltaNs: 30}, unmatched{loopCalls: [2]int64{12, 15}},
			"f runs 15 times instead of 12 in the same loops: +30 ns including callees."},
	} {
		tt.f.Function = "f"
		if got := s.causeWords(&tt.f, &tt.t); got != tt.want {
			t.Errorf("got %s\nwant %s", got, tt.want)
		}
	}
}

func TestThreadWords(t *testing.T) {
	s := &study{unit: trace.Nanoseconds}
	for _, tt := range []struct {
		c    threadGroup
		want string
	}{
		{threadGroup{name: "thread IO", threads: [2]int64{1, 0}, calls: [2]int64{1, 0}, ns: [2]int64{70, 0}},
			"Only A has the thread IO: 1 call in 70 ns."},
		{threadGroup{name: "IO", threads: [2]int64{0, 1}, calls: [2]int64{0, 9}, ns: [2]int64{0, 70}},
			"Only B has the thread IO: 9 calls in 70 ns."},
		{threadGroup{name: "ZLIB", threads: [2]int64{0, 40}, calls: [2]int64{0, 9}, ns: [2]int64{0, 70},
			async: true}, "B has 40 more tracks such as ZLIB: 9 calls in 70 ns."},
		{threadGroup{name: "pool", threads: [2]int64{1, 2}, calls: [2]int64{3, 9}, ns: [2]int64{50, 70}},
			"1 thread of A and 2 of B, such as pool, have no counterpart: 3 calls in 50 ns, 9 in 70 ns."},
	} {
		if got := s.threadWords(&tt.c); got != tt.want {
			t.Errorf("got %s\nwant %s", got, tt.want)
		}
	}
}

func TestMovedWords(t *testing.T) {
	s := &study{unit: trace.Nanoseconds}
	for _, tt := range []struct {
		m    move
		want string
	}{
		{move{calls: 1, ns: [2]int64{900, 900}},
			"f is called in another place or order: 1 call of 900 ns."},
		{move{calls: 7, ns: [2]int64{900, 990}},
			"f is called in another place or order: 7 calls of 990 ns."},
		{move{calls: 7, ns: [2]int64{900, 1200}},
			"f is called in another place or order: 7 calls of 1.20 µs, +300 ns in B."},
		{move{calls: 2, ns: [2]int64{1200, 900}},
			"f is called in another place or order: 2 calls of 1.20 µs, −300 ns in B."},
	} {
		if got := s.movedWords("f", &tt.m); got != tt.want {
			t.Errorf("got %s\nwant %s", got, tt.want)
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
	if got := kinds.String(); got != "kind(9)" {
		t.Errorf("%s", got)
	}
}

// TestSentencesAreWhole: whatever differs, a sentence names its function, ends with one full stop,
// has plurals right, and gives a change of time with the sign of DeltaNs.
func TestSentencesAreWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, _, r := compared(t, recorded(t, nil, someCalls(t, "A")), recorded(t, nil, someCalls(t, "B")))
		for _, f := range r.Findings {
			text := f.Text
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
