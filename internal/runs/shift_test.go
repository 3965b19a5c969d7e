package runs

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"
)

// TestIntervalInvertsTheTest holds the interval against its definition: it holds the shifts by
// which A can be moved so that the test finds no difference from B at 5 %.
func TestIntervalInvertsTheTest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw(t, 9)
		for i := range a { // no two differences are equal
			a[i] = 1000*a[i] + float64(i)*0.01
		}
		for i := range b {
			b[i] = 1000*b[i] + float64(i)*0.37
		}
		l := newLaw(len(a), len(b))
		e := l.shift(a, b, 0.95)
		p := func(by float64) float64 {
			moved := slices.Clone(a)
			for i := range moved {
				moved[i] += by
			}
			return l.test(moved, b)
		}
		const bit = 1e-6
		if Smallest(len(a), len(b)) > 0.05 {
			if e.Level >= 0.95 {
				t.Fatalf("%+v: no interval of so few runs has this level", e)
			}
			return
		}
		if p(e.Low-bit) > 0.05 || p(e.High+bit) > 0.05 || p(e.Low+bit) <= 0.05 || p(e.High-bit) <= 0.05 {
			t.Fatalf("%+v: p = %v outside, %v inside", e, p(e.Low-bit), p(e.Low+bit))
		}
		if e.Value < e.Low || e.Value > e.High || e.Level < 0.95 {
			t.Fatalf("%+v", e)
		}
	})
}

// TestShiftAndRatio holds the medians of all differences and of all ratios against gonum's
// quantile, and what becomes of them if the sides are swapped or B is scaled.
func TestShiftAndRatio(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw(t, 9)
		var diffs, ratios []float64
		for i := range a {
			a[i]++
		}
		for i := range b {
			b[i]++
		}
		for _, x := range a {
			for _, y := range b {
				diffs, ratios = append(diffs, y-x), append(ratios, math.Log(y/x))
			}
		}
		median := func(list []float64) float64 {
			slices.Sort(list)
			upper := stat.Quantile(0.5, stat.Empirical, list, nil)
			slices.Reverse(list)
			for i := range list {
				list[i] = -list[i]
			}
			return (upper - stat.Quantile(0.5, stat.Empirical, list, nil)) / 2
		}
		l := newLaw(len(a), len(b))
		d, r := l.shift(a, b, 0.95), l.ratio(a, b, 0.95)
		if want := median(diffs); !near(d.Value, want) {
			t.Fatalf("shift %v, want %v", d.Value, want)
		}
		if want := math.Exp(median(ratios)); !near(r.Value, want) {
			t.Fatalf("ratio %v, want %v", r.Value, want)
		}
		if back := l.ratio(b, a, 0.95); !near(back.Value*r.Value, 1) || !near(back.Low*r.High, 1) {
			t.Fatalf("%+v swapped, %+v before", back, r)
		}
		for i := range b {
			b[i] *= 3
		}
		if thrice := l.ratio(a, b, 0.95); !near(thrice.Value, 3*r.Value) || !near(thrice.Low, 3*r.Low) {
			t.Fatalf("%+v of three times as much, %+v before", thrice, r)
		}
	})
}

func TestRatioOfNothing(t *testing.T) {
	none, some := []float64{0, 0, 0}, []float64{5, 6, 7}
	l := newLaw(3, 3)
	if r := l.ratio(none, some, 0.95); !math.IsInf(r.Value, 1) || !math.IsInf(r.Low, 1) {
		t.Errorf("only B: %+v", r)
	}
	if r := l.ratio(some, none, 0.95); r.Value != 0 || r.High != 0 {
		t.Errorf("only A: %+v", r)
	}
	if r := l.ratio(none, none, 0.95); !math.IsNaN(r.Value) {
		t.Errorf("neither: %+v", r)
	}
	// Half of the ratios are those of nothing to something, and half are of two numbers.
	if r := newLaw(2, 2).ratio([]float64{5, 6}, []float64{0, 7}, 0.95); r.Value != 0 {
		t.Errorf("half of B's runs lack it: %+v", r)
	}
	if r := newLaw(2, 2).ratio([]float64{0, 7}, []float64{5, 6}, 0.95); !math.IsInf(r.Value, 1) {
		t.Errorf("half of A's runs lack it: %+v", r)
	}
	if r := newLaw(2, 2).ratio([]float64{0, 5}, []float64{0, 5}, 0.95); r.Value != 1 {
		t.Errorf("half of the runs on each side lack it: %+v", r)
	}
}

// TestCoverage holds how often the interval has the true shift, over many samples.
func TestCoverage(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const rounds, shift = 2000, 0.7
	for _, n := range []int{4, 5, 8} {
		l, in := newLaw(n, n), 0
		for range rounds {
			a, b := make([]float64, n), make([]float64, n)
			for i := range a {
				a[i], b[i] = r.NormFloat64(), r.NormFloat64()+shift
			}
			if e := l.shift(a, b, 0.95); e.Low <= shift && shift <= e.High {
				in++
			}
		}
		_, level := l.tail(0.95)
		if got := float64(in) / rounds; math.Abs(got-level) > 0.015 {
			t.Errorf("%d runs: %.3f of the intervals have the shift, want %.3f", n, got, level)
		}
	}
}

// plainAdjust is the definition of q: the smallest level at which Benjamini and Hochberg's
// procedure claims a change. At a level it claims the k smallest p, k the largest with p(k) ≤
// level·k/K.
func plainAdjust(p []float64) []float64 {
	sorted := slices.Sorted(slices.Values(p))
	q := slices.Repeat([]float64{1}, len(p))
	for i := range p {
		for k, level := range sorted {
			level = level * float64(len(p)) / float64(k+1)
			claimed := 0
			for c := range sorted {
				if sorted[c]*float64(len(p)) <= level*float64(c+1)*(1+1e-12) {
					claimed = c + 1
				}
			}
			if claimed > 0 && p[i] <= sorted[claimed-1] {
				q[i] = min(q[i], level)
			}
		}
	}
	return q
}

func TestAdjustMatchesDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) float64 {
			return float64(rapid.IntRange(1, 50).Draw(t, "p")) / 50
		}), 0, 12).Draw(t, "p")
		for i, want := range plainAdjust(p) {
			if got := Adjust(p)[i]; !near(got, want) {
				t.Fatalf("%v: q of %v is %v, want %v", p, p[i], got, want)
			}
		}
	})
}

// TestAdjustTable holds the example of Benjamini and Hochberg (1995, section 4): of 15 tests, the
// first four are claimed at 5 %.
func TestAdjustTable(t *testing.T) {
	p := []float64{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240,
		0.4262, 0.5719, 0.6528, 0.7590, 1}
	for i, q := range Adjust(p) {
		if (q <= 0.05) != (i < 4) {
			t.Errorf("test %d: p = %v, q = %v", i+1, p[i], q)
		}
	}
}

func TestFloor(t *testing.T) {
	for _, c := range []struct {
		values [2][]float64
		want   Floor
	}{
		{[2][]float64{{10, 13, 11}, {5, 0, 6}}, Floor{Typical: 5, Widest: 6}},
		{[2][]float64{{10, 20, 25}, {5, 5, 6}}, Floor{Typical: 2, Widest: 2.5, Relative: true}},
		{[2][]float64{{10}, {5}}, Floor{Typical: 1, Widest: 1, Relative: true}},
		{[2][]float64{{0, 0}, {0, 0}}, Floor{}},
	} {
		if got := floorOf(c.values); got != c.want {
			t.Errorf("%v: %v, want %v", c.values, got, c.want)
		}
	}
	half := Change{Ratio: Estimate{Value: 0.5}, Delta: Estimate{Value: -50}}
	for _, c := range []struct {
		floor           Floor
		reached, passed bool
	}{
		{Floor{Typical: 1.9, Widest: 1.4, Relative: true}, true, true},
		{Floor{Typical: 2.1, Widest: 1.5, Relative: true}, false, false},
		{Floor{Typical: 50, Widest: 24}, true, true},
		{Floor{Typical: 51, Widest: 25}, false, false},
	} {
		if r, p := c.floor.reached(&half), c.floor.passed(&half, 2); r != c.reached || p != c.passed {
			t.Errorf("%+v is reached: %v, passed: %v", c.floor, r, p)
		}
	}
}
