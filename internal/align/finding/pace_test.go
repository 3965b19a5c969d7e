package finding

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
)

// TestQuickPace holds the pace that is found by sums against that which is found class by class.
func TestQuickPace(t *testing.T) {
	known := 0
	testtrace.CheckUntil(t, func() bool { return known > 0 }, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "pairs"), 2))
		pace := []float64{1, 0.97, 1.2, 3}[rng.IntN(4)]
		s := &study{report: &Report{Pace: 1}, ctx: t.Context()}
		s.p = &pair.Pair{Names: make([]string, 20)}
		for id := range rng.IntN(20) {
			s.efforts[onFunction] = append(s.efforts[onFunction], someEffort(rng, uint32(id), pace))
			if rng.IntN(4) == 0 {
				s.efforts[onSamples] = append(s.efforts[onSamples], someEffort(rng, uint32(id), pace))
			}
		}
		got, ok := s.quickPace(s.ordinaryEfforts())
		if !ok {
			return
		}
		known++
		if want := plainPace(s); got != want {
			t.Fatalf("%g, want %g", got, want)
		}
	})
}

// someEffort returns pairs of one function, in two parts.
func someEffort(rng *rand.Rand, id uint32, pace float64) *effort {
	n, long := 1+rng.IntN(300), 1+rng.IntN(1e6)
	c := &columns{calls: make([]int32, n)}
	for range n {
		a := rng.IntN(long)
		b := float64(a) * pace * math.Exp(0.1*rng.NormFloat64())
		c.times = append(c.times, uint64(b)<<32|uint64(a))
	}
	half := int32(rng.IntN(n + 1))
	return &effort{id: id, pairs: n, parts: []part{{of: c, to: half}, {of: c, from: half, to: int32(n)}}}
}

// plainPace finds the weighted median of ratios by their classes.
func plainPace(s *study) float64 {
	efforts, total := s.ordinaryEfforts(), map[uint32]float64{}
	var votes [paceBins]float64
	each := func(do func(id uint32, a, b float64)) {
		for _, e := range efforts {
			for c := range e.chunks {
				for p := range c.a {
					if c.a[p] > 0 && c.b[p] > 0 {
						do(e.id, c.a[p], c.b[p])
					}
				}
			}
		}
	}
	each(func(id uint32, a, b float64) { total[id] += math.Sqrt(a * b) })
	if len(total) < fewest {
		return 1
	}
	each(func(id uint32, a, b float64) { votes[paceBin(b/a)] += math.Sqrt(a*b) / math.Sqrt(total[id]) })
	return paceOf(votes[:])
}

// TestSamplesHaveAllOfFewPairs holds that a sample of one pair of one is all pairs, and that others
// have a piece of each span.
func TestSamplesHaveAllOfFewPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		e := someEffort(rng, 0, 1)
		for span := pacePiece; span <= 3*pacePiece; span += pacePiece {
			var got, want []float64
			for c := range e.sample(span) {
				got = append(got, c.a...)
			}
			for c := range e.chunks {
				want = append(want, c.a...)
			}
			for from := 0; from < len(want); from += pacePiece {
				want = slices.Delete(want, min(from+pacePiece, len(want)), min(from+span, len(want)))
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%d pairs, want %d of %d", len(got), len(want), e.pairs)
			}
		}
	}
}

// TestLowestRatios holds the lowest ratio of a class against the classes of ratios.
func TestLowestRatios(t *testing.T) {
	for class := 1; class < paceBins; class++ {
		lowest := lowestIn(class)
		if at, below := paceBin(lowest), paceBin(math.Nextafter(lowest, 0)); at != class || below != class-1 {
			t.Fatalf("the lowest ratio of class %d, %g, is in %d, and what is below in %d", class, lowest, at, below)
		}
	}
}
