package match

import (
	"context"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
)

// TestLeast checks that least[x+y] is the smallest number of shared members with s > τ.
func TestLeast(t *testing.T) {
	for _, tau := range []Tau{{}, Hundredths(1), DefaultTau, {1, 3}, {1, 2}, {2, 3}, Hundredths(99),
		{1, 1}} {
		least := tau.least(20)
		for x := range uint32(21) {
			for y := range uint32(21) {
				for common := range min(x, y) + 1 {
					if want := tau.Exceeded(common, x, y); want != (common >= least[x+y]) {
						t.Errorf("τ = %v: sets of %d and %d share %d: match %v, but least %d", tau, x, y,
							common, want, least[x+y])
					}
				}
			}
		}
	}
}

// TestSweep checks that every class of both sides is visited once, and that its row says what it
// shares with each class of the other side.
func TestSweep(t *testing.T) {
	g := simulated(t, 2_000)
	over := append(g.strips(pair.A), g.strips(pair.B)...)
	var mu sync.Mutex
	var visits [2][]int
	for s, c := range g.Sides {
		visits[s] = make([]int, len(c.Base))
	}
	err := g.sweep(context.Background(), over, nil, func(k int) func(*row) {
		side := over[k].side
		common := make([]uint32, len(g.Sides[side.Other()].Base))
		return func(r *row) {
			r.writeCommon(common)
			want := g.commonWith(side, uint32(r.at))
			mu.Lock()
			defer mu.Unlock()
			visits[side][r.at]++
			if !slices.Equal(common, want) {
				t.Errorf("class %d of %s shares %v, want %v", r.at, side, common, want)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for s, list := range visits {
		if slices.Min(list) != 1 || slices.Max(list) != 1 {
			t.Errorf("classes of %s are visited %v times", pair.Side(s), list)
		}
	}
}

// TestRowQuestions checks the queries of a row (matchedClasses, markMatched, firstMatch) against
// comparing its class with each class of the other side.
func TestRowQuestions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, scope, tau := someComparison(t)
		g, _ := mustMatch(t, p, scope, tau)
		x, y := g.Sides[pair.A], g.Sides[pair.B]
		if len(x.Size) == 0 {
			return
		}
		r, least := newRow(x, newColumns(y, len(p.Names))), tau.least(len(p.Names))
		among := rapid.SliceOfN(rapid.Bool(), len(y.Size), len(y.Size)).Draw(t, "among")
		for range rapid.IntRange(1, 5).Draw(t, "rounds") {
			k := rapid.IntRange(0, len(x.Size)-1).Draw(t, "class")
			r.seekClass(k)
			marked, matched := make([]bool, len(y.Size)), make([]bool, len(y.Size))
			var want, all []int
			first := none
			for j, common := range g.commonWith(pair.A, uint32(k)) {
				if !tau.Exceeded(common, x.Size[k], y.Size[j]) {
					continue
				}
				all, matched[j] = append(all, j), true
				if among[j] && first == none {
					first = j
				}
			}
			r.matchedClasses(least)(func(j int) bool { want = append(want, j); return true })
			if some := r.markMatched(tau, marked); some != (len(all) > 0) ||
				!slices.Equal(marked, matched) || !slices.Equal(want, all) {
				t.Fatalf("class %d matches %v, marked %v, listed %v", k, all, marked, want)
			}
			if got := r.firstMatch(tau, among); int(got) != first {
				t.Fatalf("class %d first matches %d of %v, want %d", k, got, among, first)
			}
		}
	})
}
