package finding

import (
	"math/rand/v2"
	"testing"
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
					t.Errorf("%s: %s", c.name, f.Text)
				}
			}
		}
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

// TestWeights holds by how much a part of the calls is disturbed for each disturbance of the others.
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
