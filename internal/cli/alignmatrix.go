package cli

import (
	"cmp"
	"slices"

	"github.com/spf13/cobra"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/report"
)

// Bounds of the matrix of all thread pairs.
const (
	mostCompared = 64      // threads of each side, those with the most calls
	mostPartners = 1 << 26 // calls of pairs that are aligned together, 4 bytes each
)

// similarities aligns every thread of A with every one of B, some pairs at a time.
func similarities(cmd *cobra.Command, p *pair.Pair, o align.Options) (*report.AlignMatrix, error) {
	as, bs := busiest(p, pair.A), busiest(p, pair.B)
	m := &report.AlignMatrix{A: names(p, pair.A, as), B: names(p, pair.B, bs),
		Similarity: make([][]float64, len(as)), Omitted: report.Both[int]{
			A: withCalls(p, pair.A) - len(as), B: withCalls(p, pair.B) - len(bs)}}
	var batch []pair.ThreadPair
	row, calls := 0, 0
	flush := func() error {
		results, err := alignPairs(cmd, p, batch, o)
		for _, r := range results {
			if len(m.Similarity[row]) == len(bs) {
				row++
			}
			m.Similarity[row] = append(m.Similarity[row], r.Metrics().Similarity())
		}
		batch, calls = batch[:0], 0
		return err
	}
	for _, a := range as {
		for _, b := range bs {
			batch = append(batch, pair.ThreadPair{A: a, B: b})
			if calls += callsOf(p, pair.A, a) + callsOf(p, pair.B, b); calls >= mostPartners {
				if err := flush(); err != nil {
					return nil, err
				}
			}
		}
	}
	if len(batch) > 0 {
		return m, flush()
	}
	return m, nil
}

// busiest returns the threads of a side with the most calls, in order.
func busiest(p *pair.Pair, s pair.Side) []int {
	var out []int
	for k, th := range p.Trace(s).Threads {
		if th.Len() > 0 {
			out = append(out, k)
		}
	}
	slices.SortStableFunc(out, func(x, y int) int {
		return cmp.Compare(callsOf(p, s, y), callsOf(p, s, x))
	})
	out = out[:min(len(out), mostCompared)]
	slices.Sort(out)
	return out
}

func withCalls(p *pair.Pair, s pair.Side) (n int) {
	for _, th := range p.Trace(s).Threads {
		if th.Len() > 0 {
			n++
		}
	}
	return n
}

func names(p *pair.Pair, s pair.Side, threads []int) []string {
	out := []string{}
	for _, k := range threads {
		out = append(out, p.Trace(s).Threads[k].ID)
	}
	return out
}
