package match

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
)

// TestCallIsARowOfTheResult checks the sums of one call against the result for all calls.
func TestCallIsARowOfTheResult(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p, scope, tau := someComparison(rt)
		g, err := Classify(context.Background(), p, scope, nil)
		if err != nil {
			rt.Fatal(err)
		}
		r, err := g.Match(context.Background(), tau, nil)
		if err != nil {
			rt.Fatal(err)
		}
		for _, side := range []pair.Side{pair.A, pair.B} {
			for i := range g.Sides[side].Len() {
				got := g.Call(tau, side, i)
				shift, _ := r.Shift(g, side, i)
				want := Call{r.Sides[side].Matches[g.Sides[side].Class(i)], r.Weight(g, side, i), shift}
				near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(1, math.Abs(b)) }
				if got.Matches != want.Matches || !near(got.Weight, want.Weight) ||
					!near(got.Shift, want.Shift) {
					rt.Fatalf("call %d of %s: %+v, want %+v", i, side, got, want)
				}
			}
		}
	})
}

// partner looks at each call.
func (m *plain) partner(side pair.Side, call int, expect float64) (best Partner, ok bool) {
	distance := math.Inf(1)
	for j, g := range m.calls[side.Other()] {
		s := m.of(side, call, j)
		if s.Cmp(m.tau) <= 0 {
			continue
		}
		d := math.Abs(float64(g.start) - expect)
		order := 1
		if ok {
			order = s.Cmp(m.of(side, call, best.Call))
		}
		if order > 0 || order == 0 && d < distance {
			best.Call, distance, ok = j, d, true
			best.S, _ = s.Float64()
		}
	}
	return best, ok
}

func TestPartner(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, scope, tau := someComparison(t)
		g, _ := mustMatch(t, p, scope, tau)
		m := newPlain(p, scope, tau)
		expect := rapid.SampledFrom([]float64{math.Inf(-1), -1, 0, 5, 7.5, 20, 1e30}).Draw(t, "expect")
		for _, side := range []pair.Side{pair.A, pair.B} {
			for i := range m.calls[side] {
				got, ok, err := g.Partner(context.Background(), tau, side, i, expect)
				if want, wantOK := m.partner(side, i, expect); err != nil || ok != wantOK || got != want {
					t.Fatalf("τ = %v, call %d of %s near %v: %v, %v, %v; want %v, %v",
						tau, i, side, expect, got, ok, err, want, wantOK)
				}
			}
		}
	})
}
