package align

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"diptych/internal/pair"
	"diptych/internal/progress"
)

// What alignments are summed up to: counts and similarity of thread pairs, and the table of
// functions. Both take time linear in the calls; the table goes through them on all processors,
// with a copy of its rows for each.

// Metrics are the numbers of calls of one thread pair, or of several together, in each state, and
// how similar that makes them (Weber et al., 4.1 and table 2).
type Metrics struct {
	M, N                         int64 // calls in A and in B
	Equal, Different, GapA, GapB int64 // numbers of pairs, and of calls without a partner
	SkewEnd                      int64 // how much longer A ran than B, ns; summed over thread pairs
}

// Metrics counts the states of r's calls. How many pairs there are is counted, and how many of them
// are equal follows from the score, without a look at their functions: an equal pair adds 3 more
// than a different one.
func (r *Result) Metrics() Metrics {
	m := Metrics{M: int64(len(r.Partner[pair.A])), N: int64(len(r.Partner[pair.B]))}
	for _, j := range r.Partner[pair.A] {
		m.GapB += int64(uint32(j) >> 31) // 1 for None
	}
	pairs := m.M - m.GapB
	rest := r.Score - gapScore*(m.M+m.N-2*pairs) - differentScore*pairs
	m.Equal = rest / (equalScore - differentScore)
	m.Different = pairs - m.Equal
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

// Difference is a row of the function time difference table (Weber et al., 4.4): what became of
// all calls of one function. Durations are in ns and include callees.
type Difference struct {
	ID    uint32 // identity, an index into pair.Pair.Names
	Pairs int64  // equal pairs
	// The pairs in which A is faster, and the time that it gains there; the pairs in which A is
	// slower, and the time that it loses there.
	PlusCount, PlusNs, MinusCount, MinusNs int64
	// Calls that only one side has, and their durations. Calls that are passed through count by
	// their self time, because their callees may have partners.
	OnlyA, OnlyB, OnlyANs, OnlyBNs int64
}

// Balance returns the time that A gains in all, ns; it is negative if A loses.
func (d *Difference) Balance() int64 { return d.PlusNs - d.MinusNs }

// Differences returns the table for alignments of one pair.Pair. It has a row for each function
// that has equal pairs, or calls on one side only. Rows are sorted by what A gains or loses in
// all, most first, then by the time of calls on one side only, then by name.
func Differences(ctx context.Context, results []*Result) ([]Difference, error) {
	if len(results) == 0 {
		return nil, nil
	}
	names := results[0].Pair.Names
	rows, err := tallyCalls(ctx, results, len(names))
	if err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(rows, func(d Difference) bool {
		return d.Pairs+d.OnlyA+d.OnlyB == 0
	})
	slices.SortFunc(rows, func(x, y Difference) int {
		return cmp.Or(cmp.Compare(magnitude(y.Balance()), magnitude(x.Balance())),
			cmp.Compare(y.OnlyANs+y.OnlyBNs, x.OnlyANs+x.OnlyBNs),
			cmp.Compare(names[x.ID], names[y.ID]))
	})
	return rows, nil
}

func magnitude(n int64) int64 { return max(n, -n) }

// piece is a range of one side's calls of a result.
type piece struct {
	r        *Result
	side     pair.Side
	from, to int
}

// tallyCalls returns a row for each identity. Each goroutine has rows of its own.
func tallyCalls(ctx context.Context, results []*Result, ids int) ([]Difference, error) {
	var pieces []piece
	for _, r := range results {
		for s := range r.Threads {
			for from, n := 0, len(r.Partner[s]); from < n; from += checkEvery {
				pieces = append(pieces, piece{r, pair.Side(s), from, min(from+checkEvery, n)})
			}
		}
	}
	rows := make([]Difference, ids)
	for id := range rows {
		rows[id].ID = uint32(id)
	}
	var mu sync.Mutex
	var parts [][]Difference
	err := progress.SpreadEach(ctx, len(pieces), func() func(int) error {
		part := make([]Difference, ids)
		mu.Lock()
		parts = append(parts, part)
		mu.Unlock()
		return func(k int) error { pieces[k].countCalls(part); return nil }
	})
	for _, part := range parts {
		for id := range rows {
			rows[id].addRow(&part[id])
		}
	}
	return rows, err
}

// countCalls adds the calls of a piece to the rows of their identities. Pairs are counted with A's
// calls.
func (p *piece) countCalls(rows []Difference) {
	th, other := p.r.Threads[p.side], p.r.Threads[p.side.Other()]
	passed := p.r.Passed[p.side]
	ids, others := p.r.Pair.IDs(p.side), p.r.Pair.IDs(p.side.Other())
	for k, j := range p.r.Partner[p.side][p.from:p.to] {
		if j != None && p.side == pair.B {
			continue // most of all: no look at the call
		}
		i := p.from + k
		d := &rows[ids[th.Fn[i]]]
		switch {
		case j == None && passed.Has(int32(i)):
			d.addPassed(p.side, th.Self(i))
		case j == None && p.side == pair.A:
			d.OnlyA, d.OnlyANs = d.OnlyA+1, d.OnlyANs+th.Dur(i)
		case j == None:
			d.OnlyB, d.OnlyBNs = d.OnlyB+1, d.OnlyBNs+th.Dur(i)
		case ids[th.Fn[i]] == others[other.Fn[j]]:
			d.addPair(th.Dur(i), other.Dur(int(j)))
		}
	}
}

// addPassed adds a call that is passed through, by its self time.
func (d *Difference) addPassed(s pair.Side, self int64) {
	if s == pair.A {
		d.OnlyA, d.OnlyANs = d.OnlyA+1, d.OnlyANs+self
	} else {
		d.OnlyB, d.OnlyBNs = d.OnlyB+1, d.OnlyBNs+self
	}
}

// addPair adds an equal pair with these durations.
func (d *Difference) addPair(a, b int64) {
	d.Pairs++
	switch {
	case a < b:
		d.PlusCount, d.PlusNs = d.PlusCount+1, d.PlusNs+b-a
	case a > b:
		d.MinusCount, d.MinusNs = d.MinusCount+1, d.MinusNs+a-b
	}
}

func (d *Difference) addRow(o *Difference) {
	d.Pairs += o.Pairs
	d.PlusCount += o.PlusCount
	d.PlusNs += o.PlusNs
	d.MinusCount += o.MinusCount
	d.MinusNs += o.MinusNs
	d.OnlyA += o.OnlyA
	d.OnlyB += o.OnlyB
	d.OnlyANs += o.OnlyANs
	d.OnlyBNs += o.OnlyBNs
}
