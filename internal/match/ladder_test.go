package match

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
)

// TestLadder checks every rung against Match and the bars at that τ.
func TestLadder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, scope, _ := someComparison(t)
		g, _ := mustMatch(t, p, scope, DefaultTau)
		some := rapid.IntRange(1, 20)
		n := [2]int{some.Draw(t, "bars of A"), some.Draw(t, "bars of B")}
		l, err := g.Ladder(context.Background(), n, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range []int{0, 1, 10, 20, 25, 40, 50, 60, 75, 80, 99, 100, some.Draw(t, "n")} {
			r, err := g.Match(context.Background(), Hundredths(h), nil)
			if err != nil {
				t.Fatal(err)
			}
			got := l.At(h)
			if got.Pairs != r.Pairs || got.Saturated || got.MatchedCalls != r.MatchedCalls ||
				!near(got.SimilaritySum, r.SimilaritySum) {
				t.Fatalf("τ = %d/100: %v, want %v", h, got, r)
			}
			for s, iv := range l.Intervals {
				for k, want := range iv.barsAt(g, pair.Side(s), Hundredths(h)) {
					if bar := got.Bars[s][k]; bar.Matches != want.Matches ||
						!near(bar.Weight, want.Weight) || !near(bar.Shift, want.Shift) {
						t.Fatalf("τ = %d/100, bar %d: %v, want %v", h, k, bar, want)
					}
				}
			}
		}
	})
}

// TestLevel checks that levels are exact, within the table of reciprocals and beyond it.
func TestLevel(t *testing.T) {
	p := newInverses(1 << 20)
	check := func(common, union uint32) {
		s, n := p.similarity(common, union)
		want := float64(common) / float64(union)
		c, u := uint64(common)*levels, uint64(union)
		if c <= n*u || c > (n+1)*u || !near(s, want) {
			t.Fatalf("%d of %d: %v, level %d", common, union, s, n)
		}
	}
	for union := uint32(1); union < 1500; union++ {
		for common := range union {
			check(common+1, union)
		}
	}
	for union := uint32(mostInverses - 3); union < mostInverses+3; union++ {
		for common := range union {
			check(common+1, union)
		}
	}
}

// TestSaturates checks that a number of matches that needs more than 64 bits is marked as
// saturated.
func TestSaturates(t *testing.T) {
	var u uint128
	u.plus(0, math.MaxUint64)
	if n, over := u.saturated(); n != math.MaxUint64 || over {
		t.Error(n, over)
	}
	u.plus(0, 1)
	if n, over := u.saturated(); n != math.MaxUint64 || !over {
		t.Error(n, over)
	}
}
