package match

import (
	"context"
	"slices"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
)

// onePaperGroupAtATime is the literal rule as it is written, over all pairs of calls.
func onePaperGroupAtATime(g *Graph, tau Tau) (out []PaperGroup) {
	a, b := g.Sides[pair.A], g.Sides[pair.B]
	callsA, _ := a.breadthFirst()
	callsB, _ := b.breadthFirst()
	h := g.newHits(tau)
	var as, bs span
	for _, u := range callsA {
		h.seekClass(int(a.Class(u)))
		for _, v := range callsB {
			if !h.hit[b.Class(v)] {
				continue
			}
			if !as.holds(u) || !bs.holds(v) {
				out = append(out, PaperGroup{Group: Group{u, v}})
				as, bs = span{u, a.Next(u)}, span{v, b.Next(v)}
			}
			out[len(out)-1].Matches++
		}
	}
	return out
}

// TestPaperGroupsOfManyCalls holds the groups of traces whose matches take many words of bits, and
// those that a budget leaves. One thread is one large group; with two, nearly each match is one.
func TestPaperGroupsOfManyCalls(t *testing.T) {
	ctx := context.Background()
	for threads := range int64(2) {
		shape := testtrace.Shape{Threads: testtrace.Exactly(threads + 1), Ends: 3, Close: true,
			Records: testtrace.Exactly(800), Step: testtrace.Exactly(1)}
		g := mustClassify(t, pair.New(shape.Random(t, 1), shape.Random(t, 3), pair.Rules{}))
		most := 0
		for _, tau := range []Tau{{0, 1}, {1, 10}, DefaultTau, {1, 2}, {9, 10}} {
			want := onePaperGroupAtATime(g, tau)
			n := len(want)
			most = max(most, n)
			got, err := g.PaperGroups(ctx, tau, Budget{Roots: n})
			if err != nil || got.Why != "" || !slices.Equal(got.List, want) {
				t.Fatalf("τ = %v: %d groups, %q, %v; want %d", tau, len(got.List), got.Why, err, n)
			}
			if n == 1 {
				continue
			}
			got, err = g.PaperGroups(ctx, tau, Budget{Roots: n - 1})
			if err != nil || got.Why == "" || !slices.Equal(got.List, want[:n-1]) {
				t.Errorf("τ = %v, one group less: %d groups, %q, %v", tau, len(got.List), got.Why, err)
			}
		}
		if t.Logf("up to %d groups", most); (most > 10_000) != (threads > 0) {
			t.Error("not what is to be tested")
		}
	}
}
