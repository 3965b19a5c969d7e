package trend

import (
	"math/rand/v2"
	"slices"
	"testing"

	"diptych/internal/testtrace"
)

// stepOf returns a series of normal noise with a step of the given height, in standard deviations,
// and its shape, in which the step is where it fits best.
func stepOf(r *rand.Rand, n, at int, height float64) ([]float64, *shape) {
	x := noisy(r, n, (*rand.Rand).NormFloat64)
	for k := at; k < n; k++ {
		x[k] += height * sigma
	}
	s := &shape{}
	s.Clean, s.Outliers = withoutOutliers(x, noiseOf(x))
	best := newSquares(s.Clean).best(&step{To: n})
	s.Steps, _ = testSteps(s.Clean, []int{best}, len(s.Outliers))
	return x, s
}

// TestRangesHoldTheTruth: of steps of any height about 1 % lie outside of their range, and the higher
// a step, the narrower is its range: one commit if it is clear.
func TestRangesHoldTheTruth(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	many := testtrace.Sized(60, 300)
	last := 1e9
	for _, height := range []float64{1, 2, 4, 10} {
		outside, wide := 0, 0
		for range many {
			at := 4 + r.IntN(22)
			x, s := stepOf(r, 30, at, height)
			s.locate(x, shuffled([][]float64{x}))
			st := &s.Steps[0]
			if at < st.Earliest || at > st.Latest {
				outside++
			}
			if st.Earliest > st.At || st.Latest < st.At || st.Earliest <= 0 || st.Latest >= 30 {
				t.Fatalf("the step at %d has the range %d to %d", st.At, st.Earliest, st.Latest)
			}
			wide += st.Latest - st.Earliest + 1
		}
		width := float64(wide) / float64(many)
		t.Logf("height %g: %d of %d outside, %.1f commits", height, outside, many, width)
		if outside > many/50 || width >= last || height == 10 && width > 1.01 {
			t.Errorf("height %g: %d of %d outside of ranges of %.1f commits", height, outside, many, width)
		}
		last = width
	}
}

// TestEachStepHasItsRange: the range of a step ends where those beside it are.
func TestEachStepHasItsRange(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	x := noisy(r, 40, (*rand.Rand).NormFloat64)
	for k, v := range x {
		switch {
		case k >= 30:
			x[k] = v + .5
		case k >= 15:
			x[k] = v + .45
		}
	}
	s := &shape{Clean: x}
	s.Steps, _ = testSteps(x, []int{15, 30}, 0)
	s.locate(x, shuffled([][]float64{x}))
	if st := s.Steps[0]; st.Earliest != 15 || st.Latest != 15 {
		t.Errorf("the clear step has the range %d to %d", st.Earliest, st.Latest)
	}
	if st := s.Steps[1]; st.Earliest != 16 || st.Latest < 36 || st.Latest > 39 {
		t.Errorf("the other one, of one standard deviation, has the range %d to %d", st.Earliest, st.Latest)
	}
	again := slices.Clone(s.Steps)
	if s.locate(x, shuffled([][]float64{x})); !slices.Equal(again, s.Steps) {
		t.Error("located again, the ranges differ")
	}
}

// TestALoneValueBesideAStep: a large value just before a step looks like its first commit. Elsewhere
// such values are set aside, so what is left is normal noise that leaves one place. The random orders
// know that the step may be later.
func TestALoneValueBesideAStep(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 11))
	x := make([]float64, 60)
	for k := range x {
		x[k] = .002 * r.NormFloat64()
		if k%20 == 11 {
			x[k] += .1
		}
		if k >= 30 {
			x[k] += .1
		}
	}
	s := &shape{}
	s.Clean, s.Outliers = withoutOutliers(x, noiseOf(x))
	s.Steps, _ = testSteps(s.Clean, []int{30}, len(s.Outliers))
	st := &s.Steps[0]
	if s.locate(x, nil); st.Earliest != 30 || st.Latest != 30 {
		t.Errorf("without random orders, the range is %d to %d", st.Earliest, st.Latest)
	}
	if s.locate(x, shuffled([][]float64{x})); st.Earliest != 30 || st.Latest < 31 || st.Latest > 33 {
		t.Errorf("the range is %d to %d", st.Earliest, st.Latest)
	}
}
