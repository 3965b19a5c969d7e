package trend

import (
	"math"
	"slices"
)

// Where a series changes its level: PELT, the pruned exact linear time method (Killick, Fearnhead,
// Eckley, "Optimal detection of changepoints with a linear computational cost", JASA 2012). It
// finds the segments of the least total cost, where a segment costs the squared distances of its
// values to their mean, and each further segment costs a penalty.
//
//	F(t) = min over s of F(s) + cost(s, t) + penalty
//
// is the least cost of the first t values. A segment's cost never falls if it is cut in two. So
// once F(s) + cost(s, t) > F(t), no later segment begins at s: one that begins at t is better. With
// a least length of segments, this holds for ends from t + least on, as a segment from t has to
// have its length, too. For example, with least = 3 and s beaten at t = 10, s is dropped from 13
// on.
//
// Without any change, little is dropped, and the time is quadratic in the number of values; they
// are commits, of which there are at most some thousand. Memory is linear.

// squares are prefix sums over a series, from which each segment's cost follows at once.
type squares struct {
	sum, of2 []float64 // of the first k values: their sum, the sum of their squares
}

func newSquares(x []float64) *squares {
	q := &squares{sum: make([]float64, len(x)+1), of2: make([]float64, len(x)+1)}
	for k, v := range x {
		q.sum[k+1] = q.sum[k] + v
		q.of2[k+1] = q.of2[k] + v*v
	}
	return q
}

// cost returns the squared distances of the values [s, t) to their mean.
func (q *squares) cost(s, t int) float64 {
	sum := q.sum[t] - q.sum[s]
	return max(q.of2[t]-q.of2[s]-sum*sum/float64(t-s), 0)
}

// rounding is by how much a cost has to be larger to be safely larger, as a share of it.
const rounding = 1e-9

// segment returns where the segments after the first begin, ascending. Each has at least so many
// values. x should lie around 0, as prefix sums of large numbers lose digits.
func segment(x []float64, penalty float64, least int) []int {
	n := len(x)
	p := &pruned{squares: newSquares(x), penalty: penalty, least: least,
		f: make([]float64, n+1), last: make([]int, n+1), until: make([]int, n+1)}
	p.f[0] = -penalty
	for t := least; t <= n; t++ {
		p.end(t)
		p.prune(t)
	}
	var starts []int
	for t := p.last[n]; t > 0; t = p.last[t] {
		starts = append(starts, t)
	}
	slices.Reverse(starts)
	return starts
}

// pruned is the state of the method.
type pruned struct {
	*squares
	penalty float64
	least   int
	f       []float64 // F(t)
	last    []int     // where the last segment of the first t values begins
	live    []int     // where a last segment may begin, ascending
	until   []int     // the t at which one that begins here is dropped, 0 for never
}

// end finds F(t).
func (p *pruned) end(t int) {
	if s := t - p.least; s == 0 || s >= p.least {
		p.live = append(p.live, s)
	}
	p.f[t] = math.Inf(1)
	kept := p.live[:0]
	for _, s := range p.live {
		if drop := p.until[s]; drop > 0 && drop <= t {
			continue
		}
		kept = append(kept, s)
		if f := p.f[s] + p.cost(s, t) + p.penalty; f < p.f[t] {
			p.f[t], p.last[t] = f, s
		}
	}
	p.live = kept
}

// prune says of beginnings that can no longer be the best when they are dropped.
func (p *pruned) prune(t int) {
	limit := p.f[t] + rounding*(1+math.Abs(p.f[t]))
	for _, s := range p.live {
		if p.until[s] == 0 && p.f[s]+p.cost(s, t) > limit {
			p.until[s] = t + p.least
		}
	}
}
