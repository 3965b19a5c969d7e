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
