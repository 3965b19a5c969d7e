package finding

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// TestExchangedCallsAreMoved exchanges two calls of one function that do different things, one of
// which also takes longer.
func TestExchangedCallsAreMoved(t *testing.T) {
	parse := func(self int64) *call {
		return f("step", 10, f("parse", self, f("word", 20)), f("check", 30))
	}
	write := f("step", 10, f("open", 500), f("write", 600), f("close", 70))
	_, _, r := compared(t, recorded(t, nil, among("main", parse(900), write)),
		recorded(t, nil, among("main", write, parse(2700))))
	if got := only(t, r, Moved); got.Function != "step" || got.DeltaNs != 0 {
		t.Errorf("found %+v", got)
	}
	if got := only(t, r, Slower); got.Function != "parse" || got.DeltaNs != 1800 {
		t.Errorf("found %+v", got)
	}
	for _, o := range r.Findings {
		if o.Kind == Missing || o.Kind == New || o.Kind == Repeat {
			t.Errorf("told as well: %s", o.Sentence())
		}
	}
}

// TestOrderKeepsPairs holds what is paired out of order against what a pairing is: partners of
// each other, as many as before, and where something is told to have moved, the same calls.
func TestOrderKeepsPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := recorded(t, nil, someCalls(t, "A")), recorded(t, nil, someCalls(t, "B"))
		p, results := alignedPair(t, a, b)
		s := ordered(t, p, results)
		for k, r := range s.results {
			if n, was := equals(s, r), equals(s, s.aligned[k]); n < was {
				t.Fatalf("%d equal pairs, where there were %d", n, was)
			}
			for i, j := range r.Partner[pair.A] {
				if j != align.None && r.Partner[pair.B][j] != int32(i) {
					t.Fatalf("A's %d has B's %d, which has %d", i, j, r.Partner[pair.B][j])
				}
			}
			for _, m := range s.moved[k] {
				for n := range int32(r.Threads[pair.A].Size(int(m[0]))) {
					if r.Partner[pair.A][m[0]+n] != m[1]+n || s.stray(r, pair.A, m[0]+n) {
						t.Fatalf("%v has moved, but not call %d of it", m, n)
					}
				}
			}
		}
	})
}

// ordered returns results with the pairs that are out of order.
func ordered(t *rapid.T, p *pair.Pair, results []*align.Result) *study {
	s := newStudy(t.Context(), p, results, "", Options{}, nil)
	if err := s.findOrder(); err != nil {
		t.Fatal(err)
	}
	return s
}

// equals returns the number of pairs of one function.
func equals(s *study, r *align.Result) (n int) {
	for i := range r.Partner[pair.A] {
		n += 1 - toInt(s.stray(r, pair.A, int32(i)))
	}
	return n
}

// TestSystemDoesNotPart has the system interrupt what is otherwise the same, and the runs differ
// only later.
func TestSystemDoesNotPart(t *testing.T) {
	preempted := &call{name: "schedule", self: 50, kind: trace.Event}
	wait := func() *call { return &call{name: "lock", self: 100, wait: true} }
	work := func(kids ...*call) *call { return f("work", 100, kids...) }
	for name, c := range map[string]struct {
		a, b *call
		says string // of the divergence
	}{
		"program first": {among("main", preempted, wait(), work(preempted), f("late", 10)),
			among("main", work()), "only A calls late"},
		"waits if nothing else": {among("main", preempted, work(), wait()),
			among("main", work(preempted)), "only A calls lock"},
		"nothing": {among("main", preempted, work(), work(preempted)),
			among("main", work(preempted), work()), ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, r := compared(t, recorded(t, nil, c.a), recorded(t, nil, c.b))
			said := false
			for _, f := range r.Findings {
				if f.Kind == Divergence {
					said = true
					if c.says == "" || !strings.Contains(f.Sentence(), c.says) {
						t.Errorf("found %s", f.Sentence())
					}
				}
			}
			if !said && c.says != "" {
				t.Errorf("no divergence among %+v", r.Findings)
			}
		})
	}
}

// TestFamiliesAreOneFunction has all steps of a build take a thousandth: that is one finding.
func TestFamiliesAreOneFunction(t *testing.T) {
	build := func(self int64) *trace.Trace {
		root := f("build", 1000)
		for k := range 20 {
			root.kids = append(root.kids, f(fmt.Sprintf("compile lib/pkg%d", k), self))
		}
		return recordedAs(t, trace.NewBuilder("free names"), nil, root)
	}
	_, _, r := compared(t, build(500_000), build(500))
	got := only(t, r, Faster)
	if got.Function != "compile …" || got.Calls != [2]int64{20, 20} || len(r.Findings) != 1 {
		t.Errorf("found %+v", r.Findings)
	}
}

// TestProfilesAreToldByFunction compares profiles of 10 ms a sample: a function that lost most of
// its samples is told, under none of its callers, and one that lost few is not. Of one that is gone
// the samples including callees are told, and not its own once more.
func TestProfilesAreToldByFunction(t *testing.T) {
	const sample = 10_000_000
	profile := func(slow, other int64, gone ...*call) *trace.Trace {
		top := f("top", sample, f("mid", sample, f("slow", slow*sample), f("other", other*sample)))
		for k := range 9 {
			top.kids = append(top.kids, f(fmt.Sprint("rest", k), sample))
		}
		top.kids = append(top.kids, gone...)
		b := trace.NewBuilder("test")
		b.Kind, b.Symbols = trace.Profile, true
		return recordedAs(t, b, nil, top)
	}
	build := func(calls int64) *trace.Trace { // of bytes allocated, and of those in use
		b := trace.NewBuilder("test")
		b.Kind, b.Symbols = trace.Profile, true
		return recordedAs(t, b, nil, f("all", sample, f("fields", calls*sample)), f("used", sample, f("fields", calls*sample)))
	}
	if _, _, r := compared(t, build(90), build(9)); len(r.Findings) != 1 {
		t.Errorf("told twice: %+v", r.Findings)
	}
	gone := f("gone", 20*sample, f("x", 9*sample), f("y", 9*sample), f("z", 9*sample))
	_, _, r := compared(t, profile(40, 14, gone), profile(160, 20))
	if len(r.Findings) != 2 {
		t.Fatalf("found %+v", r.Findings)
	}
	for k, want := range map[Kind]string{
		Slower:  "slow takes 1.60 s of self time instead of 400 ms: +1.20 s.",
		Missing: "gone is sampled in A only, called by top: −470 ms including callees.",
	} {
		if got := only(t, r, k); got.Sentence() != want {
			t.Errorf("found %s", got.Sentence())
		}
	}
}

// TestIncreasing holds the subsequence against the quadratic way to find its length.
func TestIncreasing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.Permutation([]int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}).Draw(t, "list")
		longest, most := make([]int, len(list)), 0
		for i := range list {
			longest[i] = 1
			for k := range i {
				if list[k] < list[i] {
					longest[i] = max(longest[i], longest[k]+1)
				}
			}
			most = max(most, longest[i])
		}
		last, n := int32(-1), 0
		for i, in := range increasing(list) {
			if !in {
				continue
			}
			if n++; list[i] < last {
				t.Fatalf("%v does not increase at %d", list, i)
			}
			last = list[i]
		}
		if n != most {
			t.Fatalf("%d of %v increase, not %d", n, list, most)
		}
	})
}

// TestLevelThatOneSideHas passes through a level that only one side calls between two others: its
// own time is told, and neither its callees nor its caller.
func TestLevelThatOneSideHas(t *testing.T) {
	const n = 12
	inner := f("inner", 300, f("leaf", 100))
	with := among("main", again(n, f("outer", 200, f("level", 50, inner))))
	without := among("main", again(n, f("outer", 200, inner)))
	for name, c := range map[string]struct {
		a, b *call
		kind Kind
		says string
	}{
		"in A": {with, without, Missing, "Only A calls level between outer and inner: " +
			"12 calls, −600 ns of self time."},
		"in B": {without, with, New, "Only B calls level between outer and inner: " +
			"12 calls, +600 ns of self time."},
	} {
		t.Run(name, func(t *testing.T) {
			p := pair.New(recorded(t, nil, c.a), recorded(t, nil, c.b), pair.Rules{})
			r := passedThrough(p, n, pair.Side(toInt(c.kind == New)))
			found, err := Find(t.Context(), p, []*align.Result{r}, Options{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := only(t, found, c.kind); got.Sentence() != c.says || got.Function != "level" {
				t.Errorf("found %+v", got)
			}
			for _, o := range found.Findings {
				if o.Kind != Divergence && o.Kind != c.kind {
					t.Errorf("told as well: %s", o.Sentence())
				}
			}
		})
	}
}

// passedThrough aligns n calls of outer, level, inner and leaf on side sd with outer, inner and
// leaf on the other.
func passedThrough(p *pair.Pair, n int, sd pair.Side) *align.Result {
	r := &align.Result{Pair: p, Engine: "by hand"}
	r.Threads[pair.A], r.Threads[pair.B] = p.A.Threads[0], p.B.Threads[0]
	for s := range r.Partner {
		r.Partner[s] = make([]int32, r.Threads[s].Len())
	}
	pairUp := func(i, j int) {
		r.Partner[sd][i], r.Partner[sd.Other()][j] = int32(j), int32(i)
	}
	pairUp(0, 0)
	r.Passed[sd] = make(align.Calls, 1)
	for k := range n {
		i, j := 1+4*k, 1+3*k
		pairUp(i, j)
		r.Partner[sd][i+1] = align.None
		r.Passed[sd][0] |= 1 << (i + 1)
		pairUp(i+2, j+1)
		pairUp(i+3, j+2)
	}
	return r
}

// TestCalleesOfLevels holds what is on a level against what it is by definition.
func TestCalleesOfLevels(t *testing.T) {
	level := f("level", 1, f("b", 1, f("c", 1)), f("d", 1))
	tr := recorded(t, nil, f("main", 1, f("a", 1), level, f("e", 1)))
	p := pair.New(tr, tr, pair.Rules{})
	r := &align.Result{Pair: p, Threads: [2]*trace.Thread{tr.Threads[0], tr.Threads[0]}}
	r.Partner[pair.A] = []int32{0, 1, align.None, 2, 3, 4, 5}
	r.Passed[pair.A] = align.Calls{1 << 2}
	var names []string
	eachCallee(r, pair.A, 0, func(i int32) {
		names = append(names, p.Names[r.ID(pair.A, int(i))])
	})
	if got := strings.Join(names, " "); got != "a level b d e" {
		t.Errorf("main's level has %s", got)
	}
	if caller(r, pair.A, 3) != 0 || caller(r, pair.A, 4) != 3 || caller(r, pair.A, 0) != align.None {
		t.Error("callers")
	}
}

// TestTheLargestOfOtherOrders holds that one finding stands for all calls in another order: the one
// of most time.
func TestTheLargestOfOtherOrders(t *testing.T) {
	steps := func(names ...string) *call {
		m := among("main")
		for _, n := range names {
			m.kids = append(m.kids, f(n, int64(100*len(n)), f(n+"_all", 10)))
		}
		return m
	}
	_, _, r := compared(t, recorded(t, nil, steps("log", "config", "connect", "warm", "serve")),
		recorded(t, nil, steps("connect", "config", "warm", "log", "serve")))
	var lead []string
	moved := 0
	for _, f := range r.Findings {
		if f.Kind == Moved {
			moved++
		}
		if f.Lead {
			lead = append(lead, f.Function)
		}
	}
	if moved < 2 || len(lead) != 1 || lead[0] != "connect" {
		t.Errorf("%v of %d: %+v", lead, moved, r.Findings)
	}
}

// TestOrderByTheScheduleCouldBeChance holds that calls in another order are certain only where
// neither other threads of the same name nor waiting can be the reason.
func TestOrderByTheScheduleCouldBeChance(t *testing.T) {
	get, put := f("get", 900, f("hash", 50)), f("put", 2000, f("log", 500))
	held := &call{name: "take", self: 90, wait: true}
	first, last := []any{put, again(8, get)}, []any{again(8, get), put}
	blocking := f("put", 2000, held)
	for name, c := range map[string]struct {
		a, b []*call
		want Certainty
	}{
		"one thread": {[]*call{among("main", first...)}, []*call{among("main", last...)}, Certain},
		"two clients": {[]*call{among("client", first...), among("client", first...)},
			[]*call{among("client", last...), among("client", last...)}, Chance},
		"a callee waits": {[]*call{among("main", blocking, again(8, get))},
			[]*call{among("main", again(8, get), blocking)}, Chance},
	} {
		_, _, r := compared(t, recorded(t, nil, c.a...), recorded(t, nil, c.b...))
		if got := only(t, r, Moved); got.Certainty != c.want {
			t.Errorf("%s: %s: %v, want %v", name, got.Sentence(), got.Certainty, c.want)
		}
	}
}
