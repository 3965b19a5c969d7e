package finding

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
)

// TestWhoseCallsAreSlower holds that a finding about a function that is called from everywhere
// names the caller whose calls changed, unless that one has most of the function's time anyway.
func TestWhoseCallsAreSlower(t *testing.T) {
	main := func(hash, parse, price int64) []*call {
		var orders []*call
		for range 40 {
			orders = append(orders, f("hash", 10, f("work", hash)), f("parse", 10, f("work", parse)),
				f("price", 10, f("work", price)))
		}
		return []*call{among("main", orders)}
	}
	for _, tt := range []struct {
		name string
		a, b []*call
		want string
	}{
		{"one caller", main(1000, 900, 1100), main(3000, 900, 1100),
			", nearly all of it called by hash (40.0 µs → 120 µs)"},
		{"all callers", main(1000, 900, 1100), main(3000, 2700, 3300), ""},
		{"it has most", main(9000, 900, 1100), main(18000, 900, 1100), ""},
	} {
		f := found(t, "work", tt.a, tt.b)
		got := f.Sentence()
		if tt.want == "" && strings.Contains(got, "called by") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
}

// TestOneCallerIsEnough: where the calls of one of two callers take eleven times as long, that is no
// chance, though those of the other are as they were, so that all calls of the function together
// vary more than they changed. If it is two of its calls, it could be chance.
func TestOneCallerIsEnough(t *testing.T) {
	side := func(seed uint64, holds func(round int) bool) *call {
		r := rand.New(rand.NewPCG(seed, 7))
		vary := func(ns float64) int64 { return int64(ns * (1 + .05*r.NormFloat64())) }
		root := &call{name: "main"}
		for round := range 60 {
			for k, name := range []string{"load", "parse", "draw", "sort", "find", "send", "pack", "free"} {
				root.kids = append(root.kids, f(name, vary(float64(2000+500*k))))
			}
			held := 1000.
			if holds != nil && holds(round) {
				held = 11_000
			}
			root.kids = append(root.kids, f("read", 100, f("spin", vary(30_000))),
				f("update", 100, f("spin", vary(held))))
		}
		return root
	}
	for _, tt := range []struct {
		name  string
		holds func(round int) bool
		sure  bool
	}{
		{"all", func(int) bool { return true }, true},
		{"two", func(round int) bool { return round == 9 || round == 10 }, false},
	} {
		a, b := recorded(t, nil, side(1, nil)), recorded(t, nil, side(2, tt.holds))
		_, _, r := compared(t, a, b)
		sure := false
		for _, x := range r.Findings {
			sure = sure || x.Function == "spin" && x.Certainty != Chance
		}
		if sure != tt.sure {
			t.Errorf("%s: for sure: %v: %+v", tt.name, sure, r.Findings)
		}
	}
}

// TestWhoCallsInstead holds that calls which another caller makes are not told as those of one
// loop, and that a long call by a caller that makes none on the other side is no mere stall.
func TestWhoCallsInstead(t *testing.T) {
	store := f("store", 1000)
	one := []*call{among("main", again(60, among("order", f("parse", 300), store)))}
	batch := []*call{among("main", again(6, among("batch", again(10, f("parse", 300)))), again(6, store))}
	want := "store is called 6 times instead of 60, by order 60 → 0 and by main 0 → 6: "
	if got := found(t, "store", one, batch); got.Kind != Called || !strings.HasPrefix(got.Sentence(), want) {
		t.Errorf("found %+v", got)
	}
}

// TestCallGraph holds callers and callees against the edges of both sides.
func TestCallGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := recorded(t, nil, someCalls(t, "A")), recorded(t, nil, someCalls(t, "B"))
		p, results := alignedPair(t, a, b)
		s := newStudy(t.Context(), p, results, "", Options{}, nil)
		if err := s.gatherTotals(); err != nil {
			t.Fatal(err)
		}
		g := newCallGraph(s.totals, len(p.Names))
		var keys []uint64
		for _, of := range s.totals {
			keys = append(keys, of.keys...)
		}
		slices.Sort(keys)
		keys = slices.Compact(keys)
		var down, up []uint64
		for id := range uint32(len(p.Names)) {
			for _, e := range g.calleesOf(id) {
				down = append(down, pair.KeyOf(e.caller, e.id))
			}
			last := -1
			for e := range g.callersOf(id) {
				up = append(up, pair.KeyOf(e.caller, e.id))
				if e.id != id || int(e.caller) <= last || e.of != s.both(e.caller, id) {
					t.Fatalf("edge %+v among the callers of %d", e, id)
				}
				last = int(e.caller)
			}
		}
		slices.Sort(up)
		inFunctions, _ := slices.BinarySearch(keys, pair.KeyOf(atRoot, 0))
		if !slices.Equal(up, keys) || !slices.Equal(down, keys[:inFunctions]) ||
			len(g.inFunctions()) != inFunctions {
			t.Fatalf("callers of %d, callees of %d, want %d", up, down, keys)
		}
	})
}

// TestExampleIsWhatTheOtherSideLacks holds that the example of calls that one side makes more often
// is the longest of those without a partner that the named caller makes. Here they lie below other
// calls without a partner, and main makes a longer one on both sides.
func TestExampleIsWhatTheOtherSideLacks(t *testing.T) {
	resize := among("resize", again(3, f("run", 50)), []*call{f("run", 70)}, again(3, f("run", 50)))
	few := []*call{among("main", []*call{f("run", 3000)}, again(30, f("step", 100)))}
	many := []*call{among("main", []*call{f("run", 3000)}, again(30, f("step", 100)),
		[]*call{among("grow", []*call{resize})}, []*call{f("run", 900)})}
	for sd, sides := range [][2][]*call{{many, few}, {few, many}} {
		a, b := recorded(t, nil, sides[pair.A]...), recorded(t, nil, sides[pair.B]...)
		p, _, r := compared(t, a, b)
		k := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Function == "run" })
		if k < 0 || r.Findings[k].Caller != "resize" || r.Findings[k].At[sd] == nil {
			t.Fatalf("side %d: found %+v", sd, r.Findings)
		}
		th, i := p.Trace(pair.Side(sd)).Threads[0], int(r.Findings[k].At[sd].Call)
		up := p.Trace(pair.Side(sd)).FunctionOf(th, int(th.Parent(i))).Name
		if up != "resize" || th.Dur(i) != 70 {
			t.Errorf("side %d: the example is a call by %s that takes %d ns", sd, up, th.Dur(i))
		}
	}
}
