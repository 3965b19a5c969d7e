package runs

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/perf/benchmath"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

// draw draws the values of both sides. Few different ones give ties.
func draw(t *rapid.T, most int) (a, b []float64) {
	different := rapid.IntRange(1, 40).Draw(t, "different values")
	value := rapid.Custom(func(t *rapid.T) float64 {
		return float64(rapid.IntRange(0, different).Draw(t, "value"))
	})
	return rapid.SliceOfN(value, 1, most).Draw(t, "a"), rapid.SliceOfN(value, 1, most).Draw(t, "b")
}

// doubledU is 2U from its definition.
func doubledU(a, b []float64) (u int) {
	for _, x := range a {
		for _, y := range b {
			switch {
			case y > x:
				u += 2
			case y == x:
				u++
			}
		}
	}
	return u
}

// plainTest is p from its definition: every choice of runs for A.
func plainTest(a, b []float64) float64 {
	all := slices.Concat(a, b)
	off := func(u int) int { u -= len(a) * len(b); return max(u, -u) }
	at, far, choices := off(doubledU(a, b)), 0, 0
	for choice := range 1 << len(all) {
		if bits.OnesCount(uint(choice)) != len(a) {
			continue
		}
		var x, y []float64
		for i, v := range all {
			if choice>>i&1 == 1 {
				x = append(x, v)
			} else {
				y = append(y, v)
			}
		}
		choices++
		if off(doubledU(x, y)) >= at {
			far++
		}
	}
	return float64(far) / float64(choices)
}

func near(x, y float64) bool { return x == y || math.Abs(x-y) < 1e-9 }

// TestMannWhitneyMatchesDefinition holds p for any values, with ties and without.
func TestMannWhitneyMatchesDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw(t, 5)
		l := newLaw(len(a), len(b))
		if got, want := l.test(a, b), plainTest(a, b); !near(got, want) {
			t.Fatalf("p = %v, want %v", got, want)
		}
		if got, want := l.test(b, a), l.test(a, b); !near(got, want) {
			t.Fatalf("p = %v with the sides swapped, %v before", got, want)
		}
	})
}

// TestMannWhitneyMatchesBenchmath holds p against golang.org/x/perf, where it is exact: without
// ties, and with ties for equally many runs.
func TestMannWhitneyMatchesBenchmath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw(t, 12)
		if n := min(len(a), len(b)); rapid.Bool().Draw(t, "equally many") {
			a, b = a[:n], b[:n]
		} else {
			for i := range a {
				a[i] += float64(i) / 64
			}
			for i := range b {
				b[i] += float64(i)/64 + 1.0/1024
			}
		}
		th := &benchmath.DefaultThresholds
		c := benchmath.AssumeNothing.Compare(benchmath.NewSample(a, th), benchmath.NewSample(b, th))
		if got := newLaw(len(a), len(b)).test(a, b); !near(got, c.P) {
			t.Fatalf("p = %v, want %v", got, c.P)
		}
	})
}

// TestTables holds the critical values of Mann and Whitney's U for a two-sided test at 5 %, as
// printed in textbooks: the largest U that is significant, −1 for none.
func TestTables(t *testing.T) {
	for _, c := range []struct{ n, m, want int }{
		{3, 3, -1}, {2, 8, 0}, {3, 5, 0}, {4, 4, 0}, {4, 5, 1}, {5, 5, 2}, {5, 10, 8}, {6, 6, 5},
		{7, 7, 8}, {8, 8, 13}, {9, 9, 17}, {10, 10, 23}, {10, 20, 55}, {12, 12, 37}, {15, 15, 64},
		{20, 20, 127},
	} {
		l, got := newLaw(c.n, c.m), -1
		for u, p := range l.atMost {
			if 2*p <= 0.05 {
				got = u
			}
		}
		if got != c.want {
			t.Errorf("%d and %d: U = %d, want %d", c.n, c.m, got, c.want)
		}
		if swapped := newLaw(c.m, c.n); !slices.Equal(swapped.atMost, l.atMost) {
			t.Errorf("%d and %d: another distribution than %d and %d", c.m, c.n, c.n, c.m)
		}
	}
}

func TestHowManyRunsItTakes(t *testing.T) {
	for _, c := range []struct {
		n, m int
		want float64
	}{{1, 1, 1}, {2, 2, 2.0 / 6}, {3, 3, 0.1}, {4, 4, 2.0 / 70}, {5, 5, 2.0 / 252}, {3, 5, 2.0 / 56},
		{10, 10, 2.0 / 184756}} {
		if got := Smallest(c.n, c.m); !near(got, c.want) {
			t.Errorf("%d and %d runs: %v, want %v", c.n, c.m, got, c.want)
		}
		a, b := make([]float64, c.n), make([]float64, c.m)
		for i := range a {
			a[i] = float64(i)
		}
		for i := range b {
			b[i] = float64(1000 + i)
		}
		if got := newLaw(c.n, c.m).test(a, b); !near(got, c.want) {
			t.Errorf("%d and %d runs that are wholly apart: %v, want %v", c.n, c.m, got, c.want)
		}
	}
	if got := enough(0.05); got != 5 {
		t.Errorf("%d runs are enough for 5 %%, want 5", got)
	}
	// The next smaller number is not enough even for a pair of runs out of order.
	if p := newLaw(4, 4).test([]float64{1, 2, 3, 5}, []float64{4, 6, 7, 8}); p <= 0.05 {
		t.Errorf("p = %v with 4 and 4 runs", p)
	}
	if p := newLaw(5, 5).test([]float64{1, 2, 3, 4, 6}, []float64{5, 7, 8, 9, 10}); p > 0.05 {
		t.Errorf("p = %v with 5 and 5 runs", p)
	}
	for places, want := range map[int]int{1: 4, 6: 5, 7: 6, 100: 8, 1000: 9} {
		if got := enoughFor(0.05, places); got != want {
			t.Errorf("%d runs for %d places, want %d", got, places, want)
		}
	}
}

// TestManyRuns holds the normal distribution that stands for the exact one where counting takes too
// long: both agree where both can be had.
func TestManyRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		a, b := make([]float64, 30), make([]float64, 25)
		for i := range a {
			a[i] = r.Float64()
		}
		for i := range b {
			b[i] = r.Float64() + 0.15
		}
		exact := newLaw(len(a), len(b))
		rough := &law{n: exact.n, m: exact.m}
		if p, q := exact.test(a, b), rough.test(a, b); math.Abs(p-q) > 0.005 {
			t.Errorf("p = %v, want %v", q, p)
		}
		to, _ := exact.tail(0.95)
		if about, _ := rough.tail(0.95); max(to-about, about-to) > 2 {
			t.Errorf("the interval begins at difference %d, want %d", about, to)
		}
	}
	if l := newLaw(100, 100); l.atMost != nil {
		t.Error("counted 100 and 100 runs")
	}
	if p := newLaw(100, 3).test(slices.Repeat([]float64{1}, 100), []float64{2, 2, 2}); p > 1e-5 {
		t.Errorf("p = %v for 100 runs and 3 that are apart", p)
	}
}

// TestTheNormalVariesAsMuch holds the deviation of the normal distribution against that of the sums
// of ranks over all choices of runs, of which ties make many equal.
func TestTheNormalVariesAsMuch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw(t, 6)
		l := newLaw(len(a), len(b))
		ranks, _, _ := rankBoth(a, b)
		slices.Sort(ranks)
		ways, squares, centre := 0.0, 0.0, float64(l.n*(l.n+l.m-1))
		for s, w := range waysToChoose(ranks, l.n) {
			ways, squares = ways+w, squares+w*(float64(s)-centre)*(float64(s)-centre)
		}
		if squares == 0 {
			return // all values are equal
		}
		deviation := math.Sqrt(squares/ways) / 2 // ranks are doubled
		const off = 2.5
		if got, want := l.normal(ranks, off), 2*distuv.UnitNormal.Survival((off-.5)/deviation); !near(got, min(want, 1)) {
			t.Fatalf("p = %v, want %v", got, want)
		}
	})
}
