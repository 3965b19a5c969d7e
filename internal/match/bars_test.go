package match

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
)

// bars sums up match by match.
func (m *plain) bars(side pair.Side, from, to int64, n int) []Bar {
	out := make([]Bar, n)
	for i, f := range m.calls[side] {
		if f.start < from || f.start > to {
			continue
		}
		k := n - 1
		if f.start < to {
			k = int((f.start - from) * int64(n) / (to - from))
		}
		for j, g := range m.calls[side.Other()] {
			if rat := m.of(side, i, j); rat.Cmp(m.tau) > 0 {
				s, _ := rat.Float64()
				out[k].Weight += s
				out[k].Matches++
				out[k].Shift += float64(g.start - f.start)
			}
		}
	}
	for k := range out {
		out[k].Shift /= max(1, out[k].Matches)
	}
	return out
}

func TestBars(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, scope, tau := someComparison(t)
		g, r := mustMatch(t, p, scope, tau)
		from := int64(rapid.IntRange(0, 20).Draw(t, "from"))
		to := from + int64(rapid.IntRange(0, 60).Draw(t, "length"))
		n := rapid.IntRange(1, 40).Draw(t, "n")
		for _, side := range []pair.Side{pair.A, pair.B} {
			iv, err := g.Sides[side].Intervals(context.Background(), from, to, n)
			if err != nil {
				t.Fatal(err)
			}
			want := newPlain(p, scope, tau).bars(side, from, to, n)
			for k, got := range iv.Bars(&r.Sides[side]) {
				if got.Matches != want[k].Matches || !near(got.Weight, want[k].Weight) ||
					!near(got.Shift, want[k].Shift) {
					t.Fatalf("τ = %v: bar %d of %d of %s: %v, want %v", tau, k, n, side, got, want[k])
				}
			}
		}
	})
}

// TestBorders holds that borders neither overflow nor miss the end.
func TestBorders(t *testing.T) {
	for _, to := range []int64{0, 1, 6, 7, math.MaxInt64} {
		if first, last := border(0, to, 0, 7), border(0, to, 7, 7); first != 0 || last != to {
			t.Errorf("[0, %d]: borders %d and %d", to, first, last)
		}
	}
}
