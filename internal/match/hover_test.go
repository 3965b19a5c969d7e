package match

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
)

// lit lights the intervals of each match of a call of S(f).
func (m *plain) lit(side pair.Side, f int, w [2]Window, n [2]int) [2][]bool {
	out := [2][]bool{make([]bool, n[0]), make([]bool, n[1])}
	light := func(side pair.Side, i int) {
		from, to := w[side].From, w[side].To
		switch at := m.calls[side][i].start; {
		case at < from || at > to:
		case at == to:
			out[side][n[side]-1] = true
		default:
			out[side][(at-from)*int64(n[side])/(to-from)] = true
		}
	}
	for i := range m.calls[side] {
		if !inside(m.calls[side], i, f) {
			continue
		}
		for j := range m.calls[side.Other()] {
			if m.of(side, i, j).Cmp(m.tau) > 0 {
				light(side, i)
				light(side.Other(), j)
			}
		}
	}
	return out
}

func TestHoverIntervals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, scope, tau := someComparison(t)
		g, _ := mustMatch(t, p, scope, tau)
		m := newPlain(p, scope, tau)
		var w [2]Window
		var n [2]int
		var ivs [2]*Intervals
		for s := range w {
			w[s].From = int64(rapid.IntRange(0, 20).Draw(t, "from"))
			w[s].To = w[s].From + int64(rapid.IntRange(0, 60).Draw(t, "length"))
			n[s] = rapid.IntRange(1, 40).Draw(t, "n")
			iv, err := g.Sides[s].Intervals(context.Background(), w[s].From, w[s].To, n[s])
			if err != nil {
				t.Fatal(err)
			}
			ivs[s] = iv
		}
		for _, side := range []pair.Side{pair.A, pair.B} {
			for f := range m.calls[side] {
				got, err := g.HoverIntervals(context.Background(), tau, side, f, ivs)
				want := m.lit(side, f, w, n)
				if err != nil || !slices.EqualFunc(got[:], want[:], slices.Equal) {
					t.Fatalf("τ = %v, call %d of %s: %v, %v; want %v", tau, f, side, got, err, want)
				}
			}
		}
	})
}

// TestWitnesses checks which classes have a match, among all or some classes of the other side,
// against comparing each with each.
func TestWitnesses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, scope, tau := someComparison(t)
		g, _ := mustMatch(t, p, scope, tau)
		for _, side := range []pair.Side{pair.A, pair.B} {
			x, y := g.Sides[side], g.Sides[side.Other()]
			some := rapid.SliceOfN(rapid.Bool(), len(x.Size), len(x.Size)).Draw(t, "some")
			among := rapid.SliceOfN(rapid.Bool(), len(y.Size), len(y.Size)).Draw(t, "among")
			w := newWitnesses(tau, x, y, len(p.Names), among)
			got, err := w.matching(context.Background(), some)
			if err != nil {
				t.Fatal(err)
			}
			for k := range x.Size {
				want := false
				for j, common := range g.commonWith(side, uint32(k)) {
					want = want || some[k] && among[j] && tau.Exceeded(common, x.Size[k], y.Size[j])
				}
				if got[k] != want {
					t.Fatalf("τ = %v: class %d of %s has a match: %v, want %v", tau, k, side, got[k], want)
				}
			}
		}
	})
}
