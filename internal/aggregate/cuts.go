package aggregate

// Cuts returns the best cuts in time alone of one node, over slices from..to, inclusive: a list of
// aggregates of the node that follow one another. The criterion and the rule for ties are those of
// Best. It takes time in proportion to the square of the number of slices.
func (q *Quality) Cuts(node, from, to int, p float64) []Aggregate {
	gain, loss := q.gain[node], q.loss[node]
	perGain, perLoss := p*q.scale.gain, (1-p)*q.scale.loss
	best := make([]pick, to-from+2) // of the slices before from+i
	first := make([]int, to-from+2) // where the last aggregate of them begins
	for i := from; i <= to; i++ {
		before := best[i-from] // final, since all that ends before i has been tried
		for j := i; j <= to; j++ {
			k, end := q.at[i]+j, j-from+1
			value := before.value + perGain*gain[k] - perLoss*loss[k]
			if i > from && value < best[end].value-tie {
				continue
			}
			x := pick{value, before.gain + q.scale.gain*gain[k], before.count + 1}
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
