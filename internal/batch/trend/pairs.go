package trend

import (
	"context"
	"math"

	"diptych/internal/batch"
)

// How many pairs show a change. A pair shows it if its own level changes in the same direction by
// at least half as much, as a logarithm: of a step of 1.44×, if its own is at least 1.2×. The
// tables are read once more for that, as the times of all functions in all pairs are as large as
// the tables.

// evidence is what the pairs have of a change, each by its number among the common ones.
type evidence struct {
	*Change
	before, after []float64 // sums of logarithms over the commits of the old and the new level
	called        []bool
}

// countPairs sets the number of pairs that show each change.
func (h *history) countPairs(ctx context.Context, t *Trend) error {
	of := map[Kind]map[string][]*evidence{Elapsed: {}, Work: {}, Function: {}}
	var all []*evidence
	for i := range t.Changes {
		c := &t.Changes[i]
		e := &evidence{c, make([]float64, len(h.common)), make([]float64, len(h.common)),
			make([]bool, len(h.common))}
		of[c.Kind][c.Function] = append(of[c.Kind][c.Function], e)
		all = append(all, e)
	}
	if len(all) == 0 {
		return nil
	}
	h.meter.Expect(int64(len(h.list)))
	for k := range h.list {
		if err := h.gather(k, of); err != nil {
			return err
		}
		if err := h.meter.Add(ctx, 1); err != nil {
			return err
		}
	}
	for _, e := range all {
		e.count()
	}
	h.meter.Finish()
	return nil
}

// gather adds the rows of a commit to the evidence.
func (h *history) gather(k int, of map[Kind]map[string][]*evidence) error {
	for rows, err := range table[batch.PairRow](h.list[k], "pairs") {
		if err != nil {
			return err
		}
		for _, row := range rows {
			if pair, ok := h.pairOf[k][row.Number]; ok {
				h.addTo(of[Elapsed][""], k, pair, row.ElapsedANs, row.ElapsedBNs)
				h.addTo(of[Work][""], k, pair, row.WorkANs, row.WorkBNs)
			}
		}
	}
	for rows, err := range table[batch.FunctionRow](h.list[k], "functions") {
		if err != nil {
			return err
		}
		for i := range rows {
			row := &rows[i]
			if pair, ok := h.pairOf[k][row.Number]; ok {
				h.addTo(of[Function][row.Function], k, pair, row.SelfANs, row.SelfBNs)
			}
		}
	}
	return nil
}

// addTo adds a pair's times at a commit to the changes on either side of which the commit lies.
func (h *history) addTo(list []*evidence, k, pair int, a, b int64) {
	for _, e := range list {
		s := &e.step
		if k < s.From || k >= s.To {
			continue
		}
		e.called[pair] = true
		if v := logarithm(a, b, h.Measure); k < s.At {
			e.before[pair] += v
		} else {
			e.after[pair] += v
		}
	}
}

// count sets the numbers of pairs.
func (e *evidence) count() {
	s := &e.step
	whole := s.After - s.Before
	for pair, called := range e.called {
		if !called {
			continue
		}
		e.PairsOf++
		own := e.after[pair]/float64(s.To-s.At) - e.before[pair]/float64(s.At-s.From)
		if own*whole > 0 && math.Abs(own) >= math.Abs(whole)/2 {
			e.Pairs++
		}
	}
}
