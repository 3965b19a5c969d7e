package finding

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestASingleVastChange holds that one call which takes most of a run on one side only is no
// chance, though no other call is a witness, while a single call that a stall might explain is.
func TestASingleVastChange(t *testing.T) {
	side := func(seed uint64, large, stall int64) *call {
		r := rand.New(rand.NewPCG(seed, 1))
		root := &call{name: "main"}
		for i := range 300 {
			work := &call{name: "work", self: int64(1e6 * (1 + .05*r.NormFloat64()))}
			if i == 100 {
				work.self += stall
			}
			root.kids = append(root.kids, work)
		}
		root.kids = append(root.kids, &call{name: "large", self: large})
		return root
	}
	for _, c := range []struct {
		name          string
		before, after int64 // of the large call, ns
		stall         int64 // of another one in B
		sure          bool
	}{
		{"most of the run", 400e6, 2e6, 5e6, true},
		{"a twentieth of the run", 30e6, 10e6, 5e6, false},
		{"most of the run, beside a stall of its size", 400e6, 2e6, 100e6, false},
	} {
		a := recorded(t, nil, side(1, c.before, 0))
		b := recorded(t, nil, side(2, c.after, c.stall))
		_, _, r := compared(t, a, b)
		sure := false
		for _, f := range r.Findings {
			sure = sure || f.Function == "large" && f.Certainty != Chance
		}
		if sure != c.sure {
			t.Errorf("%s: it is more than chance: %v, want %v", c.name, sure, c.sure)
		}
	}
}

// TestALoopTakesAsItsCallsGrow holds that one call that both sides make takes longer for sure if it
// makes as many times the calls, and by no other factor.
func TestALoopTakesAsItsCallsGrow(t *testing.T) {
	side := func(seed uint64, calls int, self int64) *call {
		r := rand.New(rand.NewPCG(seed, 1))
		loop := &call{name: "loop", self: self}
		for range calls {
			loop.kids = append(loop.kids, &call{name: "work", self: int64(1e6 * (1 + .05*r.NormFloat64()))})
		}
		return among("main", loop)
	}
	for _, c := range []struct {
		calls int
		self  int64
		want  Certainty
	}{{900, 70e6, Likely}, {100, 8e6, Likely}, {300, 70e6, Chance}, {900, 240e6, Chance}, {100, 70e6, Chance}} {
		_, _, r := compared(t, recorded(t, nil, side(1, 300, 25e6)), recorded(t, nil, side(2, c.calls, c.self)))
		told := false
		for _, f := range r.Findings {
			if f.Function == "loop" {
				told = true
				if f.Certainty != c.want {
					t.Errorf("%d calls, %d ns: %s, want %v", c.calls, c.self, f.Sentence(), c.want)
				}
			}
		}
		if !told {
			t.Errorf("%d calls, %d ns: nothing is told of the loop", c.calls, c.self)
		}
	}
}

// TestRatesAreTold holds that a sentence says what changed in one call of a caller that both sides
// call equally often, and what a call takes if more calls do the same work.
func TestRatesAreTold(t *testing.T) {
	loop := func(calls, kids, every int, self int64) *call {
		c := among("main")
		for i := range calls {
			up := f("store", 500)
			if i%every == 0 {
				up.kids = again(kids, f("flush", self))
			}
			c.kids = append(c.kids, up)
		}
		return c
	}
	for _, c := range []struct {
		a, b *call
		want string
	}{
		{loop(400, 1, 8, 9000), loop(400, 1, 40, 9000), " (in one in 40 of its calls instead of one in 8): −360 µs"},
		{loop(40, 1, 4, 9000), loop(40, 1, 1, 9000), " (in each of its calls instead of one in 4): +270 µs"},
		{loop(40, 1, 1, 9000), loop(40, 11, 1, 9000), " (11 instead of 1 in each of its calls): +3.60 ms"},
		{loop(48, 1, 2, 9000), loop(48, 3, 4, 9000), " (in 75 % of its calls instead of 50 %): +108 µs"},
		{loop(40, 10, 1, 9000), loop(40, 11, 1, 9000), " by store: +360 µs"},
		{loop(40, 1, 4, 9000), loop(60, 1, 1, 9000), " by store: +450 µs"},
		{loop(40, 1, 2, 9000), loop(40, 1, 1, 5000), ", for 5.00 µs each instead of 9.00 µs: "},
	} {
		got := found(t, "flush", []*call{c.a}, []*call{c.b})
		if !strings.Contains(got.Sentence(), c.want) {
			t.Errorf("%s, want %s", got.Sentence(), c.want)
		}
	}
}

// TestCallsThatTakeSelfTimeAreTold holds that a function which takes a little longer itself for each
// call that it makes more is told with what it calls, in either direction, and one that takes far
// longer, or makes as many calls, is not.
func TestCallsThatTakeSelfTimeAreTold(t *testing.T) {
	items := func(checks int, self int64) []*call {
		return []*call{among("main", again(400, f("item", self, again(checks, f("check", 300))...)), again(400, f("other", 2000)))}
	}
	few, many := items(2, 330), items(6, 570)
	for _, c := range []struct {
		name string
		a, b []*call
		want string
	}{
		{"more calls", few, many, "; it calls check more often."},
		{"fewer calls", many, few, "; it calls check less often."},
		{"as many calls", few, items(2, 570), "400 calls."},
		{"longer for another reason", few, items(6, 9000), "400 calls."},
	} {
		got := found(t, "item", c.a, c.b)
		if !strings.HasSuffix(got.Sentence(), c.want) {
			t.Errorf("%s: %s, want %s", c.name, got.Sentence(), c.want)
		}
	}
}
