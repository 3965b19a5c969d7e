package aggregate

import (
	"math"
	"slices"
)

// appendCuts appends the best cuts in time alone of an area. For each first slice, the last one
// first, it tries all ends of the first piece.
func (s *solver) appendCuts(list []Aggregate, a Aggregate) []Aggregate {
	c := s.q.columns[a.Node]
	if c == nil {
		return append(list, a)
	}
	if _, loss := s.q.raw(a.Node, a.From, a.To); s.q.op == Sum && loss*s.perLoss <= tie/2 {
		return append(list, a) // parts of it have no loss either
	}
	if first, last := int(c.first[a.From]), int(c.first[a.To+1])-1; s.q.op == Sum &&
		s.cutsOn(c, a, first, last) {
		return s.appendOn(list, c, a, first, last)
	}
	s.ends.put(a.To+1, pick{})
	for i := a.To; i >= a.From; i-- {
		n := a.To - i + 1
		if s.wholes(a.Node, i, a.To) == n {
			s.one(i, n)
		} else {
			s.tryEnds(nil, i, n)
		}
	}
	for i := a.From; i <= a.To; i = int(s.own[i]) + 1 {
		list = append(list, Aggregate{a.Node, i, int(s.own[i])})
	}
	return list
}

// cutsFrom makes room for the best cuts from each of so many first slices on.
func cutsFrom(n int) pairs {
	return pairs{make([]float64, n, n+lanes), make([]float64, n), make([]int32, n)}
}

func (x *pairs) put(i int, y pick) { x.value[i], x.gain[i], x.count[i] = y.value, y.gain, y.count }

// one makes n slices from i on one piece, the last one.
func (s *solver) one(i, n int) {
	s.ends.put(i, pick{s.values[n-1], s.gains[n-1], 1})
	s.own[i] = int16(i + n - 1)
}

// tryEnds tries the first n ends of a first piece from slice i on, and keeps the best. With a
// column, slices are its active ones, and those between are pieces.
func (s *solver) tryEnds(c *column, i, n int) {
	ends, last := &s.ends, i
	values, rest := s.values[:n], ends.value[i+1:i+1+n]
	end := func(k int) pick {
		x := pick{values[k] + rest[k], s.gains[k] + ends.gain[i+k+1], 1 + ends.count[i+k+1]}
		if c != nil && k+1 < n {
			x.count += c.gap(i + k)
		}
		return x
	}
	now := end(0)
	for k := 1; ; k++ {
		if k = nextNear(values, rest, k, now.value-tie); k >= n {
			break
		}
		if x := end(k); x.beats(now) {
			now, last = x, i+k
		}
	}
	ends.put(i, now)
	s.own[i] = int16(last)
}

// cutsOn finds the best cuts of an area with active slices first to last, at their edges, without
// trying to cut where others are: empty slices that follow one another are a piece. It reports
// whether it is certain that this is what all slices give. Pieces that reach into empty slices are
// worse, the more the further they do. They must be so much worse by the first empty slice that
// the rule for ties is out of play: what is there when such a piece is tried is up to a tie worse
// than the same piece without empty slices.
func (s *solver) cutsOn(c *column, a Aggregate, first, last int) bool {
	_, logLeaves := s.q.leaves(a.Node)
	behind := int(c.on[last]) < a.To
	s.ends.put(last+1, pick{})
	if behind {
		s.ends.count[last+1] = 1
	}
	gaps := behind // there is one behind i
	edges := s.edges(c)
	edge, _ := slices.BinarySearch(edges, uint16(last))
	for i := last; i >= first; i-- {
		gaps = gaps || i < last && c.gap(i) > 0
		if edge > 0 && int(edges[edge-1]) == i-1 {
			edge--
		} else if i > first {
			s.ends.value[i] = math.Inf(-1) // no piece begins here
			continue
		}
		n, logs := last-i+1, s.logsFrom(c, i, last)
		s.wholesOn(c, i, logLeaves, logs, s.values[:n], s.gains[:n])
		if !gaps && s.sureOf(c, i, n, logLeaves, logs) == n {
			s.one(i, n)
		} else {
			s.tryEnds(c, i, n)
		}
		for k := i; gaps && k <= last; k++ {
			if k == last && behind || k < last && c.gap(k) > 0 {
				longer := s.reach(c, i, k, logLeaves, int(c.on[k]-c.on[i])+2)
				if !(longer < s.values[k-i]-3*tie) {
					return false
				}
			}
		}
		if before := int(c.on[i]) - 1; i == first && before < a.From ||
			i > first && c.gap(i-1) == 0 {
			continue
		}
		for k := i; k <= last; k++ {
			longer := s.reach(c, i, k, logLeaves, int(c.on[k]-c.on[i])+2)
			if !(longer+s.ends.value[k+1] < s.ends.value[i]-tie) {
				return false
			}
		}
	}
	return true
}

// appendOn appends what cutsOn found.
func (s *solver) appendOn(list []Aggregate, c *column, a Aggregate, first, last int) []Aggregate {
	at := a.From
	for i := first; i <= last; i = int(s.own[i]) + 1 {
		if from := int(c.on[i]); from > at {
			list = append(list, Aggregate{a.Node, at, from - 1})
			at = from
		}
		to := int(c.on[s.own[i]])
		list = append(list, Aggregate{a.Node, at, to})
		at = to + 1
	}
	if at <= a.To {
		list = append(list, Aggregate{a.Node, at, a.To})
	}
	return list
}
