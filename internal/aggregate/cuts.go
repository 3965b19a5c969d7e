package aggregate

// Cuts returns the best cuts in time alone of one node, over slices from..to, inclusive: a list of
// aggregates of the node that follow one another. The criterion and the rule for ties are those of
// Best. It takes time in proportion to the square of the number of slices.
func (q *Quality) Cuts(node, from, to int, p float64) []Aggregate {
	weigh := q.criterion(p)
	best := make([]pick, to-from+2) // of the slices before from+i
	first := make([]int, to-from+2) // where the last aggregate of them begins
	for j := from; j <= to; j++ {
		end := j - from + 1
		for i := from; i <= j; i++ {
			x, before := weigh(node, q.at[i]+j), best[i-from]
			x = pick{before.value + x.value, before.gain + x.gain, before.count + 1}
			if i == from || x.beats(best[end]) {
				best[end], first[end] = x, i
			}
		}
	}
	cuts := make([]Aggregate, best[to-from+1].count)
	for j, at := to, len(cuts)-1; at >= 0; at-- {
		cuts[at] = Aggregate{node, first[j-from+1], j}
		j = cuts[at].From - 1
	}
	return cuts
}
