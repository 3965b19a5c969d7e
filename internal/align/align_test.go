package align

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

func aligned(t testtrace.TB, p *pair.Pair, o Options) *Result {
	r, err := Align(context.Background(), p, 0, 0, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// someForests draws two forests: the second is independent of the first or edited from it.
func someForests(t *rapid.T) (xs, ys []*testtrace.Tree) {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	most := rapid.SampledFrom([]int{6, 40, 300}).Draw(t, "most")
	alphabet := rapid.SampledFrom([]int{2, 3, 5, 20, 1000}).Draw(t, "alphabet")
	deep := rapid.SampledFrom([]float64{0, 0.3, 0.5, 0.8}).Draw(t, "deep")
	xs = testtrace.Grow(r, r.IntN(most+1), alphabet, deep)
	if rapid.Bool().Draw(t, "unrelated") {
		return xs, testtrace.Grow(r, r.IntN(most+1), alphabet, deep)
	}
	rate := rapid.SampledFrom([]float64{0, 0.02, 0.1, 0.5}).Draw(t, "rate")
	return xs, testtrace.Edit(r, xs, alphabet, rate)
}

// someOptions draws budgets small enough to matter.
func someOptions(t *rapid.T) Options {
	return Options{
		TieCells: rapid.SampledFrom([]int64{0, 1, 30, 400, 5000}).Draw(t, "tie cells"),
		Cells:    rapid.SampledFrom([]int64{1, 20, 1000}).Draw(t, "cells"),
		Strict:   rapid.Bool().Draw(t, "strict"),

		pocketCells: rapid.SampledFrom([]int64{0, 1, 100}).Draw(t, "cells of pockets"),
		recent:      rapid.SampledFrom([]int{0, 1, 4}).Draw(t, "recent levels"),
		mostCounted: rapid.SampledFrom([]int64{0, 1}).Draw(t, "counted in advance"),
	}
}

// TestEngines holds every engine against the definition, on many pairs.
func TestEngines(t *testing.T) {
	testtrace.Checks(t, 25) // of so many pairs each
	rapid.Check(t, func(t *rapid.T) {
		for range sized(4, 20) {
			xs, ys := someForests(t)
			r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "clock"), 0))
			clock := func() testtrace.Clock { return testtrace.Halting(r) }
			off := rapid.SampledFrom([]int{0, 0, 1}).Draw(t, "functions off the processor")
			sameByAll(t, pairedOff(t, xs, ys, clock, off), xs, ys, someOptions(t))
		}
	})
}

func sameByAll(t *rapid.T, p *pair.Pair, xs, ys []*testtrace.Tree, o Options) {
	passed := passedOf(p, xs, ys, o.Strict)
	want := expected(p, xs, ys, passed, int(o.withDefaults().TieCells))
	for e := range engines {
		o.Engine = e
		r := aligned(t, p, o)
		if err := want.pairAside(r); err != nil {
			t.Fatalf("%v: %v", e, err)
		}
		if int(r.Score) != want.score+4*want.aside {
			t.Fatalf("%v: score %d, want %d", e, r.Score, want.score)
		}
		if !samePartners(want.partner, r.Partner) {
			t.Fatalf("%v: %s", e, cmp.Diff(want.partner, r.Partner))
		}
	}
}

func samePartners(x, y [2][]int32) bool {
	return slices.Equal(x[0], y[0]) && slices.Equal(x[1], y[1])
}

func TestPaperExample(t *testing.T) {
	p := paired(t, testtrace.Flat("m c a c m a m"), testtrace.Flat("m c a c b c m b m"))
	for e := range engines {
		if r := aligned(t, p, Options{Engine: e}); r.Score != 9 {
			t.Errorf("%v: score %d, want 9", e, r.Score)
		}
	}
}

// TestSound checks what a Result promises, and that levels are counted alike by all engines.
func TestSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs, ys := someForests(t)
		off := rapid.IntRange(0, 1).Draw(t, "functions off the processor")
		p, o := pairedOff(t, xs, ys, nil, off), someOptions(t)
		var first *Result
		for e := range engines {
			o.Engine = e
			r := aligned(t, p, o)
			if err := unsound(r); err != nil {
				t.Fatalf("%v: %v", e, err)
			}
			if first == nil {
				first = r
			}
			if r.Ties != first.Ties {
				t.Fatalf("%v: %v, want %v", e, r.Ties, first.Ties)
			}
		}
	})
}

// unsound reports the first thing in which a result is not an alignment.
func unsound(r *Result) error {
	equal, different := 0, 0
	for s, partner := range r.Partner {
		th, other, side := r.Threads[s], r.Threads[1-s], pair.Side(s)
		last := map[int32]int32{} // by caller, the partner of the callee before
		for i, j := range partner {
			if j == None {
				continue
			}
			caller, callerOfOther := r.Caller(side, int32(i)), r.Caller(side.Other(), j)
			switch {
			case r.Passed[s].Has(int32(i)):
				return fmt.Errorf("call %d of %v is passed through and has a partner", i, side)
			case r.Partner[1-s][j] != int32(i):
				return fmt.Errorf("call %d of %v is not its partner's", i, side)
			case caller < 0 != (callerOfOther < 0):
				return fmt.Errorf("call %d of %v: a root and a callee", i, side)
			case caller >= 0 && partner[caller] != callerOfOther:
				return fmt.Errorf("call %d of %v: its callers are no partners", i, side)
			case last[caller] > j:
				return fmt.Errorf("call %d of %v is out of order", i, side)
			}
			last[caller] = j
			if s == 0 && r.Pair.IDA[th.Fn[i]] == r.Pair.IDB[other.Fn[j]] {
				equal++
			} else if s == 0 {
				different++
			}
		}
	}
	gaps := len(r.Partner[0]) + len(r.Partner[1]) - 2*(equal+different)
	if want := int64(2*equal - different - gaps); r.Score != want {
		return fmt.Errorf("score %d, want %d", r.Score, want)
	}
	return nil
}

// TestTogether aligns all pairs of threads at once and one by one.
func TestTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var a, b [][]*testtrace.Tree
	for k := range 5 {
		a = append(a, testtrace.Grow(r, 50*k, 8, 0.5))
		b = append(b, testtrace.Edit(r, a[k], 8, 0.1))
	}
	p := pair.New(testtrace.Record(t, nil, a...), testtrace.Record(t, nil, b...), pair.Rules{})
	pairs := []pair.ThreadPair{{A: -1, B: -1}, {A: 2, B: -1}, {A: -1, B: 0}}
	for i := range p.A.Threads {
		for j := range p.B.Threads {
			pairs = append(pairs, pair.ThreadPair{A: i, B: j})
		}
	}
	for e := range engines {
		rs, err := All(context.Background(), p, pairs, Options{Engine: e, Strict: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for k, tp := range pairs {
			one, err := Align(context.Background(), p, tp.A, tp.B, Options{Strict: true}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := unsound(rs[k]); err != nil {
				t.Error(err)
			}
			if !samePartners(one.Partner, rs[k].Partner) || one.Score != rs[k].Score ||
				one.Ties != rs[k].Ties {
				t.Errorf("%v, %v: %v %v, want %v %v", e, tp, rs[k].Score, rs[k].Ties, one.Score, one.Ties)
			}
		}
	}
}

// TestNothing aligns what has no calls.
func TestNothing(t *testing.T) {
	some := testtrace.Record(t, nil, testtrace.Flat("ab"))
	for _, p := range []*pair.Pair{pair.New(some, nil, pair.Rules{}), pair.New(nil, some, pair.Rules{})} {
		r := aligned(t, p, Options{})
		if err := unsound(r); err != nil || r.Score != -2 {
			t.Errorf("score %d, %v", r.Score, err)
		}
	}
}

// TestDeepStacks aligns stacks that no recursion would survive, of calls that are equal or
// renamed.
func TestDeepStacks(t *testing.T) {
	depth := sized(20_000, 100_000)
	stack := func(names ...string) *trace.Trace {
		b := trace.NewBuilder("test")
		th := b.Thread("0", -1)
		for i := range depth {
			th.Begin(int64(i), b.Function(trace.Function{Name: names[i%len(names)]}))
		}
		for i := range depth {
			th.End(int64(depth + i))
		}
		return testtrace.Build(t, b)
	}
	// All but the innermost calls reach two functions of three in common.
	p := pair.New(stack("f", "g", "h"), stack("f", "g", "i"), pair.Rules{})
	r := aligned(t, p, Options{})
	if err := unsound(r); err != nil {
		t.Fatal(err)
	}
	if paired := depth + int(r.Score); paired < depth {
		t.Errorf("score %d", r.Score)
	}
}

// TestStacks aligns stacks that are much alike, above and below calls with several callees, by the
// fast engine and by the paper's.
func TestStacks(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 7))
	for round := range 6 {
		functions := 1 + r.IntN(4)
		base := stackOf(r, 1+r.IntN(mostSummed), functions)
		p := paired(t, repetitive(r, base, functions), repetitive(r, base, functions))
		fast, plain := aligned(t, p, Options{}), aligned(t, p, Options{Engine: Hybrid})
		if fast.Score != plain.Score || fast.Ties != plain.Ties || !samePartners(fast.Partner, plain.Partner) {
			t.Errorf("round %d: score %d, %v, and by the other engine %d, %v", round, fast.Score, fast.Ties,
				plain.Score, plain.Ties)
		}
	}
}

// TestCancel stops an alignment at its first report of progress.
func TestCancel(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	xs := testtrace.Grow(r, 3000, 5, 0.2)
	p := paired(t, xs, testtrace.Edit(r, xs, 5, 0.3))
	for e := range engines {
		ctx, cancel := context.WithCancel(context.Background())
		_, err := Align(ctx, p, 0, 0, Options{Engine: e}, func(done, total int64) {
			if done > total {
				t.Errorf("%d of %d", done, total)
			}
			cancel()
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v: %v", e, err)
		}
	}
}

func TestEngineNamed(t *testing.T) {
	for e := range engines {
		if got, err := EngineNamed(e.String()); got != e || err != nil {
			t.Errorf("%v: %v, %v", e, got, err)
		}
	}
	if _, err := EngineNamed("manual"); err == nil {
		t.Error("an engine of that name")
	}
	if _, err := Align(context.Background(), pair.New(nil, nil, pair.Rules{}), 0, 0,
		Options{Engine: engines}, nil); err == nil {
		t.Error("aligned with no engine")
	}
}
