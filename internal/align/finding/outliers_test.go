package finding

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// TestBurstsAndDisturbances holds that calls which take ten times as long, here and there over the
// run, are the program's, while those at one moment could be a disturbance.
func TestBurstsAndDisturbances(t *testing.T) {
	side := func(seed uint64, slow func(round int) bool, stalls int) *call {
		r := rand.New(rand.NewPCG(seed, 3))
		vary := func(ns float64) int64 { return int64(ns * (1 + .03*r.NormFloat64())) }
		root := &call{name: "main"}
		for round := range 200 {
			for k, name := range []string{"load", "parse", "draw", "sort", "find", "send", "pack", "free"} {
				root.kids = append(root.kids, f(name, vary(float64(2000+500*k))))
			}
			flush := f("flush", vary(3000))
			if slow != nil && slow(round) {
				flush.self *= 10
			}
			root.kids = append(root.kids, flush)
		}
		for range stalls {
			root.kids[r.IntN(len(root.kids))].self += int64(20_000 + r.IntN(30_000))
		}
		return root
	}
	for _, c := range []struct {
		name   string
		slow   func(round int) bool
		stalls int
		sure   bool
	}{
		{"a tenth of the calls", func(round int) bool { return round%10 == 3 }, 0, true},
		{"a tenth of the calls, where others stall", func(round int) bool { return round%10 == 3 }, 12, true},
		{"calls at one moment", func(round int) bool { return round >= 100 && round < 106 }, 12, false},
		{"none, but all stall", nil, 30, false},
	} {
		a, b := recorded(t, nil, side(1, nil, c.stalls)), recorded(t, nil, side(2, c.slow, c.stalls))
		_, _, r := compared(t, a, b)
		sure := false
		for _, f := range r.Findings {
			if f.Certainty != Chance && f.Share >= telling && f.Kind != Divergence {
				if sure = true; f.Function != "flush" {
					t.Errorf("%s: %s", c.name, f.Sentence())
				}
			}
		}
		if sure != c.sure {
			t.Errorf("%s: for sure: %v, want %v: %+v", c.name, sure, c.sure, r.Findings)
		}
	}
}

// TestOutliersThatDwarfAllOthers holds that calls which take many times as long are the program's
// even if their function has nearly all of the run, and so would get most of the stalls: if they
// take as much longer as no stall does, and not all at one moment.
func TestOutliersThatDwarfAllOthers(t *testing.T) {
	side := func(seed uint64, times float64, slow func(round int) bool) *call {
		r := rand.New(rand.NewPCG(seed, 5))
		vary := func(ns float64) int64 { return int64(ns * (1 + .03*r.NormFloat64())) }
		root := &call{name: "build"}
		for round := range 200 {
			for k, name := range []string{"load", "parse", "draw", "sort", "find", "send", "pack", "free"} {
				root.kids = append(root.kids, f(name, vary(float64(2000+500*k))))
			}
			act := f("act", vary(1e6))
			if slow(round) {
				act.self = int64(float64(act.self) * times)
			}
			root.kids = append(root.kids, act)
		}
		for range 30 {
			if c := root.kids[r.IntN(len(root.kids))]; c.name != "act" {
				c.self += int64(20_000 + r.IntN(30_000))
			}
		}
		return root
	}
	none := func(int) bool { return false }
	for _, c := range []struct {
		name  string
		times float64
		slow  func(round int) bool
		sure  bool
	}{
		{"a tenth takes 60 times as long", 60, func(round int) bool { return round%10 == 3 }, true},
		{"a tenth is interrupted", 3, func(round int) bool { return round%10 == 3 }, false},
		{"at one moment", 60, func(round int) bool { return round >= 100 && round < 110 }, false},
		{"only some", 60, func(round int) bool { return round%40 == 3 }, false},
	} {
		a, b := recorded(t, nil, side(1, 1, none)), recorded(t, nil, side(2, c.times, c.slow))
		_, _, r := compared(t, a, b)
		sure := slices.ContainsFunc(r.Findings, func(f Finding) bool {
			return f.Function == "act" && f.Certainty != Chance && f.Share >= telling
		})
		if sure != c.sure {
			t.Errorf("%s: for sure: %v, want %v: %+v", c.name, sure, c.sure, r.Findings)
		}
	}
}

// TestAQuietClock holds that only a simulator's clock passes for one: most calls take exactly as
// long as before.
func TestAQuietClock(t *testing.T) {
	for _, c := range []struct {
		name         string
		pairs, equal int
		ns, tick     float64
		quiet        bool
	}{
		{"all are equal", 100, 100, 1000, 1, true},
		{"a few were edited", 100, 85, 1000, 1, true},
		{"half are equal", 100, 50, 1000, 1, false},
		{"calls too short for the clock", 100, 100, 50, 1, false},
		{"a clock of microseconds", 100, 100, 50_000, 1000, false},
		{"nothing was seen", 0, 0, 0, 1, false},
	} {
		var q stillness
		for k := range c.pairs {
			q.addPair(c.ns, k < c.equal, c.tick)
		}
		if q.quiet() != c.quiet {
			t.Errorf("%s: quiet is %v", c.name, q.quiet())
		}
	}
}

// TestWeights holds by how much a part of the calls is disturbed for each disturbance of the
// others.
func TestWeights(t *testing.T) {
	all := weight{100, 1000}
	for _, c := range []struct {
		part weight
		want float64
	}{{weight{50, 100}, 1}, {weight{10, 800}, 4}, {weight{0, 0}, 0}, {all, 1000}} {
		if got := c.part.against(all); got != c.want {
			t.Errorf("%+v: %v, want %v", c.part, got, c.want)
		}
	}
}

// TestWhatMemoryDoes holds that a burst is possible chance if it costs each call no more than
// memory that lies otherwise, unless it is all calls of one caller; and so are many outliers of
// which a few have almost all of the time.
func TestWhatMemoryDoes(t *testing.T) {
	side := func(seed uint64, slow func(round int, inPack bool) float64) *call {
		r := rand.New(rand.NewPCG(seed, 5))
		vary := func(ns float64) int64 { return int64(ns * (1 + .02*r.NormFloat64())) }
		root := &call{name: "main"}
		for round := range 300 {
			load, pack := f("load", vary(900)), f("pack", vary(700))
			for k := range 8 {
				inPack := k%4 == 0
				hash := f("hash", vary(500+slow(round*8+k, inPack)))
				if inPack {
					pack.kids = append(pack.kids, hash)
				} else {
					load.kids = append(load.kids, hash)
				}
			}
			root.kids = append(root.kids, load, pack)
		}
		return root
	}
	for _, c := range []struct {
		name string
		slow func(k int, inPack bool) float64
		sure bool
	}{
		{"a fifth of the calls, by 700 ns", func(k int, _ bool) float64 { return 700 * float64(toInt(k%5 == 2)) }, false},
		{"a fifth of the calls, by 2 µs", func(k int, _ bool) float64 { return 2000 * float64(toInt(k%5 == 2)) }, true},
		{"those of one caller, by 700 ns", func(_ int, in bool) float64 { return 700 * float64(toInt(in)) }, true},
		{"a fifth by 300 ns, and three stalls", func(k int, _ bool) float64 {
			return 300*float64(toInt(k%5 == 2)) + 60_000*float64(toInt(k%800 == 400))
		}, false},
	} {
		a := recorded(t, nil, side(1, func(int, bool) float64 { return 0 }))
		_, _, r := compared(t, a, recorded(t, nil, side(2, c.slow)))
		sure := false
		for _, f := range r.Findings {
			sure = sure || f.Function == "hash" && f.Certainty != Chance && f.Share >= telling
		}
		if sure != c.sure {
			t.Errorf("%s: for sure: %v, want %v: %+v", c.name, sure, c.sure, r.Findings)
		}
	}
}

// TestReleasesThatWakeThreads holds that calls which release something could take longer by chance,
// by what it takes to wake a thread; but not by more, and other calls not at all.
func TestReleasesThatWakeThreads(t *testing.T) {
	build := func(seed uint64, function string, kind trace.BlockKind, slow int64) *trace.Trace {
		r, b := rand.New(rand.NewPCG(seed, 5)), trace.NewBuilder("test")
		for k := range 2 {
			th, now := b.Thread(fmt.Sprint("worker ", k), -1), int64(0)
			call := func(name string, ns float64) trace.Ref {
				from := now
				now += int64(ns * (1 + .03*r.NormFloat64()))
				return th.Complete(from, now, b.Function(trace.Function{Name: name}))
			}
			for round := range 200 {
				for i, name := range []string{"load", "parse", "draw", "sort", "find", "send", "pack", "free"} {
					call(name, float64(500+100*i))
				}
				ns := 400.
				if round%3 == 0 {
					ns += float64(slow)
				}
				if ref := call(function, ns); kind != 0 {
					th.Block(ref, kind, b.Object("lock"))
				}
			}
		}
		return testtrace.Build(t, b)
	}
	for _, c := range []struct {
		function string
		kind     trace.BlockKind
		slow     int64
		chance   bool
	}{
		{"unlock", trace.Release, 4000, true},
		{"post", trace.Release, 400_000, false},
		{"give", 0, 4000, false},
	} {
		_, _, r := compared(t, build(1, c.function, c.kind, 0), build(2, c.function, c.kind, c.slow))
		k := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Function == c.function })
		if k < 0 || (r.Findings[k].Certainty == Chance) != c.chance {
			t.Errorf("%s, %d ns longer: %+v", c.function, c.slow, r.Findings)
		}
	}
}

// TestAllOfFewCalls holds that a function of five calls which all take twice as long is the
// program's, and one of which some do is not.
func TestAllOfFewCalls(t *testing.T) {
	build := func(seed uint64, factors ...float64) *trace.Trace {
		r, root := rand.New(rand.NewPCG(seed, 9)), &call{name: "main"}
		vary := func(ns float64) int64 { return int64(ns * (1 + .03*r.NormFloat64())) }
		for _, factor := range factors {
			for k, name := range []string{"auth", "cart", "items", "quote", "render"} {
				root.kids = append(root.kids, f(name, vary(float64(20_000+5000*k))))
			}
			root.kids = append(root.kids, f("reserve", vary(200_000*factor)))
		}
		return recorded(t, nil, root)
	}
	for _, c := range []struct {
		factors []float64
		want    Certainty
	}{{[]float64{2, 2, 2, 2, 2}, Likely}, {[]float64{1, 2, 2, 2, 1}, Chance}, {[]float64{2, 2, 7, 2, 2}, Chance}} {
		_, _, r := compared(t, build(1, 1, 1, 1, 1, 1), build(2, c.factors...))
		k := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Function == "reserve" })
		if k < 0 || r.Findings[k].Certainty != c.want {
			t.Errorf("%v times as long: %+v, want %v", c.factors, r.Findings, c.want)
		}
	}
}
