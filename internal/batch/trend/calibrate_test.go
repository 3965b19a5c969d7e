package trend

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// stepped returns a shape with a step of the given score in the middle of ten values.
func stepped(score float64) *shape {
	x := []float64{0, 0, 0, 0, 0, 1, 1, 1, 1, 1}
	return &shape{Clean: x, Steps: []step{{At: 5, To: 10, After: 1, P: score}}}
}

// TestCalibrate is the example at the head of calibrate.go, and what follows if chance has as many
// steps as there are.
func TestCalibrate(t *testing.T) {
	for _, c := range []struct {
		name  string
		claim func(k int) *shape
		by    []float64
		wantQ float64 // 0 if nothing is left of it
	}{
		{"a step as clear by chance", func(int) *shape { return stepped(1e-6) }, []float64{1e-6},
			2. / 10001 * 100 / 3},
		{"none by chance", func(int) *shape { return stepped(1e-6) }, []float64{1e-5, .01}, 1. / 10001 * 100 / 3},
		{"a surer one is as sure as all are", func(k int) *shape { return stepped([]float64{1e-6, 1e-9, 1e-6}[k]) },
			[]float64{1e-6, 1e-10, 1e-9, 1e-9}, 5. / 10001 * 100 / 3},
		{"many by chance", func(int) *shape { return stepped(.01) }, slices.Repeat([]float64{.005}, 20), 0},
		{"a drift", func(int) *shape { return &shape{Clean: make([]float64, 10), Drift: &line{P: 1e-6}} },
			[]float64{1e-6}, 2. / 10001 * 100 / 3},
		{"a drift by chance", func(int) *shape { return &shape{Clean: make([]float64, 10), Drift: &line{P: 1e-3}} },
			slices.Repeat([]float64{1e-3}, 20), 0},
	} {
		var shapes []*shape
		for k := range 100 {
			s := &shape{Clean: make([]float64, 10)}
			if k%40 == 7 { // the 8th, the 48th, the 88th
				s = c.claim(k / 40)
			}
			shapes = append(shapes, s)
		}
		calibrate(shapes, c.by)
		for k, s := range shapes {
			q := 0.0
			switch {
			case s.Drift != nil:
				q = s.Drift.Q
			case len(s.Steps) > 0:
				q = s.Steps[0].Q
			}
			want := 0.0
			if k%40 == 7 {
				want = c.wantQ
			}
			if math.Abs(q-want) > 1e-12 {
				t.Errorf("%s: q of the series %d is %v, want %v", c.name, k, q, want)
			}
		}
	}
}

// TestUnsureStepsAreJoined: the levels on both sides of a step that is dropped become one.
func TestUnsureStepsAreJoined(t *testing.T) {
	s := &shape{Clean: []float64{0, 0, 0, 1, 1, 1, 5, 5, 5},
		Steps: []step{{At: 3, To: 6, Q: .04}, {At: 6, From: 3, To: 9, Q: .02}}}
	s.keepSure()
	if len(s.Steps) != 1 {
		t.Fatalf("left are %+v", s.Steps)
	}
	if got := s.Steps[0]; got.At != 6 || got.From != 0 || got.To != 9 || got.Before != .5 || got.After != 5 ||
		got.Q != .02 {
		t.Errorf("left is %+v", got)
	}
}

// TestDescribingIsRepeatable: neither the order in which goroutines end nor who else is described
// later changes the orders; a series that never changes has no claims in any of them.
func TestDescribingIsRepeatable(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	var series [][]float64
	for range 12 {
		series = append(series, noisy(r, 16, (*rand.Rand).NormFloat64))
	}
	for k := 8; k < 16; k++ {
		series[3][k] += .5
	}
	first, errFirst := describeAll(t.Context(), series, nil)
	again, errAgain := describeAll(t.Context(), series, func(int64, int64) {})
	if errFirst != nil || errAgain != nil || !reflect.DeepEqual(first, again) {
		t.Errorf("described again it differs: %v, %v", errFirst, errAgain)
	}
	if len(first[3].Steps) != 1 || first[3].Steps[0].At != 8 {
		t.Errorf("the series with a step is %+v", first[3])
	}
	orders := shuffled(series)
	for _, order := range orders {
		if sorted := slices.Sorted(slices.Values(order)); sorted[0] != 0 || sorted[15] != 15 ||
			len(slices.Compact(sorted)) != 16 {
			t.Fatalf("%v is no order of 16 commits", order)
		}
	}
	if got := byChance(slices.Repeat([]float64{4}, 16), orders); len(got) > 0 {
		t.Errorf("a constant series has claims: %v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := describeAll(ctx, series, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled, the error is %v", err)
	}
}
