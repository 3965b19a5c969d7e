package finding

import (
	"math/rand/v2"
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
