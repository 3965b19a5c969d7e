package trend

import (
	"cmp"
	"math"
	"slices"
)

// Which commits may be the one. Noise moves the best place of a small step, so a step is told with
// a range of commits that has its true place: the smallest that holds what two ways say.
//
// The first is exact for normal noise. If the step was at t and the others where they are, R(t) are
// the squared distances of all values to their levels. If every place, level and noise was as
// likely beforehand (Smith, "A Bayesian approach to inference about a change-point in a sequence of
// random variables", Biometrika 1975), the probability of t is proportional to
//
//	(1/before + 1/after)^½ · R(t)^(−ν/2)
//
// where before and after are how many commits the two levels last, and ν is the number of values
// less the levels and less those set aside. The most probable places are in the range, until they
// have 99 % together.
//
// The second is for noise of any kind, of which a single large value beside a step can look like
// the step. What is left of the series without its steps is put into the random orders of
// calibrate.go, the steps are added again, and in each order the place is searched for. A place
// that was found d commits too late says that the true one may be d before the one that was found.
//
// For example, among 60 commits with noise of 5 %, a step of 1.5× has a range of 1 commit, one of
// 1.2× of 3, and one of 1.1× of 10.

// placed is the probability in normal noise that the place is in the range.
const placed = 0.99

// locate sets the ranges of the steps of a series.
func (s *shape) locate(series []float64, orders [][]int) {
	if len(s.Steps) == 0 {
		return
	}
	q := newSquares(s.Clean)
	off, from := float64(len(series))*leastNoise*leastNoise, 0
	for _, st := range s.Steps {
		off += q.cost(from, st.At)
		from = st.At
	}
	off += q.cost(from, len(series))
	free := max(float64(len(series)-len(s.Steps)-1-len(s.Outliers)), 1)
	for k := range s.Steps {
		s.Steps[k].probable(q, off, free)
	}
	s.relocate(series, orders)
}

// probable sets the range of a step to the most probable places. off are the squared distances of
// all values to their levels, with the noise that every machine has, and free is ν.
func (s *step) probable(q *squares, off, free float64) {
	type place struct {
		at     int
		weight float64 // its probability, times a factor that all have
	}
	var places []place
	total := 0.0
	for t := s.From + 1; t < s.To; t++ {
		each := 1/float64(t-s.From) + 1/float64(s.To-t)
		farther := 1 + (q.around(s, t)-q.around(s, s.At))/off
		p := place{t, math.Sqrt(each) * math.Pow(farther, -free/2)}
		places = append(places, p)
		total += p.weight
	}
	slices.SortStableFunc(places, func(x, y place) int { return cmp.Compare(y.weight, x.weight) })
	s.Earliest, s.Latest = s.At, s.At
	sum := 0.0
	for _, p := range places {
		if sum >= placed*total {
			break
		}
		sum += p.weight
		s.Earliest, s.Latest = min(s.Earliest, p.at), max(s.Latest, p.at)
	}
}

// around returns the squared distances of the values beside a step to their levels if it was at t.
func (q *squares) around(s *step, t int) float64 { return q.cost(s.From, t) + q.cost(t, s.To) }

// relocate widens the ranges by how far off steps as high are found in random orders.
func (s *shape) relocate(series []float64, orders [][]int) {
	rest := s.rest(series)
	again := make([]float64, len(rest))
	late, early := make([]int, len(s.Steps)), make([]int, len(s.Steps))
	for _, order := range orders {
		for k, at := range order {
			again[k] = rest[at]
		}
		for _, st := range s.Steps {
			for k := st.At; k < len(again); k++ {
				again[k] += st.After - st.Before
			}
		}
		clean, _ := withoutOutliers(again, max(noiseOf(again), leastNoise))
		q := newSquares(clean)
		for k := range s.Steps {
			off := q.best(&s.Steps[k]) - s.Steps[k].At
			late[k], early[k] = max(late[k], off), max(early[k], -off)
		}
	}
	for k := range s.Steps {
		st := &s.Steps[k]
		st.Earliest = max(min(st.Earliest, st.At-late[k]), st.From+1)
		st.Latest = min(max(st.Latest, st.At+early[k]), st.To-1)
	}
}

// best returns where a step fits best between those beside it.
func (q *squares) best(s *step) (at int) {
	least := math.Inf(1)
	for t := s.From + 1; t < s.To; t++ {
		if c := q.around(s, t); c < least {
			least, at = c, t
		}
	}
	return at
}
