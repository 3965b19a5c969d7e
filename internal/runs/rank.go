package runs

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// The test of Mann and Whitney (1947): do values of one side tend to be larger than those of the
// other? It assumes nothing of how runs vary. U is the number of pairs of an A and a B in which B
// is the larger, where equal ones count a half. If it is chance which run belongs to which side,
// then every choice of n of the n + m runs as A's is as likely as any other, so the distribution of
// U is counted exactly, also where values are equal (Klotz 1966). For example, with 3 and 3 runs,
// all of B's larger than all of A's, U is 9. That or its opposite happens in 2 of 20 choices: p is
// 10 %.
//
// golang.org/x/perf/benchmath has the same test. It is not used here: it takes 10 ms for 25 runs a
// side with one tie, where thousands of places are tested, and with ties and unequal numbers of
// runs it doubles one tail of a distribution that is not symmetric. The tests compare both where
// they must agree.

// Steps of counting that are worth an exact distribution: for all places without ties at once, and
// for one place with ties.
const (
	stepsForAll = 3e7 // 50 and 50 runs
	stepsForOne = 2e6 // 20 and 20 runs
)

// law is the distribution of U for n and m runs, all values different, if sides differ by chance
// alone. It is the same for m and n.
type law struct {
	n, m   int       // n ≤ m
	atMost []float64 // P(U ≤ u), nil where a normal distribution stands for it
}

func newLaw(n, m int) *law {
	n, m = min(n, m), max(n, m)
	l := &law{n: n, m: m}
	ranks := make([]int, n+m)
	for i := range ranks {
		ranks[i] = i
	}
	if steps(ranks, n) > stepsForAll {
		return l
	}
	sum, all := 0.0, 0.0
	ways := waysToChoose(ranks, n)
	for _, w := range ways {
		all += w
	}
	for _, w := range ways[n*(n-1)/2:] { // the least sum of ranks, which is a U of 0
		sum += w
		l.atMost = append(l.atMost, sum/all)
	}
	return l
}

// waysToChoose returns by sum in how many ways n of the ranks, which are not negative and ascend,
// can be chosen that have this sum.
func waysToChoose(ranks []int, n int) []float64 {
	most := 0
	for _, r := range ranks[len(ranks)-n:] {
		most += r
	}
	ways := make([][]float64, n+1) // by number chosen and sum
	for k := range ways {
		ways[k] = make([]float64, most+1)
	}
	ways[0][0] = 1
	for i, r := range ranks {
		for k := min(i+1, n); k > 0; k-- {
			for s := most; s >= r; s-- {
				ways[k][s] += ways[k-1][s-r]
			}
		}
	}
	return ways[n]
}

// steps returns how many additions waysToChoose makes.
func steps(ranks []int, n int) float64 {
	return float64(len(ranks)) * float64(n) * float64(n) * float64(ranks[len(ranks)-1])
}

// smallest returns the smallest p that the test can have.
func (l *law) smallest() float64 {
	ln, _ := math.Lgamma(float64(l.n + l.m + 1))
	for _, k := range []int{l.n, l.m} {
		of, _ := math.Lgamma(float64(k + 1))
		ln -= of
	}
	return min(2*math.Exp(-ln), 1)
}

// test returns the probability that chance alone sets the sides at least this far apart, in either
// direction.
func (l *law) test(a, b []float64) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	ranks, sum, tied := rankBoth(a, b)
	if !tied && l.atMost != nil {
		u := (sum - l.n*(l.n-1)) / 2
		if u = min(u, l.n*l.m-u); 2*u == l.n*l.m {
			return 1
		}
		return min(2*l.atMost[u], 1)
	}
	slices.Sort(ranks)
	centre := l.n * (l.n + l.m - 1) // of the doubled sum
	off := max(sum-centre, centre-sum)
	switch {
	case ranks[0] == ranks[len(ranks)-1]:
		return 1
	case steps(ranks, l.n) > stepsForOne:
		return l.normal(ranks, float64(off)/2)
	}
	far, all := 0.0, 0.0
	for s, w := range waysToChoose(ranks, l.n) {
		if all += w; max(s-centre, centre-s) >= off {
			far += w
		}
	}
	return far / all
}

// rankBoth returns the doubled ranks of all values from 0 on, A's first, equal values having the
// mean of theirs; the sum of A's; and whether any values are equal.
func rankBoth(a, b []float64) (ranks []int, sum int, tied bool) {
	values := slices.Concat(a, b)
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(x, y int) int { return cmp.Compare(values[x], values[y]) })
	ranks = make([]int, len(values))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		tied = tied || to > from+1
		for _, i := range order[from:to] {
			ranks[i] = from + to - 1
		}
		from = to
	}
	for _, r := range ranks[:len(a)] {
		sum += r
	}
	return ranks, sum, tied
}

// normal returns p for a U that is off its mean, by a normal distribution with corrections for ties
// and for continuity. ranks are doubled, ascending.
func (l *law) normal(ranks []int, off float64) float64 {
	ties := 0.0
	for from := 0; from < len(ranks); {
		to := from
		for to < len(ranks) && ranks[to] == ranks[from] {
			to++
		}
		t := float64(to - from)
		ties += t*t*t - t
		from = to
	}
	return min(1, 2*distuv.UnitNormal.Survival(max(off-0.5, 0)/l.deviation(ties)))
}

func (l *law) deviation(ties float64) float64 {
	n, m := float64(l.n), float64(l.m)
	all := n + m
	return math.Sqrt(n * m / 12 * (all + 1 - ties/(all*(all-1))))
}

// tail returns which of the n·m differences, from the smallest and from the largest on, counted
// from 1, bound an interval of the given level, and the level that it then has. It is 0 if there
// are too few differences for the level.
func (l *law) tail(level float64) (bound int, has float64) {
	out := (1 - level) / 2
	if l.atMost == nil {
		z := distuv.UnitNormal.Quantile(1 - out)
		at := float64(l.n*l.m)/2 - z*l.deviation(0)
		return max(int(math.Floor(at)), 0), level
	}
	for bound < len(l.atMost) && l.atMost[bound] <= out {
		bound++
	}
	if bound == 0 { // all differences lie in it
		return 0, 1 - 2*l.atMost[0]
	}
	return bound, 1 - 2*l.atMost[bound-1]
}

// Smallest returns the smallest p that n and m runs can have: 2 of all choices of n of n + m.
func Smallest(n, m int) float64 { return (&law{n: n, m: m}).smallest() }

// enough returns with how many runs a side a change can be significant at the given level even if
// one pair of runs is in the wrong order. It is 5 for 5 %: with 4, all of B's runs have to be
// beyond all of A's.
func enough(alpha float64) int {
	for n := 2; ; n++ {
		// One of all choices has a U of 0, and one a U of 1.
		if 2*Smallest(n, n) <= alpha {
			return n
		}
	}
}

// enoughFor returns with how many runs a side a single change among so many tested places can be
// significant at the given level, allowing for all of them.
func enoughFor(alpha float64, places int) int {
	n := 2
	for Smallest(n, n)*float64(places) > alpha {
		n++
	}
	return n
}
