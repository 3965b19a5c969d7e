package trend

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/combin"
	"gonum.org/v1/gonum/stat/distuv"
)

// What of a series can be claimed, in five steps.
//
//  1. Logarithms: times of some µs and of some seconds both vary by a share of themselves.
//  2. Lone outliers, such as the night in which a backup ran, are set to the level beside them: see
//     withoutOutliers. Two commits in a row may be outliers, three are a level.
//  3. PELT finds where the level changes. The noise's standard deviation is that of the differences
//     from commit to commit (by their median, Rousseeuw and Croux 1993), which steps hardly
//     change; the penalty is that of the BIC, 2·ln n for a place and a level.
//  4. Each step is tested: t is its height over its standard error, from how far values are from
//     their levels in the whole series. There are C(n−1, m) places for m steps, so p is as many
//     times that of Student's t (for one step, Worsley's Bonferroni bound, "On the likelihood ratio
//     test for a shift in location of normal populations", JASA 1979). The least sure step is taken
//     out and the others are tested again, until all have p ≤ 5 %.
//  5. Steps are told only if they describe the series clearly better than a straight line (BIC), as
//     a slow drift would else be a staircase. Otherwise it has drifted: that says when a series has
//     changed, but not at which commit.
//
// These p hold for normal noise, and that of machines has heavier tails. So they are scores, which
// calibrate.go compares with those of the same functions in a random order of the commits.

const (
	leastSegment = 3     // commits: two may be outliers
	leastNoise   = 0.001 // a standard deviation of logarithms: changes of 0.1 % and less are none
	farOut       = 4     // standard deviations that an outlier is off
	alpha        = 0.05  // the share of false claims that is allowed for
	clearly      = 4     // of BIC: the line is e² times less likely (Raftery 1995)
)

// shape is what a series looks like.
type shape struct {
	Steps    []step
	Outliers []int // commits that were set aside
	Drift    *line // nil if it has none; then there are no Steps
	Clean    []float64
}

// step is a change of level.
type step struct {
	At            int     // the first value of the new level
	From, To      int     // the values that have the old and the new level: [From, At), [At, To)
	Before, After float64 // levels
	// The true place is within these values, both included: see place.go.
	Earliest, Latest int
	P                float64 // a score: in normal noise, the chance of a step as clear
	Q                float64 // of claims at least as sure, about this share is false
}

// line is a straight line through a series.
type line struct {
	First, Last float64 // its values at the first and the last commit
	P           float64 // likewise, that one without drift is as steep
	Q           float64
}

// describe finds the steps or the drift of a series, such as logarithms of times.
func describe(series []float64) *shape {
	s := &shape{}
	noise := max(noiseOf(series), leastNoise)
	s.Clean, s.Outliers = withoutOutliers(series, noise)
	n := len(series)
	starts := segment(scaled(s.Clean, noise), 2*math.Log(float64(n)), leastSegment)
	var squared float64
	for {
		s.Steps, squared = testSteps(s.Clean, starts, len(s.Outliers))
		worst := -1
		for k := range s.Steps {
			if p := s.Steps[k].P; p > alpha && (worst < 0 || p > s.Steps[worst].P) {
				worst = k
			}
		}
		if worst < 0 {
			break
		}
		starts = slices.Delete(starts, worst, worst+1)
	}
	l, lineSquared := straight(s.Clean, len(s.Outliers))
	if steps := bic(squared, n, 2*len(starts)+1); l.P <= alpha && bic(lineSquared, n, 2) < steps+clearly {
		s.Drift, s.Steps = &l, nil
	}
	return s
}

// bic is the criterion of Schwarz (1978) for a description with so many parameters that leaves the
// given sum of squares.
func bic(squared float64, n, parameters int) float64 {
	size := float64(n)
	return size*math.Log(max(squared/size, leastNoise*leastNoise)) + float64(parameters)*math.Log(size)
}

// noiseOf returns the standard deviation of a series' noise, from the median of its absolute
// differences. Of normal noise these have √2 times its deviation. Two commits in a row that both
// have nothing, a logarithm of 0, say nothing: else what is new in the middle had no noise.
func noiseOf(x []float64) float64 {
	apart := make([]float64, 0, len(x))
	for k := 1; k < len(x); k++ {
		if x[k-1] != 0 || x[k] != 0 {
			apart = append(apart, math.Abs(x[k]-x[k-1]))
		}
	}
	if len(apart) == 0 {
		return 0
	}
	return 1.4826 / math.Sqrt2 * median(apart)
}

// median sorts what it is given.
func median(x []float64) float64 {
	slices.Sort(x)
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

// withoutOutliers sets values that are far from the medians of the three before and of the three
// after them to the nearer one, like Hampel's identifier (JASA 1974), which has one median around
// the value and would round the corners of steps. In 1 1 9 1 1 the 9 is an outlier, in 1 1 9 9 9 it
// is not.
func withoutOutliers(x []float64, noise float64) (clean []float64, outliers []int) {
	clean = slices.Clone(x)
	for k, v := range x {
		nearest, off := v, math.Inf(1)
		for _, beside := range [][]float64{x[max(k-3, 0):k], x[k+1 : min(k+4, len(x))]} {
			if len(beside) < 2 {
				continue
			}
			var room [3]float64
			if m := median(append(room[:0], beside...)); math.Abs(v-m) < off {
				nearest, off = m, math.Abs(v-m)
			}
		}
		if off > farOut*noise && !amongThree(x, k, farOut*noise) {
			clean[k] = nearest
			outliers = append(outliers, k)
		}
	}
	return clean, outliers
}

// amongThree reports whether both neighbours of a value are at most so far from it.
func amongThree(x []float64, k int, far float64) bool {
	return k > 0 && k+1 < len(x) && math.Abs(x[k-1]-x[k]) <= far && math.Abs(x[k+1]-x[k]) <= far
}

// scaled returns a series around 0 in units of its noise.
func scaled(x []float64, noise float64) []float64 {
	middle := median(slices.Clone(x))
	out := make([]float64, len(x))
	for k, v := range x {
		out[k] = (v - middle) / noise
	}
	return out
}

// testSteps returns the steps at starts, and the squared distances of the values to their levels.
// Values that were set aside say nothing about the noise.
func testSteps(x []float64, starts []int, aside int) (steps []step, squared float64) {
	bounds := slices.Concat([]int{0}, starts, []int{len(x)})
	levels := make([]float64, len(bounds)-1)
	for k := range levels {
		part := x[bounds[k]:bounds[k+1]]
		levels[k] = mean(part)
		for _, v := range part {
			squared += (v - levels[k]) * (v - levels[k])
		}
	}
	free := float64(len(x) - len(levels) - aside)
	places := combin.GeneralizedBinomial(float64(len(x)-1), float64(len(starts)))
	for k, at := range starts {
		s := step{At: at, From: bounds[k], To: bounds[k+2], Before: levels[k], After: levels[k+1]}
		each := 1/float64(at-s.From) + 1/float64(s.To-at)
		s.P = min(student(s.After-s.Before, squared, free, each)*places, 1)
		steps = append(steps, s)
	}
	return steps, squared
}

// student returns the p of a difference in either direction, whose variance is that of the noise
// times each.
func student(difference, squared, free, each float64) float64 {
	if free < 1 {
		return 1
	}
	deviation := max(math.Sqrt(squared/free), leastNoise)
	t := math.Abs(difference) / (deviation * math.Sqrt(each))
	return 2 * distuv.StudentsT{Sigma: 1, Nu: free}.CDF(-t)
}

// straight returns the line through a series by least squares, and the squared distances to it.
func straight(x []float64, aside int) (l line, squared float64) {
	n := float64(len(x))
	middle, level := (n-1)/2, mean(x)
	var along, of2 float64
	for k, v := range x {
		d := float64(k) - middle
		along += d * (v - level)
		of2 += d * d
	}
	slope := along / of2
	for k, v := range x {
		off := v - level - slope*(float64(k)-middle)
		squared += off * off
	}
	l = line{First: level - slope*middle, Last: level + slope*middle}
	l.P = student(slope, squared, n-2-float64(aside), 1/of2)
	return l, squared
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}
