package pair

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/trace"
)

// traceOf builds a trace of threads written "name: f g h", with ids #0, #1… unless name has one:
// "7=7: f".
func traceOf(threads ...string) *trace.Trace {
	b := trace.NewBuilder("test")
	for i, s := range threads {
		name, calls, _ := strings.Cut(s, ":")
		id := fmt.Sprintf("#%d", i)
		if own, rest, ok := strings.Cut(name, "="); ok {
			id, name = own, rest
		}
		th := b.Thread(id, -1)
		th.SetName(name)
		th.Instant(0, b.Function(trace.Function{Name: "tick"}))
		for k, f := range strings.Fields(calls) {
			at := int64(1000*i + k)
			th.Complete(at, at+1, b.Function(trace.Function{Name: f}))
		}
	}
	tr, err := b.Build(context.Background())
	if err != nil {
		panic(err)
	}
	return tr
}

func TestThreadPairs(t *testing.T) {
	for name, c := range map[string]struct {
		a, b []string
		want string
	}{
		"by name":       {[]string{"x: f", "y: f"}, []string{"y: f", "x: f"}, "[{0 1} {1 0}]"},
		"by creation":   {[]string{"w: f", "w: g"}, []string{"w: g", "w: f"}, "[{0 0} {1 1}]"},
		"left over":     {[]string{"w: f", "w: g"}, []string{"w: g"}, "[{0 0} {1 -1}]"},
		"by similarity": {[]string{"p: f g h", "q: f g"}, []string{"r: f g", "s: f g h i"}, "[{0 1} {1 0}]"},
		"nothing alike": {[]string{"p: f"}, []string{"q: g"}, "[{0 -1} {-1 0}]"},
		"best first":    {[]string{"p: f g", "q: f"}, []string{"r: f"}, "[{0 -1} {1 0}]"},
		"ids of ranks":  {[]string{"0=0: f", "1=1: g"}, []string{"0=0: g", "1=1: f"}, "[{0 0} {1 1}]"},
		"ids of a system": {[]string{"10=10: f", "11=11: g"}, []string{"11=11: f", "12=12: g"},
			"[{0 0} {1 1}]"},
		"ids in names": {[]string{"7=w · 7: f", "8=v · 8: f"}, []string{"9=v · 9: f", "8=w · 8: f"},
			"[{0 1} {1 0}]"},
		"no calls": {[]string{"p:"}, []string{"q:"}, "[{0 -1} {-1 0}]"},
	} {
		t.Run(name, func(t *testing.T) {
			p := New(traceOf(c.a...), traceOf(c.b...), Rules{})
			if got := fmt.Sprint(p.Threads); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestOneSide(t *testing.T) {
	tr := traceOf("x: f g.cold", "y: g")
	p := New(tr, nil, Rules{})
	got := fmt.Sprint(p.Threads, p.Names, p.IDA, p.IDB)
	if want := "[{0 -1} {1 -1}] [tick f g] [0 1 2 2] []"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if p = New(nil, tr, Rules{}); fmt.Sprint(p.Threads) != "[{-1 0} {-1 1}]" || p.Partner(B, 1) != none {
		t.Errorf("B alone: %v", p.Threads)
	}
	if p = New(nil, nil, Rules{}); len(p.Threads) != 0 {
		t.Errorf("none: %v", p.Threads)
	}
}

func TestRepair(t *testing.T) {
	p := New(traceOf("x: f", "y: f"), traceOf("x: f", "y: f"), Rules{})
	for _, c := range []struct {
		a, b int
		want string
	}{
		{0, 1, "[{0 1} {1 -1} {-1 0}]"}, {0, 0, "[{0 0} {1 1}]"},
		{0, none, "[{0 -1} {1 1} {-1 0}]"}, {none, 1, "[{0 0} {1 -1} {-1 1}]"},
	} {
		if got := fmt.Sprint(p.Repair(c.a, c.b).Threads); got != c.want {
			t.Errorf("Repair(%d, %d) = %s, want %s", c.a, c.b, got, c.want)
		}
	}
	if fmt.Sprint(p.Threads) != "[{0 0} {1 1}]" {
		t.Errorf("the pair itself changed: %v", p.Threads)
	}
}

func TestSide(t *testing.T) {
	if A.String() != "A" || B.String() != "B" || A.Other() != B || B.Other() != A {
		t.Error("sides")
	}
}

// plainPairs is the similarity stage from its definition, thread by thread.
func plainPairs(p *Pair) []int {
	sets := func(s Side) []map[uint32]bool {
		out := make([]map[uint32]bool, len(p.Trace(s).Threads))
		for i, th := range p.Trace(s).Threads {
			out[i] = map[uint32]bool{}
			for _, f := range th.Fn {
				out[i][p.IDs(s)[f]] = true
			}
		}
		return out
	}
	type cand struct{ a, b, firstA, firstB, common, union int }
	var all []cand
	as, bs := sets(A), sets(B)
	first := func(of []map[uint32]bool, x int) int {
		return slices.IndexFunc(of, func(m map[uint32]bool) bool { return fmt.Sprint(m) == fmt.Sprint(of[x]) })
	}
	for a := range as {
		for b := range bs {
			c := cand{a: a, b: b, firstA: first(as, a), firstB: first(bs, b), union: len(bs[b])}
			for id := range as[a] {
				if bs[b][id] {
					c.common++
				} else {
					c.union++
				}
			}
			if c.common > 0 {
				all = append(all, c)
			}
		}
	}
	slices.SortStableFunc(all, func(x, y cand) int {
		for _, d := range []int{y.common*x.union - x.common*y.union, x.firstA - y.firstA,
			x.firstB - y.firstB, x.a - y.a, x.b - y.b} {
			if d != 0 {
				return d
			}
		}
		return 0
	})
	out, taken := slices.Repeat([]int{none}, len(as)), map[int]bool{}
	for _, c := range all {
		if out[c.a] == none && !taken[c.b] {
			out[c.a], taken[c.b] = c.b, true
		}
	}
	return out
}

func TestSimilarityMatchesDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		some := func(side string) []string {
			return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
				fs := rapid.SliceOfN(rapid.SampledFrom([]string{"f", "g", "h", "i", "j"}), 1, 5).Draw(t, "calls")
				return strings.Join(fs, " ")
			}), 0, 8).Draw(t, side)
		}
		var a, b []string
		for i, calls := range some("a") {
			a = append(a, fmt.Sprintf("a%d: %s", i, calls))
		}
		for i, calls := range some("b") {
			b = append(b, fmt.Sprintf("b%d: %s", i, calls))
		}
		p := New(traceOf(a...), traceOf(b...), Rules{})
		for i, want := range plainPairs(p) {
			if got := p.Partner(A, i); got != want {
				t.Fatalf("thread %d of\n%q\nis paired with %d of\n%q\nwant %d", i, a, got, b, want)
			}
		}
		checkPair(t, p)
	})
}

// checkPair holds that every thread is in one pair.
func checkPair(t interface{ Fatalf(string, ...any) }, p *Pair) {
	for _, s := range []Side{A, B} {
		seen := map[int]bool{}
		for k, tp := range p.Threads {
			th := tp.On(s)
			if th == none {
				continue
			}
			if seen[th] || p.Of(s, th) != k || p.Partner(s, th) != tp.On(s.Other()) {
				t.Fatalf("%v: thread %s%d", p.Threads, s, th)
			}
			seen[th] = true
		}
		if len(seen) != p.threads(s) {
			t.Fatalf("%d of %d threads of %s", len(seen), p.threads(s), s)
		}
	}
}

// TestManyThreads pairs tens of thousands of threads of many kinds; each with each would be 10⁹
// sets.
func TestManyThreads(t *testing.T) {
	many := func(side string) *trace.Trace {
		var threads []string
		for i := range 30_000 {
			threads = append(threads, fmt.Sprintf("%s%d: f%d f%d %s", side, i, i%5000, i%7, side))
		}
		return traceOf(threads...)
	}
	p := New(many("a"), many("b"), Rules{})
	checkPair(t, p)
	if p.Partner(A, 0) == none {
		t.Error("nothing was paired by similarity")
	}
}
