package aggregate

import "math"

// solveLeaf finds the best partitions of a leaf. Most threads live for a part of the time, and
// have no value in all other slices. They are solved for their active slices alone, and for cuts at
// edges, where it is certain that all else follows from these, and for all slices elsewhere.
func (s *solver) solveLeaf(node int, b *best) {
	if c := s.q.columns[node]; s.q.op == Sum {
		b.reset(c.on, s.q.ones[:len(c.on)], 1)
		if s.solveActive(c, b) {
			return
		}
	}
	b.reset(s.q.all, s.q.ones, 1)
	s.solve(node, b, nil)
}

// solveActive makes the comparisons of solve, in the same order, for the active slices of a leaf.
// It reports whether these tell, to the last bit, what solve finds for all pairs of slices i to
// j. Let a be the first active slice from i on, and e the last one up to j:
//
//   - If i is empty, what is before a is cut off: starts makes sure that this is better than any
//     aggregate from i on. So solve takes the cut before a when it comes to it. It takes none
//     after it, since their first pieces are better cut before a, too. All is as from a on, with
//     one aggregate more.
//   - If j is empty, what is behind e is cut off likewise. finishes makes sure of it.
//
// Hence first pieces end at active slices, and the rest behind a gap has one aggregate more.
func (s *solver) solveActive(c *column, b *best) bool {
	n, last := len(c.on), len(c.ends)
	s.fell = false
	edges := s.edges(c)
	edge := len(edges)
	var row pairs
	for i := n - 1; i >= 0; i-- {
		row.set(&b.pairs, c.row(i)+i, c.row(i)+n)
		logs := s.logsFrom(c, i, n-1)
		s.wholesOn(c, i, 0, logs, row.value, row.gain)
		s.begin(&row)
		for last > 0 && int(c.ends[last-1]) >= i {
			last--
		}
		for edge > 0 && int(edges[edge-1]) >= i {
			edge--
		}
		sure := 0
		if len(edges)-edge > fewEdges {
			run := n - i // slices that follow one another
			if last < len(c.ends) {
				run = int(c.ends[last]) - i + 1
			}
			sure = s.sureOf(c, i, run, 0, logs)
		}
		s.cutActive(c, i, sure, edges[edge:], b, &row)
		if !s.finishes(c, i, edges[edge:], c.ends[last:], b, &row) || !s.starts(c, i, &row) {
			return false
		}
		s.own, s.before = s.before, s.own
	}
	return true
}

// logsFrom returns the logarithms of how many slices there are from an active one to each later
// one, up to the last.
func (s *solver) logsFrom(c *column, i, last int) []float64 {
	on := c.on[i : last+1]
	if int(on[len(on)-1]-on[0]) == len(on)-1 {
		return s.q.logs[1:]
	}
	for k, slice := range on {
		s.lengths[k] = s.q.logs[slice-on[0]+1]
	}
	return s.lengths
}

// fewEdges is how many cuts are rather tried than ruled out.
const fewEdges = 6

// cutActive is cut for active slices, behind some edges.
func (s *solver) cutActive(c *column, i, sure int, edges []uint16, b *best, row *pairs) {
	n := len(row.value)
	if sure == n {
		return
	}
	at := c.row(i+1) + i
	later := b.value[at+1 : at+n] // by k: the best partitions from i+1 to i+k+1
	bounded := !s.fell && len(edges) > fewEdges
	if bounded {
		s.bound(c, i, sure, b, row, later)
	}
	var rest pairs
	for _, e := range edges {
		k := int(e) - i
		j := max(k+1, sure)
		if k == n-1 || s.choice[k] >= 0 ||
			bounded && !s.fell && k > 0 && row.value[k]-later[k-1] < s.least[j] {
			continue
		}
		at := c.row(i+k+1) + i
		rest.set(&b.pairs, at+j, at+n)
		s.put(row, k, &rest, j, int16(i+k), c.gap(i+k))
	}
}

// bound finds which cuts of slices i to j can't be the best for any j. Let V be the values of the
// best partitions. A cut behind c gives V(i,c) + V(c+1,j). As V(i+1,c) + V(c+1,j) is no more than
// V(i+1,j), that is no more than V(i,c) − V(i+1,c) + V(i+1,j). So the cut is not tried if V(i,c)
// − V(i+1,c) is less than V(i,j) − V(i+1,j) for all j behind c. Some of V(i,j) is known before:
// one aggregate, a cut behind i, and the cut that is best from i+1 on. Where few aggregates are
// best, nearly all cuts are left out.
//
// V is less than the optimum by up to a tie for each slice, since a better cut is not taken if it
// is not better by a tie. And a cut that is left out might have been taken for a while, and kept
// others away that are better by less than a tie, once for each of them. So the difference has to
// be three ties for each slice and some more. It would not do if ever a cut was taken that is
// worse, for fewer aggregates; then all cuts are tried from the next slice on.
func (s *solver) bound(c *column, i, sure int, b *best, row *pairs, later []float64) {
	wholes := row.value // no cut is tried yet
	least, margin := math.Inf(1), float64(3*len(later)+10)*tie
	for k := len(later); k >= max(sure, 1); k-- {
		v := max(wholes[k], wholes[0]+later[k-1])
		if cut := int(s.before[k-1]); cut >= 0 {
			v = max(v, wholes[cut-i]+b.value[c.row(cut+1)+i+k])
		}
		least = min(least, v-later[k-1])
		s.least[k] = least - margin
	}
}

// gap returns 1 if the slice behind an active one is empty, else 0.
func (c *column) gap(i int) int32 {
	if c.on[i+1] > c.on[i]+1 {
		return 1
	}
	return 0
}

// reach returns the criterion of an aggregate of active slices i to e, and of so many slices in
// all.
func (s *solver) reach(c *column, i, e int, logLeaves float64, slices int) float64 {
	gain := c.gains(i)[e-i]
	loss := (c.mass[e+1]-c.mass[i])*(logLeaves+s.q.logs[slices]) - gain
	loss *= s.perLoss
	return s.perGain*gain - loss
}

// starts reports whether the best partitions that begin with active slice i are better than
// aggregates that begin with an empty slice before it, if there is one. The more such slices, the
// worse these are.
func (s *solver) starts(c *column, i int, row *pairs) bool {
	if first := c.on[i]; first == 0 || i > 0 && c.on[i-1]+1 == first {
		return true
	}
	for k, v := range row.value {
		if !(v > s.reach(c, i, i+k, 0, int(c.on[i+k]-c.on[i])+2)+tie) {
			return false
		}
	}
	return true
}

// finishes reports whether the best partitions of active slice i to those at the ends are better
// than aggregates that end with an empty slice behind these. The aggregate is what solve begins
// with, so it must also find the same cuts when it begins with something worse.
func (s *solver) finishes(c *column, i int, edges, ends []uint16, b *best, row *pairs) bool {
	for _, e := range ends {
		k := int(e) - i
		least := s.reach(c, i, int(e), 0, int(c.on[e]-c.on[i])+2) + tie
		if !(row.value[k] > least) || s.choice[k] >= 0 && !s.sameCut(c, i, k, least, edges, b, row) {
			return false
		}
	}
	return true
}

// sameCut reports whether the cuts of active slices i to i+k come to what is in the row if they
// begin with some least value or less, instead of the whole. What is much worse than the best may
// be taken or not before something good comes. That takes its place in any case if there is a wide
// gap between the two: what is bad can rise by a tie with each cut.
func (s *solver) sameCut(c *column, i, k int, least float64, edges []uint16, b *best,
	row *pairs) bool {
	good := row.value[k] - float64(k+4)*tie
	bad := good - float64(k+4)*tie
	if least > bad {
		return false
	}
	var now pick
	for _, e := range edges {
		j := int(e) - i
		if j >= k {
			break
		}
		if s.choice[j] >= 0 {
			continue
		}
		at := c.row(i+j+1) + i + k
		value := row.value[j] + b.value[at]
		if value < good {
			if value >= bad {
				return false
			}
			continue
		}
		x := pick{value, row.gain[j] + b.gain[at], row.count[j] + c.gap(i+j) + b.count[at]}
		if now.count > 0 && (row.value[j]+tie+b.value[at] < now.value ||
			x.value <= now.value+tie && (x.count > now.count ||
				x.count == now.count && x.gain <= now.gain+tie)) {
			continue
		}
		now = x
	}
	return now == pick{row.value[k], row.gain[k], row.count[k]}
}
