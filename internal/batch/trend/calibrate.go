package trend

import (
	"context"
	"math/rand/v2"
	"slices"
	"sort"

	"diptych/internal/progress"
	"diptych/internal/runs"
)

// How many claims are false. If nothing ever changed, every order of the commits would be as likely
// as the one there is. So all series are described again in random orders, the same for all series,
// since what disturbs a machine disturbs many functions at once. A claim's p is the share of random
// series with one of at least its score, over all functions together, as in the "Significance
// analysis of microarrays" (Tusher, Tibshirani, Chu, PNAS 2001): so a hundred orders say enough of
// a thousand functions, and noise of any kind is allowed for, if only it does not depend on the
// noise of the commit before. From the p follows q, which allows for all functions (Benjamini and
// Hochberg 1995): of the claims with q ≤ 2 %, on average at most 2 % are of functions in which
// nothing has changed. TestFalseClaims measures how many are false in any way.
//
// For example, 3 of 100 functions have a step with the score 1e-6 or less. In 100 random orders
// there is one such step altogether: p is 2/10001, and q is 2/10001 · 100/3 = 0.7 %.

const (
	orders = 100 // so that a single claim can have a q of 1 %
	seed   = 18  // of the orders: the same batches have the same trend
	// told is the largest q of what is told. The rest of alpha is for claims that are false in
	// other ways: of a step whose range lacks the true place, and of a step in what has drifted.
	told = 0.02
)

// hypotheses returns the scores of all that is claimed of a series; a series of which nothing is
// claimed counts as one, with 1.
func hypotheses(s *shape) []float64 {
	switch {
	case s.Drift != nil:
		return []float64{s.Drift.P}
	case len(s.Steps) == 0:
		return []float64{1}
	}
	p := make([]float64, len(s.Steps))
	for k := range s.Steps {
		p[k] = s.Steps[k].P
	}
	return p
}

// describeAll describes all series, and sets the q of all that is claimed of them.
func describeAll(ctx context.Context, series [][]float64, report progress.Func) ([]*shape, error) {
	meter := progress.NewMeter(report, 0)
	meter.Expect(int64(len(series)))
	shuffles := shuffled(series)
	shapes := make([]*shape, len(series))
	chance := make([][]float64, len(series))
	err := progress.Spread(ctx, len(series), func(k int) error {
		shapes[k] = describe(series[k])
		chance[k] = byChance(shapes[k].rest(series[k]), shuffles)
		return meter.Add(ctx, 1)
	})
	if err != nil {
		return nil, err
	}
	if err := settle(ctx, series, shapes, chance, shuffles); err != nil {
		return nil, err
	}
	meter.Finish()
	calibrate(shapes, slices.Concat(chance...))
	for k, s := range shapes {
		s.locate(series[k], shuffles)
	}
	return shapes, nil
}

// settle finds the scores by chance anew for series whose claims are not sure: what was taken out
// as their steps may be their noise. Without this, lognormal noise had a sixth more false claims.
func settle(ctx context.Context, series [][]float64, shapes []*shape, chance [][]float64, shuffles [][]int) error {
	first := make([]*shape, len(shapes))
	for k, s := range shapes {
		again := *s
		again.Steps = slices.Clone(s.Steps)
		if s.Drift != nil {
			drift := *s.Drift
			again.Drift = &drift
		}
		first[k] = &again
	}
	calibrate(first, slices.Concat(chance...))
	return progress.Spread(ctx, len(series), func(k int) error {
		if len(first[k].Steps) < len(shapes[k].Steps) || first[k].Drift == nil && shapes[k].Drift != nil {
			chance[k] = byChance(first[k].rest(series[k]), shuffles)
		}
		return ctx.Err()
	})
}

// shuffled returns the random orders.
func shuffled(series [][]float64) (list [][]int) {
	if len(series) == 0 {
		return nil
	}
	n := len(series[0])
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	for range orders {
		list = append(list, r.Perm(n))
	}
	return list
}

// rest returns what is left of a series without its steps and its drift.
func (s *shape) rest(series []float64) []float64 {
	rest := slices.Clone(series)
	for _, st := range s.Steps {
		for k := st.At; k < len(rest); k++ {
			rest[k] -= st.After - st.Before
		}
	}
	if s.Drift != nil {
		for k := range rest {
			rest[k] -= (s.Drift.Last - s.Drift.First) * float64(k) / float64(len(rest)-1)
		}
	}
	return rest
}

// byChance returns the scores of what is claimed of a series in random orders.
func byChance(x []float64, shuffles [][]int) (scores []float64) {
	y := make([]float64, len(x))
	for _, order := range shuffles {
		for k, at := range order {
			y[k] = x[at]
		}
		for _, p := range hypotheses(describe(y)) {
			if p < 1 {
				scores = append(scores, p)
			}
		}
	}
	return scores
}

// calibrate sets the q of all claims, from the scores of claims by chance.
func calibrate(shapes []*shape, chance []float64) {
	slices.Sort(chance)
	var p []float64
	for _, s := range shapes {
		for _, score := range hypotheses(s) {
			below := sort.Search(len(chance), func(i int) bool { return chance[i] > score })
			share := float64(1+below) / float64(1+len(shapes)*orders)
			if score == 1 {
				share = 1
			}
			p = append(p, min(share, 1))
		}
	}
	q := runs.Adjust(p)
	for _, s := range shapes {
		switch {
		case s.Drift != nil:
			s.Drift.Q, q = q[0], q[1:]
		case len(s.Steps) == 0:
			q = q[1:]
		}
		for k := range s.Steps {
			s.Steps[k].Q, q = q[0], q[1:]
		}
		s.keepSure()
	}
}

// keepSure drops the claims that may be chance, and finds the levels of a series anew.
func (s *shape) keepSure() {
	if s.Drift != nil && s.Drift.Q > told {
		s.Drift = nil
	}
	q := map[int]float64{}
	var starts []int
	for _, of := range s.Steps {
		if of.Q <= told {
			starts = append(starts, of.At)
			q[of.At] = of.Q
		}
	}
	s.Steps, _ = testSteps(s.Clean, starts, len(s.Outliers))
	for k := range s.Steps {
		s.Steps[k].Q = q[s.Steps[k].At]
	}
}
