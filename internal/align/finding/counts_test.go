package finding

import (
	"slices"
	"strings"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// found compares two programs and returns the one finding about a function.
func found(t *testing.T, function string, a, b []*call) Finding {
	t.Helper()
	_, _, r := compared(t, recorded(t, nil, a...), recorded(t, nil, b...))
	var list []Finding
	for _, f := range r.Findings {
		if f.Function == function && f.Kind != Divergence {
			list = append(list, f)
		}
	}
	if len(list) != 1 {
		t.Fatalf("%d findings about %s: %+v", len(list), function, r.Findings)
	}
	return list[0]
}

// TestCallsElsewhereAreNotMissing: a function that B calls from another place, and more often, is
// not missing where A called it.
func TestCallsElsewhereAreNotMissing(t *testing.T) {
	layout := f("Layout", 1000)
	task := func(kids ...*call) *call { return among("Task", f("begin", 50), kids, f("end", 50)) }
	a := among("main", task(layout, layout, layout), again(9, task()), among("Script", again(3, f("js", 10))))
	b := among("main", again(10, task()), among("Script", again(3, f("js", 10)), again(293, layout)))
	got := found(t, "Layout", []*call{a}, []*call{b})
	if got.Kind != Called || got.Calls != [2]int64{3, 293} || got.DeltaNs != 290_000 || got.Caller != "Script" ||
		got.Sentence() != "Layout is called 293 times instead of 3, by Script 0 → 293 and by Task 3 → 0: +290 µs including callees." {
		t.Errorf("found %+v", got)
	}
}

// TestTheLongOneIsGone: of several equal siblings, the one that is gone is told, not the one that
// an alignment happened to leave over.
func TestTheLongOneIsGone(t *testing.T) {
	gc := func(ns int64) *call { return f("gc", ns) }
	for _, at := range []int{0, 2, 4} {
		a := []*call{gc(100), gc(100), gc(100), gc(100), gc(100)}
		a[at] = gc(40_000)
		got := found(t, "gc", []*call{among("main", a)}, []*call{among("main", again(4, gc(100)))})
		if got.DeltaNs != -40_000 || got.At[pair.A] == nil || got.At[pair.A].Call != int32(1+at) ||
			!strings.HasSuffix(got.Sentence(), "−40.0 µs including callees; one of those that B lacks takes 40.0 µs.") {
			t.Errorf("at %d: found %+v at %v", at, got, got.At[pair.A])
		}
	}
}

// TestLoopsNeedTheirCounts: a loop that gains what another loses is no loop that runs more often.
func TestLoopsNeedTheirCounts(t *testing.T) {
	loop := func(name string, n int) *call { return among(name, f("in", 5), again(n, f("step", 1000)), f("out", 5)) }
	got := found(t, "step", []*call{among("main", loop("first", 10), loop("second", 10))},
		[]*call{among("main", loop("first", 14), loop("second", 6))})
	if got.Kind != Moved || got.DeltaNs != 0 ||
		got.Sentence() != "step moved from second (10 → 6 calls) to first (10 → 14); in all 20 calls." {
		t.Errorf("found %+v", got)
	}
}

// TestWorkOfMoreThreads has work move to a thread that A does not have.
func TestWorkOfMoreThreads(t *testing.T) {
	work := func(n int) *call { return among("worker", again(n, f("compress", 5000))) }
	main := among("main", again(3, f("read", 10)))
	got := found(t, "compress", []*call{main, work(9)}, []*call{main, work(5), work(3)})
	if got.Kind != Moved || got.DeltaNs != -5000 || got.Sentence() !=
		"compress now runs in 2 threads instead of 1: 9 → 8 calls, 45 µs → 40 µs including callees." &&
		got.Sentence() != "compress now runs in 2 threads instead of 1: 9 → 8 calls, 45.0 µs → 40.0 µs including callees." {
		t.Errorf("found %+v", got)
	}
}

// TestWorkOfOneOfSeveralThreads holds that a sentence says in which thread the number of calls
// changed, if it is one of several that make as many.
func TestWorkOfOneOfSeveralThreads(t *testing.T) {
	work := func(n int) *call { return among("worker", again(n, f("compress", 5000))) }
	for _, c := range []struct {
		a, b [3]int
		want string
	}{
		{[3]int{20, 20, 20}, [3]int{20, 50, 20}, "compress runs 90 times instead of 60 in the same loops by worker, " +
			"of which 50 instead of 20 in thread worker (2): +150 µs including callees."},
		{[3]int{20, 20, 20}, [3]int{40, 40, 40}, "by worker: +300 µs"},
		{[3]int{2, 50, 2}, [3]int{2, 90, 2}, "by worker: +200 µs"}, // which has most of the work anyway
	} {
		roots := func(n [3]int) []*call { return []*call{work(n[0]), work(n[1]), work(n[2])} }
		if got := found(t, "compress", roots(c.a), roots(c.b)); !strings.Contains(got.Sentence(), c.want) {
			t.Errorf("%s, want %s", got.Sentence(), c.want)
		}
	}
}

// TestWrappersDoNotOwnWhatTheyWrap: what a wrapper calls goes on without it, so that only its own
// time is gone.
func TestWrappersDoNotOwnWhatTheyWrap(t *testing.T) {
	work := f("work", 10_000, f("part", 5000))
	a := among("main", again(10, f("wrap", 100, work)), again(2, f("wrap", 100)))
	b := among("main", again(10, work), again(2, f("wrap", 100)))
	got := found(t, "wrap", []*call{a}, []*call{b})
	if got.DeltaNs != -1000 || !strings.Contains(got.Sentence(), "−1 µs of self time") &&
		!strings.Contains(got.Sentence(), "−1.00 µs of self time") {
		t.Errorf("found %+v", got)
	}
}

// TestARenameLeavesNothing: a function is renamed only if nothing calls its old name any more, in
// any thread.
func TestARenameLeavesNothing(t *testing.T) {
	load := func(name string) *call {
		return among("main", again(30, f(name, 100, f("open", 10), f("read", 20))))
	}
	for other, want := range map[string]bool{"idle": true, "old": false} {
		side := among("side", f(other, 10))
		_, _, r := compared(t, recorded(t, nil, load("old"), among("side", f("idle", 10))),
			recorded(t, nil, load("young"), side))
		renamed := false
		for _, f := range r.Findings {
			renamed = renamed || f.Kind == Renamed
		}
		if renamed != want {
			t.Errorf("with a call of %s: renamed %v", other, renamed)
		}
	}
}

// TestStatesAreNoCallees has the system interrupt most calls of a function in A: that is no level
// between two functions, nor something called less often.
func TestStatesAreNoCallees(t *testing.T) {
	off := &call{name: "linux:schedule", self: 900, kind: trace.Event}
	inner := func(kids ...*call) *call { return f("get", 100, kids...) }
	run := func(kids ...*call) *trace.Trace {
		return recorded(t, nil, among("main", again(40, f("outer", 50, inner(kids...)))))
	}
	_, _, r := compared(t, run(off), run())
	for _, f := range r.Findings {
		if f.counts() || f.Kind == Divergence || f.Kind == Moved {
			t.Errorf("found %s", f.Sentence())
		}
	}
	got := only(t, r, Faster)
	if !got.Waiting || got.Certainty != Chance || got.Sentence() != "Threads spend 0 ns instead of 36.0 µs in the state "+
		"linux:schedule: −36.0 µs, entered 0 instead of 40 times; could be chance." {
		t.Errorf("found %+v", got)
	}
}

// TestFollowingFindings: calls that a function makes follow from that function's being called more
// often, unless only these could be chance.
func TestFollowingFindings(t *testing.T) {
	s := &study{report: &Report{Findings: []Finding{
		{Kind: Called, ID: 1, Calls: [2]int64{1, 9}},
		{Kind: New, ID: 2, Calls: [2]int64{0, 9}, Caller: "f", caller: 1},
		{Kind: Missing, ID: 3, Calls: [2]int64{4, 0}, Caller: "f", caller: 1},
		{Kind: Slower, ID: 4, Calls: [2]int64{4, 5}, Caller: "f", caller: 1},
		{Kind: Called, ID: 5, Calls: [2]int64{80, 90}, Certainty: Chance},
		{Kind: New, ID: 6, Calls: [2]int64{0, 9}, Caller: "g", caller: 5, Certainty: Likely},
		{Kind: New, ID: 7, Calls: [2]int64{0, 9}, Caller: "g", caller: 5, Certainty: Chance},
	}}}
	s.findUnder()
	for k, want := range []int{-1, 0, -1, -1, -1, -1, 4} {
		if got := s.report.Findings[k].Under; got != want {
			t.Errorf("finding %d is under %d, not %d", k, got, want)
		}
	}
}

// TestVerdicts: nothing differs only if the runs take equally long.
func TestVerdicts(t *testing.T) {
	late := func(gap int64) *trace.Trace {
		b := trace.NewBuilder("test")
		th := b.Thread("1", -1)
		fn := b.Function(trace.Function{Name: "work"})
		th.Complete(0, 1000, fn)
		th.Complete(1000+gap, 2000+gap, fn)
		return testtrace.Build(t, b)
	}
	for _, c := range []struct {
		a, b *trace.Trace
		says string
	}{
		{late(0), late(0), "Nothing differs beyond chance."},
		{late(0), late(500), "B takes 500 ns longer (25 %), cause unknown."},
		{late(500), late(0), "B takes 500 ns less (20 %), cause unknown."},
		{late(0), late(4600), "B takes 4.60 µs longer (230 %), cause unknown."},
	} {
		if _, _, r := compared(t, c.a, c.b); r.Verdict != c.says || len(r.Findings) > 0 {
			t.Errorf("%q, want %q; %+v", r.Verdict, c.says, r.Findings)
		}
	}
	slow := func(ns int64) int64 { return ns * 31 / 20 }
	_, _, r := compared(t, recorded(t, nil, program(100)), recorded(t, slow, program(100)))
	if !strings.Contains(r.Verdict, "everything takes 1.55× as long") || len(r.Findings) > 0 {
		t.Errorf("%q; %+v", r.Verdict, r.Findings)
	}
}

// TestLooksBeforeWaiting holds that how often a caller looks whether there is work could be chance
// if it waits as much more often, but not if it waits each time, or nearly each time.
func TestLooksBeforeWaiting(t *testing.T) {
	next := func(looks, waits int) []*call {
		return []*call{among("main", again(20, f("work", 300)), among("next", again(looks, f("empty", 500)),
			again(waits, &call{name: "sleep", self: 70, wait: true})))}
	}
	for _, c := range []struct {
		looks, waits [2]int
		want         Certainty
	}{
		{[2]int{100, 190}, [2]int{10, 100}, Chance},
		{[2]int{100, 190}, [2]int{10, 12}, Certain},
		{[2]int{100, 190}, [2]int{100, 190}, Certain},
		{[2]int{100, 190}, [2]int{97, 187}, Certain},
		{[2]int{100, 190}, [2]int{0, 0}, Certain},
	} {
		got := found(t, "empty", next(c.looks[0], c.waits[0]), next(c.looks[1], c.waits[1]))
		if got.Certainty != c.want {
			t.Errorf("waits %d: %s: %v, want %v", c.waits, got.Sentence(), got.Certainty, c.want)
		}
	}
}

// TestNumbersThatDifferBothWays holds that a number of calls which each side has more of at times
// could be chance if threads share what decides it, but neither if one side has more throughout nor
// if there is one thread.
func TestNumbersThatDifferBothWays(t *testing.T) {
	reader := func(first, then int) *call {
		return among("reader", again(20, among("get", again(first, f("search", 300)))),
			again(20, among("get", again(then, f("search", 300)))))
	}
	for _, c := range []struct {
		was, is [2]int
		threads int
		want    Certainty
	}{
		{[2]int{9, 1}, [2]int{6, 6}, 2, Chance},
		{[2]int{9, 1}, [2]int{6, 6}, 1, Certain},
		{[2]int{9, 1}, [2]int{9, 4}, 2, Certain},
		{[2]int{9, 1}, [2]int{8, 6}, 2, Certain},
		{[2]int{9, 1}, [2]int{0, 25}, 2, Certain}, // more than twice as many
	} {
		got := found(t, "search", again(c.threads, reader(c.was[0], c.was[1])), again(c.threads, reader(c.is[0], c.is[1])))
		if got.Certainty != c.want {
			t.Errorf("%d to %d: %s: %v, want %v", c.was, c.is, got.Sentence(), got.Certainty, c.want)
		}
	}
}

// TestOneWaitMoreIsChance holds that a call more that waits below could be chance, as one that waits
// itself.
func TestOneWaitMoreIsChance(t *testing.T) {
	loop := func(n int, waits bool) []*call {
		step := &call{name: "sleep", self: 5000, wait: waits}
		return []*call{among("loop", again(n, among("compact", step))), among("other", f("work", 900))}
	}
	for waits, want := range map[bool]Certainty{true: Chance, false: Certain} {
		if got := found(t, "compact", loop(2, waits), loop(3, waits)); got.Certainty != want {
			t.Errorf("waits %v: %s: %v, want %v", waits, got.Sentence(), got.Certainty, want)
		}
	}
}

// TestWhatIsGoneIsGone holds that a function which B lacks is told with its callees if these are
// called less often, although one of their other calls stalls; but not if others call them instead.
func TestWhatIsGoneIsGone(t *testing.T) {
	work := f("work", 100_000)
	program := func(wraps, direct int, longest int64) *trace.Trace {
		return recorded(t, nil, among("main", again(wraps, among("wrap", work)), again(direct, work), f("work", longest)))
	}
	for _, c := range []struct {
		what    string
		direct  int
		longest int64
		whole   bool
	}{
		{"its callee is called less often", 60, 100_000, true},
		{"and stalls elsewhere", 60, 4_200_000, true},
		{"its callee is called by others instead", 100, 100_000, false},
		{"and stalls", 100, 4_200_000, false},
	} {
		for _, turned := range []bool{false, true} {
			a, b := program(40, 60, 100_000), program(0, c.direct, c.longest)
			if turned {
				a, b = b, a
			}
			_, _, r := compared(t, a, b)
			k := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Function == "wrap" && f.OfOneSide() })
			if k < 0 || strings.Contains(r.Findings[k].Text, "including callees") != c.whole {
				t.Errorf("%s: told with callees, want %v: %+v", c.what, c.whole, r.Findings)
			}
		}
	}
}
