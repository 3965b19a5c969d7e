package aggregate

// solver finds the best partitions of one node at a time, for all pairs of slices, given those of
// its children. It takes one first slice i after another, the last one first, and all last slices j
// at once: it begins with the better of the whole and of each child for itself. Then, for c from i
// on, it tries to put the best partition of c+1 to j behind that of i to c. These are next to one
// another in memory by j.
//
// Three rules leave out cuts that can't be better than what is tried:
//
//   - The first piece i to c of a cut is not cut itself. If it is, the cut is found as one at the
//     end of its own first piece. Some cuts of each pair are left where there would be up to all
//     slices.
//   - With the operator Sum, a whole without loss is the best: no partition has more gain, and none
//     has fewer aggregates. The fewer slices the less loss, so these are the first j of an i.
//   - With the operator Sum, a first piece without any value ends where values begin. A piece that
//     ends earlier leaves such slices to the pieces behind it, where they change no gain, and add
//     to the loss or to the number of aggregates.
type solver struct {
	q                *Quality
	p                float64
	perGain, perLoss float64   // what gain and loss count for before they are normalised
	values           []float64 // of the whole, by slices behind the first
	gains            []float64
	lengths          []float64 // logarithms of numbers of slices, by active slices behind the first
	fell             bool      // a value was replaced by a lower one, for fewer aggregates
	least            []float64 // see bound
	choice           []int16   // as values: whole, split, or the last slice of the first piece
	own              []int16   // for choices that are not kept
	wholeAll         []int16   // whole, for each slice
	before           []int16   // the choices of the slice behind
	edgeList         []uint16  // see edges
	ends             pairs     // by first slice: the best cuts from there on
}

func newSolver(q *Quality, p float64) *solver {
	n := q.slices
	s := &solver{q: q, p: p, perGain: p * q.scale.gain, perLoss: (1 - p) * q.scale.loss,
		values: make([]float64, n, n+lanes), gains: make([]float64, n, n+lanes),
		lengths: make([]float64, n, n+lanes), least: make([]float64, n+1), ends: cutsFrom(n + 1),
		own: make([]int16, n), wholeAll: make([]int16, n), before: make([]int16, n)}
	for i := range s.wholeAll {
		s.wholeAll[i] = whole
	}
	return s
}

// solve replaces the sums of a node's children by what is best for the node. Without choice it is a
// leaf, and b holds nothing yet.
func (s *solver) solve(node int, b *best, choice []int16) {
	q := s.q
	extra := int32(0) // aggregates of children without any value
	if choice != nil {
		for _, c := range q.tree.children(node) {
			if q.columns[c] == nil {
				extra++
			}
		}
	}
	var row pairs
	for i := q.slices - 1; i >= 0; i-- {
		from, to := q.at[i]+i, q.at[i]+q.slices
		row.set(&b.pairs, from, to)
		sure := s.wholes(node, i, q.slices-1)
		if choice == nil {
			copy(row.value, s.values)
			copy(row.gain, s.gains)
			s.begin(&row)
		} else {
			s.choice = choice[from:to]
			s.beginInner(&row, extra)
		}
		s.cut(node, i, sure, b, &row)
	}
}

// wholes finds gain and criterion of the aggregates of a node that begin with slice i and end with
// one up to j. It returns how many of them are the best, whatever the partitions: the first ones.
func (s *solver) wholes(node, i, j int) (sure int) {
	q, c := s.q, s.q.columns[node]
	leaves, logLeaves := q.leaves(node)
	from := int(c.first[i])
	row, mass := c.gains(from), c.mass[from]
	if q.op == Sum && len(c.on) == q.slices {
		s.wholesOn(c, i, logLeaves, q.logs[1:], s.values[:j-i+1], s.gains[:j-i+1])
		return s.sureOf(c, i, j-i+1, logLeaves, q.logs[1:])
	}
	for k, end := range c.first[i+1 : j+2] {
		to := int(end)
		if to == from {
			s.values[k], s.gains[k] = 0, 0
			sure = k + 1
			continue
		}
		gain := row[to-1-from]
		loss := (c.mass[to]-mass)*(logLeaves+q.logs[k+1]) - gain
		if q.op == Mean {
			gain = c.mean(from, to, loss, leaves*float64(k+1))
		}
		loss *= s.perLoss
		s.values[k], s.gains[k] = s.perGain*gain-loss, q.scale.gain*gain
		if sure == k && loss <= tie/2 {
			sure++
		}
	}
	if q.op == Mean {
		return 0
	}
	return sure
}

// begin makes each pair one aggregate.
func (s *solver) begin(row *pairs) {
	s.choice = s.own[:len(row.count)]
	copy(row.count, s.q.ones)
	copy(s.choice, s.wholeAll)
}

// beginInner takes the better of the wholes and the sums of the children.
func (s *solver) beginInner(row *pairs, extra int32) {
	for k, gain := range s.gains[:len(row.count)] {
		x := pick{s.values[k], gain, 1}
		below := pick{row.value[k], row.gain[k], row.count[k] + extra}
		if s.choice[k] = whole; below.beats(x) {
			x, s.choice[k] = below, split
		}
		row.value[k], row.gain[k], row.count[k] = x.value, x.gain, x.count
	}
}

// cut tries the cuts of slices i to j for all j but the first, which are sure to be best as wholes.
func (s *solver) cut(node, i, sure int, b *best, row *pairs) {
	if sure == len(row.value) {
		return
	}
	q := s.q
	first := q.columns[node].first[i:]
	var rest pairs
	for c := range len(row.value) - 1 {
		if s.choice[c] >= 0 ||
			q.op == Sum && first[c+1] == first[0] && first[c+2] == first[c+1] {
			continue
		}
		j := max(c+1, sure)
		next, end := q.at[i+c+1]+i+j, q.at[i+c+1]+q.slices // slices i+c+1 to i+j and longer
		rest.set(&b.pairs, next, end)
		s.put(row, c, &rest, j, int16(i+c), 0)
	}
}

// put tries to put the partitions of the rest behind that of the row's slices up to c, which gives
// partitions of the row's slices up to j and longer. Between are so many more aggregates. The rule
// is that of pick.beats. Nearly all time goes here, so it is written out, in order of what decides
// most often.
func (s *solver) put(row *pairs, c int, rest *pairs, j int, choice int16, between int32) {
	n := len(rest.value)
	value, gain, count := row.value[c], row.gain[c], row.count[c]+between
	values, gains, counts := row.value[j:][:n], row.gain[j:][:n], row.count[j:][:n]
	restGains, restCounts, choices := rest.gain[:n], rest.count[:n], s.choice[j:][:n]
	x := pick{value, gain, count}
	if done, fell := putAtOnce(x, choice, rest, values, gains, counts, choices); done {
		s.fell = s.fell || fell
		return
	}
	least := value + tie
	for k, r := range rest.value {
		if least+r < values[k] {
			continue
		}
		x, pieces := value+r, count+restCounts[k]
		if x <= values[k]+tie && (pieces > counts[k] ||
			pieces == counts[k] && gain+restGains[k] <= gains[k]+tie) {
			continue
		}
		s.fell = s.fell || x < values[k]
		values[k], gains[k], counts[k], choices[k] = x, gain+restGains[k], pieces, choice
	}
}

// Cuts returns the best cuts in time alone of one node, over slices from..to, inclusive: a list of
// aggregates of the node that follow one another. The criterion and the rule for ties are those of
// Best. It takes time in proportion to the square of the number of slices.
func (q *Quality) Cuts(node, from, to int, p float64) []Aggregate {
	return newSolver(q, p).appendCuts(nil, Aggregate{node, from, to})
}
