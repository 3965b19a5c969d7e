package finding

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// TestWhatIsFound tells each kind by a trace made for it.
func TestWhatIsFound(t *testing.T) {
	loop := func(n int, self int64) []*call { return again(n, f("step", self)) }
	tree := f("tree", 200, f("leaf", 300), f("leaf", 300), f("twig", 100))
	for _, c := range []struct {
		name       string
		a, b       *call
		kind       Kind
		function   string
		calls      [2]int64
		delta      int64
		says, hush string // in the text; a name of no other finding's
	}{
		{"slower", among("main", loop(20, 100)), among("main", loop(20, 300)), Slower, "step",
			[2]int64{20, 20}, 4000, "step: its self time is 3.0×, +4.00 µs over 20 calls.",
			"main"},
		{"faster", among("main", loop(20, 300)), among("main", loop(20, 100)), Faster, "step",
			[2]int64{20, 20}, -4000, "step: its self time is 67 % lower, −4.00 µs over 20 calls.", "main"},
		{"missing", among("main", f("init", 700), loop(3, 100)), among("main", loop(3, 100)), Missing,
			"init", [2]int64{1, 0}, -700, "init is missing in B: 1 call, −700 ns including callees, called by main.", "main"},
		{"new", among("main", loop(3, 100)), among("main", tree, loop(3, 100)), New, "tree",
			[2]int64{0, 1}, 900, "tree is new in B: 1 call, +900 ns including callees, called by main.", "leaf"},
		{"repeat", among("main", loop(12, 100)), among("main", loop(15, 100)), Repeat, "step",
			[2]int64{12, 15}, 300, "step runs 15 times instead of 12 in the same loops by main: +300 ns including callees.", "main"},
		{"moved", among("main", tree, loop(9, 100)), among("main", loop(9, 100), tree), Moved, "tree",
			[2]int64{1, 1}, 0, "tree is called after step instead of before it: 1 call of 900 ns.", "leaf"},
		{"renamed", among("main", f("old", 100, f("x", 10), f("y", 10)), loop(2, 50)),
			among("main", f("young", 100, f("x", 10), f("y", 10)), loop(2, 50)), Renamed, "old",
			[2]int64{1, 1}, 0, "old is named young in B", "young"},
		{"divergence", among("main", loop(3, 100)), among("main", loop(3, 100), f("late", 50)),
			Divergence, "late", [2]int64{0, 1}, 0, "after 1.30 µs in main (thread main): only B calls late there", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, r := compared(t, recorded(t, nil, c.a), recorded(t, nil, c.b))
			got := only(t, r, c.kind)
			if got.Function != c.function || got.Calls != c.calls || got.DeltaNs != c.delta ||
				!strings.Contains(got.Sentence(), c.says) {
				t.Errorf("found %+v", got)
			}
			for _, o := range r.Findings {
				if c.hush != "" && o.Function == c.hush {
					t.Errorf("told again: %s", o.Sentence())
				}
			}
		})
	}
}

func TestEqualTracesDifferInNothing(t *testing.T) {
	_, _, r := compared(t, recorded(t, nil, program(5)), recorded(t, nil, program(5)))
	if len(r.Findings) > 0 || r.Similarity != 1 {
		t.Errorf("similarity %v: %+v", r.Similarity, r.Findings)
	}
}

// TestRenamedFunctionHasCallsOfAllThreads has a thread that only B has call the new name too.
func TestRenamedFunctionHasCallsOfAllThreads(t *testing.T) {
	run := func(name string) *call { return f(name, 100, f("x", 10), f("y", 10)) }
	_, _, r := compared(t, recorded(t, nil, among("main", run("old"))),
		recorded(t, nil, among("main", run("young")), among("worker", run("young"), run("young"))))
	got := only(t, r, Renamed)
	if got.Calls != [2]int64{1, 3} ||
		got.Sentence() != "old is named young in B: the same callers and callees, 3 calls." {
		t.Errorf("found %+v", got)
	}
}

func TestThreadsOfOneSideAreToldTogether(t *testing.T) {
	worker := among("worker", again(3, f("step", 100)))
	_, _, r := compared(t, recorded(t, nil, program(3)), recorded(t, nil, program(3), worker, worker))
	got := only(t, r, Threads)
	if got.Calls != [2]int64{0, 8} || got.DeltaNs != 2600 ||
		got.Sentence() != "B has 2 threads such as worker, A none: 8 calls in 2.60 µs." {
		t.Errorf("found %+v", got)
	}
}

// TestUnlikeThreadsOfOneName holds that threads without a partner are chance if both sides have as
// many of their name, unless they do what the other side never does; and that nothing moves between
// them.
func TestUnlikeThreadsOfOneName(t *testing.T) {
	brief, long := among("reader", f("read", 1000)), []*call{f("read", 1000), f("park", 500), f("poll", 500)}
	blocked, fresh := among("reader", long), among("reader", long, f("fresh", 500))
	a := recorded(t, nil, brief, brief, blocked)
	for _, c := range []struct {
		b    *trace.Trace
		want Certainty
	}{
		{recorded(t, nil, brief, blocked, blocked), Chance},
		{recorded(t, nil, brief, blocked, fresh), Certain},
		{recorded(t, nil, brief, blocked, blocked, blocked), Certain},
	} {
		_, _, r := compared(t, a, c.b)
		if got := only(t, r, Threads); got.Certainty != c.want {
			t.Errorf("%s, want %v", got.Sentence(), c.want)
		}
		for _, f := range r.Findings {
			if strings.Contains(f.Text, "now runs in") {
				t.Error(f.Sentence())
			}
		}
	}
}

// TestAPoolGrowsByItself holds that one thread more could be chance where there are many of its name,
// and which of them calls a function; unless it does what the other side never does.
func TestAPoolGrowsByItself(t *testing.T) {
	pool := func(n int, last ...*call) (roots []*call) {
		for range n {
			roots = append(roots, among("worker", again(6, f("task", 1000))))
		}
		return append(roots, last...)
	}
	fresh := among("worker", again(6, f("fresh", 1000)))
	for _, c := range []struct {
		a, b []*call
		want Certainty
	}{{pool(12), pool(13), Chance}, {pool(3), pool(4), Certain}, {pool(12), pool(12, fresh), Certain}} {
		for _, turned := range []bool{false, true} {
			a, b := c.a, c.b
			if turned {
				a, b = b, a
			}
			_, _, r := compared(t, recorded(t, nil, a...), recorded(t, nil, b...))
			if got := only(t, r, Threads); got.Certainty != c.want {
				t.Errorf("%v: %s, want %v", got.Certainty, got.Sentence(), c.want)
			}
			for _, f := range r.Findings {
				if f.Kind == Moved && f.Certainty != c.want {
					t.Errorf("%v: %s, want %v", f.Certainty, f.Sentence(), c.want)
				}
			}
		}
	}
}

// TestSilentThreads holds that a thread which only waits, from the beginning of the run to its end,
// may be one that the other run knows by what it did there.
func TestSilentThreads(t *testing.T) {
	const end = 100_000
	build := func(threads int, born int64, blocked bool) *trace.Trace {
		b := trace.NewBuilder("test")
		fn := func(name string) trace.FuncID { return b.Function(trace.Function{Name: name}) }
		b.Thread("1", -1).Complete(0, end, fn("main"))
		for k := range threads {
			th := b.Thread(fmt.Sprint(k+2), -1)
			th.SetRole("goroutine", true)
			th.Begin(born, fn("goroutine"))
			if ref := th.Complete(born, end, fn("wait")); blocked {
				th.Block(ref, trace.Wait)
			}
			th.End(end)
		}
		return testtrace.Build(t, b)
	}
	for _, c := range []struct {
		born    int64
		blocked bool
		want    Certainty
	}{{0, true, Chance}, {0, false, Certain}, {end / 2, true, Certain}} {
		for _, n := range [][2]int{{3, 4}, {4, 3}} {
			_, _, r := compared(t, build(n[0], c.born, c.blocked), build(n[1], c.born, c.blocked))
			if got := only(t, r, Threads); got.Certainty != c.want {
				t.Errorf("born at %d, blocked: %v: %s, want %v", c.born, c.blocked, got.Sentence(), c.want)
			}
		}
	}
}

// TestNoiseIsNoFinding compares recordings of one program on a clock that is off by some per cent,
// off altogether now and then, and a tenth slower throughout.
func TestNoiseIsNoFinding(t *testing.T) {
	for seed := range uint64(20) {
		slower := noisy(2*seed + 1)
		a := recorded(t, noisy(2*seed), program(100))
		b := recorded(t, func(ns int64) int64 { return slower(ns) * 11 / 10 }, program(100))
		_, _, r := compared(t, a, b)
		for _, f := range r.Findings {
			if f.Share > telling && f.Certainty != Chance {
				t.Errorf("seed %d: %s", seed, f.Sentence())
			}
		}
		if r.Pace < 1.07 || r.Pace > 1.13 {
			t.Errorf("seed %d: pace %v", seed, r.Pace)
		}
	}
}

// TestChangesAreFoundInNoise has one function of ten take twice as long under the same clocks.
func TestChangesAreFoundInNoise(t *testing.T) {
	for seed := range uint64(20) {
		changed := program(100)
		for _, round := range changed.kids {
			round.kids[4].self *= 2
		}
		_, _, r := compared(t, recorded(t, noisy(2*seed), program(100)),
			recorded(t, noisy(2*seed+1), changed))
		found := 0
		for _, f := range r.Findings {
			switch {
			case f.Kind == Slower && f.Function == "work4":
				found++
			case f.Share > telling && f.Certainty != Chance:
				t.Errorf("seed %d: %s", seed, f.Sentence())
			}
		}
		if found != 1 {
			t.Errorf("seed %d: found %d times", seed, found)
		}
	}
}

// TestWaitsComeLast has a wait grow by more than what makes it: the worker that is waited for.
func TestWaitsComeLast(t *testing.T) {
	run := func(work int64) *trace.Trace {
		waits := among("main")
		for range 100 {
			waits.kids = append(waits.kids, f("ask", 100), &call{name: "wait", self: 4 * work, wait: true})
		}
		return recorded(t, nil, waits, among("worker", again(100, f("serve", work))))
	}
	_, _, r := compared(t, run(100), run(400))
	list := slices.DeleteFunc(r.Findings, func(f Finding) bool { return f.Kind == Divergence })
	if len(list) != 2 || list[0].Function != "serve" || !list[1].Waiting ||
		!strings.Contains(list[1].Sentence(), "the cause lies with") {
		t.Errorf("found %+v", list)
	}
}

// TestFindingsAddUp holds findings of random pairs against what their definitions say.
func TestFindingsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := someCalls(t, "A"), someCalls(t, "B")
		p, results, r := compared(t, recorded(t, nil, a), recorded(t, nil, b))
		for k, f := range r.Findings {
			checkPlaces(t, p, &f)
			if k > 0 && before(&f, &r.Findings[k-1]) {
				t.Fatalf("%+v comes after %+v", f, r.Findings[k-1])
			}
			checkSigns(t, p, &f)
		}
		if again, err := Find(t.Context(), p, results, Options{}, nil); err != nil ||
			!reflect.DeepEqual(again, r) {
			t.Fatalf("%v: found %+v, then %+v", err, r, again)
		}
	})
}

// checkSigns holds a finding's time against the whole time of its function: they have one
// direction.
func checkSigns(t *rapid.T, p *pair.Pair, f *Finding) {
	self, all := f.delta(SelfNs), f.delta(TotalNs)
	switch f.Kind {
	case Missing, New, Called, Repeat, Slower, Faster, Burst:
		if f.DeltaNs > 0 && self <= 0 && all <= 0 || f.DeltaNs < 0 && self >= 0 && all >= 0 {
			t.Fatalf("%+v, but its function changes by %d ns of self time, %d ns in all", f, self, all)
		}
	}
}

// delta returns by how much a quantity of a finding's function changes.
func (f *Finding) delta(q Quantity) int64 {
	v, _ := f.value(q)
	return v[pair.B] - v[pair.A]
}

// TestSameWay compares the directions of changes whose product is too large.
func TestSameWay(t *testing.T) {
	for _, c := range []struct {
		x, y int64
		want bool
	}{{5e9, 5e9, true}, {-5e9, -5e9, true}, {5e9, -5e9, false}, {0, -1, false}, {0, 1, false}, {0, 0, false}} {
		if got := sameWay(c.x, c.y); got != c.want {
			t.Errorf("%d and %d: %t", c.x, c.y, got)
		}
	}
}

func checkPlaces(t *rapid.T, p *pair.Pair, f *Finding) {
	if f.At == [2]*Place{} {
		t.Fatalf("%+v is nowhere", f)
	}
	for sd, at := range f.At {
		if at == nil {
			continue
		}
		th := p.Trace(pair.Side(sd)).Threads[at.Thread]
		if f.Kind != Divergence && f.Kind != Renamed && len(f.Function) > 0 && f.Kind != Threads &&
			p.Trace(pair.Side(sd)).FunctionOf(th, int(at.Call)).Name != f.Function {
			if !slices.ContainsFunc(p.Names, func(n string) bool { return n == f.Function }) {
				t.Fatalf("%+v names no function", f)
			}
		}
	}
	if f.Sentence() == "" || f.Share < 0 {
		t.Fatalf("%+v", f)
	}
}

// before is the order of findings.
func before(x, y *Finding) bool {
	if x.group() != y.group() {
		return x.group() < y.group()
	}
	return magnitude(x.DeltaNs) > magnitude(y.DeltaNs)
}
