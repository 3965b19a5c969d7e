package trend

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"diptych/internal/batch"
)

// leastShare is the share of a commit's work that a function must have at some commit to be tested:
// the fewer are tested, the more is found. The choice does not look at when that was, so it makes
// no false claims (Bourgon, Gentleman, Huber 2010).
const leastShare = 0.001

// listed is how many series are told, unless more have changed.
const listed = 24

// trend returns what is known without any analysis.
func (h *history) trend() *Trend {
	return &Trend{Method: method, Unit: h.unit, Commits: h.commits, Pairs: len(h.common),
		LeftOut: append([]LeftOut{}, h.leftOut...), FixedA: h.fixedA, Functions: len(h.series) - totals,
		Enough:     len(h.list) >= Least,
		LeastShare: leastShare, FalseClaims: alpha, LeastCommits: leastSegment,
		TooLarge: h.tooLarge(), Changes: []Change{}, Drifts: []Drift{}}
}

// tooLarge counts the sums that were cut: of a function, a side and a commit each.
func (h *history) tooLarge() (n int) {
	for _, s := range h.series {
		for k := range s.ANs {
			for _, sum := range []int64{s.ANs[k], s.BNs[k]} {
				if sum == math.MaxInt64 || sum == math.MinInt64 {
					n++
				}
			}
		}
	}
	return n
}

// worthTesting returns the totals, and the functions that matter by their time, by name: their
// order must not depend on that of the tables.
func (h *history) worthTesting() []*Series {
	work := h.series[1]
	var list []*Series
	for _, s := range h.series[totals:] {
		for k := range h.list {
			if above(s.ANs[k], work.ANs[k]) || above(s.BNs[k], work.BNs[k]) {
				list = append(list, s)
				break
			}
		}
	}
	slices.SortFunc(list, func(x, y *Series) int { return strings.Compare(x.Function, y.Function) })
	return slices.Concat(h.series[:totals], list)
}

func above(self, work int64) bool { return self > 0 && float64(self) >= leastShare*float64(work) }

// logarithms returns what is measured of the series. Nothing counts as 1 ns.
func logarithms(list []*Series, of Measure) [][]float64 {
	all := make([][]float64, len(list))
	for i, s := range list {
		all[i] = make([]float64, len(s.ANs))
		for k := range s.ANs {
			all[i][k] = logarithm(s.ANs[k], s.BNs[k], of)
		}
	}
	return all
}

func logarithm(a, b int64, of Measure) float64 {
	x, y := math.Log(float64(max(a, 1))), math.Log(float64(max(b, 1)))
	switch of {
	case OfA:
		return x
	case Ratio:
		return y - x
	}
	return y
}

// level returns the value of a logarithm: ns or a ratio.
func (t *Trend) level(logarithm float64) float64 {
	v := math.Exp(logarithm)
	if t.Measure != Ratio && v < 1.5 { // 0 counted as 1
		return 0
	}
	return v
}

// levelOf returns the value of a level over the commits [from, to). Where B has nothing, a ratio is
// 0.
func (t *Trend) levelOf(s *Series, from, to int, logarithm float64) float64 {
	if t.Measure == Ratio && slices.Max(s.BNs[from:to]) <= 0 {
		return 0
	}
	return t.level(logarithm)
}

// tell adds what is claimed of the series.
func (t *Trend) tell(list []*Series, shapes []*shape) {
	for i, s := range list {
		of := shapes[i]
		s.Outliers, s.Levels = []int{}, []Level{}
		for _, k := range of.Outliers {
			s.Outliers = append(s.Outliers, k+1)
		}
		for k := range s.ANs {
			s.DeltaNs = append(s.DeltaNs, batch.Plus(s.BNs[k], -max(s.ANs[k], -math.MaxInt64)))
		}
		if of.Drift != nil {
			t.Drifts = append(t.Drifts, t.drift(s, of.Drift))
			continue
		}
		t.addSteps(s, of)
	}
	slices.SortStableFunc(t.Changes, func(x, y Change) int {
		return cmp.Compare(math.Abs(y.ChangeNs), math.Abs(x.ChangeNs))
	})
	slices.SortStableFunc(t.Drifts, func(x, y Drift) int {
		return cmp.Compare(math.Abs(y.ChangeNs), math.Abs(x.ChangeNs))
	})
	t.list(list)
}

// addSteps adds the levels of a series and its changes.
func (t *Trend) addSteps(s *Series, of *shape) {
	from := 0
	for _, st := range of.Steps {
		before, after := t.levelOf(s, st.From, st.At, st.Before), t.levelOf(s, st.At, st.To, st.After)
		s.Levels = append(s.Levels, Level{from + 1, st.At, before})
		from = st.At
		c := Change{Kind: s.Kind, Function: s.Function, Commit: st.At + 1, Name: t.Commits[st.At].Name,
			Earliest: st.Earliest + 1, Latest: st.Latest + 1, Before: before, After: after, Q: st.Q,
			step: st}
		c.Factor, c.ChangeNs = t.size(s, c.Before, c.After, st.From, st.To)
		t.Changes = append(t.Changes, c)
	}
	if n := len(of.Clean); n > 0 {
		s.Levels = append(s.Levels, Level{from + 1, n, t.levelOf(s, from, n, mean(of.Clean[from:]))})
	}
}

func (t *Trend) drift(s *Series, l *line) Drift {
	d := Drift{Kind: s.Kind, Function: s.Function, First: t.level(l.First), Last: t.level(l.Last), Q: l.Q}
	d.Factor, d.ChangeNs = t.size(s, d.First, d.Last, 0, len(s.ANs))
	return d
}

// size returns how large a change of level is: the factor, 0 if a level is nothing, and the time. A
// ratio's time is that of side A over the commits [from, to) times the difference.
func (t *Trend) size(s *Series, before, after float64, from, to int) (factor, ns float64) {
	if before > 0 {
		factor = after / before
	}
	ns = after - before
	if t.Measure == Ratio {
		sum := 0.0
		for _, a := range s.ANs[from:to] {
			sum += float64(a)
		}
		ns *= sum / float64(to-from)
	}
	return factor, ns
}

// list chooses the series that are told: the totals, what has changed or drifted in the order of
// that, and then the functions with the most time.
func (t *Trend) list(all []*Series) {
	rank := map[string]int{}
	note := func(kind Kind, function string) {
		if _, ok := rank[function]; !ok && kind == Function {
			rank[function] = len(rank)
		}
	}
	for _, c := range t.Changes {
		note(c.Kind, c.Function)
	}
	for _, d := range t.Drifts {
		note(d.Kind, d.Function)
	}
	order := slices.Clone(all[totals:])
	slices.SortStableFunc(order, func(x, y *Series) int {
		i, changedX := rank[x.Function]
		j, changedY := rank[y.Function]
		switch {
		case changedX && changedY:
			return cmp.Compare(i, j)
		case changedX:
			return -1
		case changedY:
			return 1
		}
		return cmp.Compare(y.time(), x.time())
	})
	most := min(max(listed-totals, len(rank)), len(order))
	for _, s := range slices.Concat(all[:totals], order[:most]) {
		t.Series = append(t.Series, *s)
	}
}

// time returns the time of a series over both sides and all commits.
func (s *Series) time() (sum float64) {
	for k := range s.ANs {
		sum += float64(s.ANs[k]) + float64(s.BNs[k])
	}
	return sum
}
