package trend

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// TestStudent holds p against the two-sided quantiles that tables print (for example Fisher and
// Yates, "Statistical Tables", 1963).
func TestStudent(t *testing.T) {
	for _, c := range []struct{ free, quantile, want float64 }{
		{1, 12.706, .05}, {4, 2.776, .05}, {4, 8.610, .001}, {10, 2.228, .05}, {30, 2.750, .01},
		{120, 3.373, .001}, {7, 0, 1},
	} {
		for _, sign := range []float64{1, -1} {
			got := student(sign*c.quantile*.2, c.free*.01, c.free, 4) // deviation 0.1, twice that at 4
			if math.Abs(got-c.want) > 2e-3*c.want {
				t.Errorf("p of %v with %v degrees of freedom is %v, want %v", sign*c.quantile, c.free, got, c.want)
			}
		}
	}
	if got := student(1e9, 1, 0, 1); got != 1 {
		t.Errorf("without a degree of freedom p is %v", got)
	}
	if got := student(2.228*leastNoise, 0, 10, 1); math.Abs(got-.05) > 1e-4 {
		t.Errorf("without any noise, it is as little as a machine has: p is %v", got)
	}
}

// TestOutliers: noise is 0.5, so what is more than 2 off is far.
func TestOutliers(t *testing.T) {
	for _, c := range []struct {
		x, clean []float64
		outliers []int
	}{
		{[]float64{1, 1, 9, 1, 1}, []float64{1, 1, 1, 1, 1}, []int{2}},
		{[]float64{1, 1, 1, 9, 9, 9}, []float64{1, 1, 1, 9, 9, 9}, nil},
		{[]float64{1, 1, 1, 9, 9, 1, 1, 1}, []float64{1, 1, 1, 1, 1, 1, 1, 1}, []int{3, 4}},
		{[]float64{1, 1, 9, 9, 9, 9}, []float64{9, 9, 9, 9, 9, 9}, []int{0, 1}},
		{[]float64{1, 1, 1, 1, 9, 9}, []float64{1, 1, 1, 1, 1, 1}, []int{4, 5}},
		{[]float64{1, 1, 1, 9, 9, 9, 1, 1, 1}, []float64{1, 1, 1, 9, 9, 9, 1, 1, 1}, nil},
		{[]float64{9, 1, 1, 1, 1, 1}, []float64{1, 1, 1, 1, 1, 1}, []int{0}},
		{[]float64{1, 1, 1, 1, 1, 9}, []float64{1, 1, 1, 1, 1, 1}, []int{5}},
		{[]float64{1, 1, 3, 1, 1}, []float64{1, 1, 3, 1, 1}, nil},
		{[]float64{0, 0, 0, 7, 4, 4, 4}, []float64{0, 0, 0, 4, 4, 4, 4}, []int{3}}, // the nearer level
	} {
		given := slices.Clone(c.x)
		clean, outliers := withoutOutliers(given, .5)
		if !slices.Equal(clean, c.clean) || !slices.Equal(outliers, c.outliers) || !slices.Equal(given, c.x) {
			t.Errorf("%v: %v without %v, want %v without %v", c.x, clean, outliers, c.clean, c.outliers)
		}
	}
}

// TestThreeCommitsAreALevel: a level of three in the middle of a series has both its steps.
func TestThreeCommitsAreALevel(t *testing.T) {
	x := noisy(rand.New(rand.NewPCG(7, 7)), 20, (*rand.Rand).NormFloat64)
	for k := 9; k < 12; k++ {
		x[k]++
	}
	got := describe(x)
	if len(got.Steps) != 2 || got.Steps[0].At != 9 || got.Steps[1].At != 12 || len(got.Outliers) > 0 {
		t.Errorf("the steps are %+v, the outliers %v", got.Steps, got.Outliers)
	}
}

// TestNoise: a step is no noise; half of the differences are.
func TestNoise(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		want float64
	}{
		{[]float64{0, 1, 0, 1, 0, 1}, 1.4826 / math.Sqrt2},
		{[]float64{3, 3, 3, 8, 8, 8}, 0},
		{[]float64{1, 3, 7, 1, 1}, 1.4826 / math.Sqrt2 * 3},         // median of 2 4 6 0
		{[]float64{0, 0, 0, 0, 0, 9, 8, 9, 8}, 1.4826 / math.Sqrt2}, // new after nothing
		{[]float64{0, 0, 0, 0, 0, 0}, 0},
	} {
		if got := noiseOf(c.x); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("the noise of %v is %v, want %v", c.x, got, c.want)
		}
	}
	x := []float64{3, 1, 2}
	if got := scaled(x, .5); !slices.Equal(got, []float64{2, -2, 0}) || !slices.Equal(x, []float64{3, 1, 2}) {
		t.Errorf("scaled are %v of %v", got, x)
	}
}

// ofFour is Student's two-sided p with 4 degrees of freedom, which has a closed form.
func ofFour(t float64) float64 {
	v := 1 + t*t/4
	return 2 * (.5 - 3./8*t/math.Sqrt(v)*(1-t*t/v/12))
}

// TestStepsByHand: one step among six values, for which there are five places.
func TestStepsByHand(t *testing.T) {
	x := []float64{-1, 0, 1, 4, 5, 6}
	steps, squared := testSteps(x, []int{3}, 0)
	p := 5 * ofFour(5/math.Sqrt(2./3)) // the deviation is √(4/4)
	if squared != 4 || len(steps) != 1 || math.Abs(steps[0].P-p) > 1e-9 {
		t.Fatalf("%v, %+v, want p = %v", squared, steps, p)
	}
	steps[0].P = 0
	if want := (step{At: 3, To: 6, Before: 0, After: 5}); steps[0] != want {
		t.Errorf("the step is %+v, want %+v", steps[0], want)
	}
	if steps, squared := testSteps(x, nil, 0); len(steps) > 0 || squared != 41.5 {
		t.Errorf("without a step: %+v, %v", steps, squared)
	}
	if steps, _ := testSteps(x, []int{3}, 4); steps[0].P != 1 {
		t.Errorf("nothing is left to know the noise by, and p is %v", steps[0].P)
	}
	two, _ := testSteps([]float64{1, 1, 1, 3, 3, 3, 3, 2, 2, 2}, []int{3, 7}, 0)
	if two[0].From != 0 || two[0].To != 7 || two[1].From != 3 || two[1].To != 10 || two[1].Before != 3 {
		t.Errorf("two steps are %+v", two)
	}
}

// TestStraightIsTheLeast: no other line near it is nearer to the values, and values on a line are
// that line.
func TestStraightIsTheLeast(t *testing.T) {
	l, squared := straight([]float64{2, 2.5, 3, 3.5, 4, 4.5}, 0)
	if !near(l.First, 2) || !near(l.Last, 4.5) || squared > 1e-20 || l.P > 1e-9 {
		t.Errorf("the line is %+v, %v off", l, squared)
	}
	distances := func(x []float64, first, last float64) (sum float64) {
		for k, v := range x {
			off := v - first - (last-first)*float64(k)/float64(len(x)-1)
			sum += off * off
		}
		return sum
	}
	r := rand.New(rand.NewPCG(4, 4))
	for range 200 {
		x := noisy(r, 6+r.IntN(20), (*rand.Rand).NormFloat64)
		l, squared := straight(x, 0)
		if !near(distances(x, l.First, l.Last), squared) {
			t.Fatalf("%v: it is %v off, not %v", x, distances(x, l.First, l.Last), squared)
		}
		if d := distances(x, l.First+.01*r.NormFloat64(), l.Last+.01*r.NormFloat64()); d < squared {
			t.Fatalf("%v: another line is %v off, this one %v", x, d, squared)
		}
	}
}

// TestDescriptionTurnsWithTheSeries: a series upside down, shifted, larger or from its end to its
// start has the same steps, turned likewise, and they are as sure.
func TestDescriptionTurnsWithTheSeries(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	found := 0
	for range 150 {
		x := noisy(r, 24, noises[r.IntN(len(noises))].of)
		at := 4 + r.IntN(16)
		for k := at; k < len(x) && r.IntN(40) > 0; k++ {
			x[k] += .2
		}
		want := describe(x)
		found += len(want.Steps)
		turned := make([]float64, len(x))
		for k, v := range x {
			turned[len(x)-1-k] = 3 - 2*v
		}
		got := describe(turned)
		if len(got.Steps) != len(want.Steps) || (got.Drift == nil) != (want.Drift == nil) ||
			len(got.Outliers) != len(want.Outliers) {
			t.Fatalf("%v: %+v, turned %+v", x, want, got)
		}
		for k, s := range want.Steps {
			g := got.Steps[len(got.Steps)-1-k]
			if g.At != len(x)-s.At || !near(g.Before, 3-2*s.After) || math.Abs(g.P-s.P) > 1e-6*s.P {
				t.Fatalf("%v: the step %+v is turned %+v", x, s, g)
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d steps were found", found)
	}
}

// TestRestIsWithoutClaims: what is left of exact steps and of an exact line is constant.
func TestRestIsWithoutClaims(t *testing.T) {
	series := []float64{1, 1, 1, 4, 4, 4, 4, 2, 2, 2}
	of := &shape{Steps: []step{{At: 3, Before: 1, After: 4}, {At: 7, Before: 4, After: 2}}}
	if got := of.rest(series); !slices.Equal(got, slices.Repeat([]float64{1}, 10)) || series[3] != 4 {
		t.Errorf("without its steps %v", got)
	}
	of = &shape{Drift: &line{First: 2, Last: 5}}
	if got := of.rest([]float64{2, 3, 4, 5}); !reflect.DeepEqual(got, []float64{2, 2, 2, 2}) {
		t.Errorf("without its drift %v", got)
	}
}
