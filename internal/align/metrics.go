package align

import "diptych/internal/pair"

// Metrics count what became of the calls of one thread pair, or of several together, and say how
// similar that makes them (Weber et al., 4.1 and table 2).
type Metrics struct {
	M, N                         int64 // calls in A and in B
	Equal, Different, GapA, GapB int64 // pairs, and calls without a partner
	SkewEnd                      int64 // how much longer A ran than B, ns; summed over thread pairs
}

// Metrics counts the states of r's calls.
func (r *Result) Metrics() Metrics {
	m := Metrics{M: int64(len(r.Partner[pair.A])), N: int64(len(r.Partner[pair.B]))}
	idA, idB := r.Pair.IDs(pair.A), r.Pair.IDs(pair.B)
	fnA, fnB := r.Threads[pair.A].Fn, r.Threads[pair.B].Fn
	for i, j := range r.Partner[pair.A] {
		switch {
		case j == None:
			m.GapB++
		case idA[fnA[i]] == idB[fnB[j]]:
			m.Equal++
		default:
			m.Different++
		}
	}
	m.GapA = m.N - m.Equal - m.Different
	for s, sign := range [2]int64{1, -1} {
		start, end := r.Threads[s].Span()
		m.SkewEnd += sign * (end - start)
	}
	return m
}

// Plus returns the metrics of two groups of thread pairs together.
func (m Metrics) Plus(o Metrics) Metrics {
	return Metrics{m.M + o.M, m.N + o.N, m.Equal + o.Equal, m.Different + o.Different,
		m.GapA + o.GapA, m.GapB + o.GapB, m.SkewEnd + o.SkewEnd}
}

// Scores of a column.
const (
	equalScore     = 2
	differentScore = -1
	gapScore       = -1
)

// Score returns the sum of the scores of all pairs and of all calls without a partner.
func (m Metrics) Score() int64 {
	return equalScore*m.Equal + differentScore*m.Different + gapScore*(m.GapA+m.GapB)
}

// ScoreMax returns the score of two equal sequences as long as the longer side.
func (m Metrics) ScoreMax() int64 { return equalScore * max(m.M, m.N) }

// ScoreMin returns the score of a flat alignment that pairs nothing equal. A hierarchical one,
// which leaves out whole subtrees, may score less.
func (m Metrics) ScoreMin() int64 {
	return differentScore*min(m.M, m.N) + gapScore*max(m.M-m.N, m.N-m.M)
}

// Ratio returns Score/ScoreMax, 1 for two empty sequences.
func (m Metrics) Ratio() float64 {
	if m.ScoreMax() == 0 {
		return 1
	}
	return float64(m.Score()) / float64(m.ScoreMax())
}

// Similarity returns the ratio brought from [−0.5, 1] to [0, 1] and clamped, since a hierarchical
// alignment may score less than ScoreMin.
func (m Metrics) Similarity() float64 { return min(max((m.Ratio()+0.5)/1.5, 0), 1) }

// Dice returns 2·equal/(M+N), 1 for two empty sequences.
func (m Metrics) Dice() float64 {
	if m.M+m.N == 0 {
		return 1
	}
	return 2 * float64(m.Equal) / float64(m.M+m.N)
}
