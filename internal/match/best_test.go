package match

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
)

// best ranks all matches of a call by the definition: its caller's best match first.
func (m *plain) best(g *Graph, q Query, call int) []Rank {
	own, other := m.calls[q.Side], m.calls[q.Side.Other()]
	span := func(c *plainCall, side pair.Side) (start, length float64) {
		th := g.Sides[side].Threads[0]
		if g.Scope.Process {
			th = g.Sides[side].Threads[c.thread]
		}
		return float64(c.start), float64(th.Dur(c.call))
	}
	name := func(c *plainCall, side pair.Side) string {
		t := g.Pair.Trace(side)
		return g.Pair.Rules.Identity(t.FunctionOf(t.Threads[c.thread], c.call).Name)
	}
	across := -1
	caller := own[call].parent
	for ; caller >= 0 && across < 0; caller = own[caller].parent {
		if list := m.best(g, q, caller); len(list) > 0 {
			across = list[0].Index
			break
		}
	}
	from, to := q.Shown[q.Side], q.Shown[q.Side.Other()]
	if across >= 0 {
		from[0], from[1] = span(&own[caller], q.Side)
		to[0], to[1] = span(&other[across], q.Side.Other())
	}
	expect := to[0]
	if from[1] > 0 {
		expect += (float64(own[call].start) - from[0]) / from[1] * to[1]
	}
	inside := func(j int) bool {
		if across < 0 {
			return g.Pair.Partner(q.Side, own[call].thread) == other[j].thread || !g.Scope.Process
		}
		for a := other[j].parent; a >= 0; a = other[a].parent {
			if a == across {
				return true
			}
		}
		return false
	}
	var list []Rank
	for j := range other {
		s := m.of(q.Side, call, j)
		if s.Cmp(m.tau) <= 0 {
			continue
		}
		r := Rank{Same: name(&own[call], q.Side) == name(&other[j], q.Side.Other()),
			Aligned: q.Aligned(q.Side, call) == j, Below: inside(j),
			Apart: math.Abs(float64(other[j].start) - expect), Index: j}
		r.S, _ = s.Float64()
		list = append(list, r)
	}
	slices.SortFunc(list, Rank.Compare)
	return list
}

// TestBest holds what is found against the definition, with alignments drawn at random.
func TestBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, scope, tau := someComparison(t)
		g, _ := mustMatch(t, p, scope, tau)
		m := newPlain(p, scope, tau)
		shift := rapid.IntRange(-2, 3).Draw(t, "aligned with")
		q := Query{Tau: tau, Shown: [2][2]float64{{0, 10}, {5, rapid.SampledFrom([]float64{0, 20}).Draw(t, "shown")}},
			Aligned: func(side pair.Side, call int) int {
				if j := call + shift; shift < 3 && j >= 0 && j < g.Sides[side.Other()].Len() {
					return j
				}
				return -1
			}}
		n := rapid.IntRange(1, 5).Draw(t, "n")
		for _, q.Side = range []pair.Side{pair.A, pair.B} {
			for q.Call = range m.calls[q.Side] {
				got, err := g.Best(context.Background(), q, n)
				want := m.best(g, q, q.Call)
				if want = want[:min(n, len(want))]; err != nil || !slices.Equal(got, want) {
					t.Fatalf("τ = %v, call %d of %s: %+v, %v; want %+v", tau, q.Call, q.Side, got, err, want)
				}
			}
		}
	})
}

// TestIdentityComesFirst is the order of the example in best.go.
func TestIdentityComesFirst(t *testing.T) {
	order := []Rank{
		{Same: true, Aligned: true, S: .6, Apart: 1e10},
		{Same: true, S: 1, Apart: 1e10},
		{Same: true, S: .6, Below: true, Apart: 20},
		{Same: true, S: .6, Apart: 10},
		{Same: true, S: .6, Apart: 20},
		{Same: true, S: .6, Apart: 20, Index: 1},
		{Aligned: true, S: .3},
		{S: 1},
	}
	for i := range order {
		for j := range order {
			if got, want := order[i].Compare(order[j]), i-j; got*want < 0 || got == 0 != (want == 0) {
				t.Errorf("%+v against %+v: %d", order[i], order[j], got)
			}
		}
	}
}
