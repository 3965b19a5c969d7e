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

// barsAt returns the bars of the intervals' side at τ, from rows that are compared one by one.
func (iv *Intervals) barsAt(g *Graph, side pair.Side, tau Tau) []Bar {
	bars, least := make([]Bar, iv.n), tau.least(len(g.Pair.Names))
	r := newRow(g.Sides[side], newColumns(g.Sides[side.Other()], len(g.Pair.Names)))
	for k := range g.Sides[side].Base {
		r.seekClass(k)
		sum := r.sumMatches(least)
		for _, e := range iv.entriesOf(k) {
			count, b := float64(e.count), &bars[e.interval]
			b.Weight += sum.weight * count
			b.Matches += sum.matches * count
			b.Shift += sum.start*count - sum.matches*e.start
		}
	}
	for k := range bars {
		bars[k].Shift /= max(1, bars[k].Matches)
	}
	return bars
}

func TestBars(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, scope, tau := someComparison(t)
		g, _ := mustMatch(t, p, scope, tau)
		from := int64(rapid.IntRange(0, 20).Draw(t, "from"))
		to := from + int64(rapid.IntRange(0, 60).Draw(t, "length"))
		n := rapid.IntRange(1, 40).Draw(t, "n")
		for _, side := range []pair.Side{pair.A, pair.B} {
			iv, err := g.Sides[side].Intervals(context.Background(), from, to, n)
			if err != nil {
				t.Fatal(err)
			}
			want := newPlain(p, scope, tau).bars(side, from, to, n)
			for k, got := range iv.barsAt(g, side, tau) {
				if got.Matches != want[k].Matches || !near(got.Weight, want[k].Weight) ||
					!near(got.Shift, want[k].Shift) {
					t.Fatalf("τ = %v: bar %d of %d of %s: %v, want %v", tau, k, n, side, got, want[k])
				}
			}
		}
	})
}

// TestBorders checks that borders neither overflow nor miss the end.
func TestBorders(t *testing.T) {
	for _, to := range []int64{0, 1, 6, 7, math.MaxInt64} {
		if first, last := border(0, to, 0, 7), border(0, to, 7, 7); first != 0 || last != to {
			t.Errorf("[0, %d]: borders %d and %d", to, first, last)
		}
	}
}

// distances sums up |t_s(g) − t_s(f)| match by match, by the interval f starts in, and how far each
// sum may be off: a match is taken wrong by no more than calls in its two intervals can be apart,
// if these overlap.
func (m *plain) distances(side pair.Side, ivs [2]*Intervals) (sum, slack []float64) {
	own, other := ivs[side], ivs[side.Other()]
	sum, slack = make([]float64, own.n), make([]float64, own.n)
	for i, f := range m.calls[side] {
		k := own.interval(f.start)
		for j, g := range m.calls[side.Other()] {
			if m.of(side, i, j).Cmp(m.tau) <= 0 {
				continue
			}
			sum[k] += math.Abs(float64(g.start - f.start))
			from, to := own.span(k)
			start, end := other.span(other.interval(g.start))
			if from < end && start < to {
				slack[k] += float64(max(end-1-from, to-1-start))
			}
		}
	}
	return sum, slack
}

// interval returns the interval that holds t.
func (iv *Intervals) interval(t int64) int {
	k := 0
	for _, to := iv.span(k); t >= to; _, to = iv.span(k) {
		k++
	}
	return k
}

func TestDistances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, scope, tau := someComparison(t)
		g, _ := mustMatch(t, p, scope, tau)
		var ivs [2]*Intervals
		var bars [2][]Bar
		for s, c := range g.Sides {
			n := rapid.IntRange(1, 200).Draw(t, "n")
			iv, err := c.Intervals(context.Background(), 0, p.Trace(pair.Side(s)).Duration, n)
			if err != nil {
				t.Fatal(err)
			}
			ivs[s], bars[s] = iv, iv.barsAt(g, pair.Side(s), tau)
		}
		if ok, err := g.Distances(context.Background(), tau, ivs, bars, 1<<40); err != nil || !ok {
			t.Fatal(ok, err)
		}
		m := newPlain(p, scope, tau)
		for _, side := range []pair.Side{pair.A, pair.B} {
			sum, slack := m.distances(side, ivs)
			for k, bar := range bars[side] {
				n := max(1, bar.Matches)
				if off := math.Abs(bar.Distance - sum[k]/n); off > slack[k]/n+1e-9*max(1, sum[k]) {
					t.Fatalf("τ = %v: bar %d of %s: %v, want %v ± %v", tau, k, side, bar.Distance,
						sum[k]/n, slack[k]/n)
				}
			}
		}
	})
}

// TestDistancesBudget checks that Distances changes nothing if the budget is too small.
func TestDistancesBudget(t *testing.T) {
	g := simulated(t, 2_000)
	l, err := g.Ladder(context.Background(), [2]int{10, 10}, nil)
	if err != nil {
		t.Fatal(err)
	}
	bars := l.At(20).Bars
	for budget, want := range map[int64]bool{100: false, 1 << 40: true} {
		ok, err := g.Distances(context.Background(), DefaultTau, l.Intervals, bars, budget)
		if err != nil || ok != want {
			t.Errorf("budget %d: %v, %v", budget, ok, err)
		}
	}
}
