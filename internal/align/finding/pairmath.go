package finding

import "math"

// Arithmetic of many pairs at once.
//
// Whatever is done to each pair alone (chunks of pairs.go) is done here, list by list. Where the
// processor has AVX-512 it is done to eight pairs at a time, with the same operations in the same
// order and so to the same bits: each function leaves to a vector kernel (…AtOnce) as many pairs
// as that takes, and does the rest itself. What is summed up over pairs is not here, since sums are
// the same only if they are made in order.

// splitTimes sets a and b to the times of pairs, ns: A's are the low halves.
func splitTimes(a, b []float64, times []uint64) {
	a, b = a[:len(times)], b[:len(times)]
	for p := splitTimesAtOnce(a, b, times); p < len(times); p++ {
		a[p], b[p] = float64(uint32(times[p])), float64(times[p]>>32)
	}
}

// ratioLogs sets logs to ln((b + tick) / (pace·a + tick)) of each pair.
func ratioLogs(logs, a, b []float64, pace, tick float64) {
	a, b = a[:len(logs)], b[:len(logs)]
	for p := ratioLogsAtOnce(logs, a, b, pace, tick); p < len(logs); p++ {
		logs[p] = math.Log((b[p] + tick) / (pace*a[p] + tick))
	}
}

// geometricMeans sets means to √(a·b).
func geometricMeans(means, a, b []float64) {
	a, b = a[:len(means)], b[:len(means)]
	for p := geometricMeansAtOnce(means, a, b); p < len(means); p++ {
		means[p] = math.Sqrt(a[p] * b[p])
	}
}

// votesOf sets ratios to b/a, and shares to √(a·b)/of.
func votesOf(ratios, shares, a, b []float64, of float64) {
	n := len(ratios)
	shares, a, b = shares[:n], a[:n], b[:n]
	for p := votesOfAtOnce(ratios, shares, a, b, of); p < n; p++ {
		ratios[p], shares[p] = b[p]/a[p], math.Sqrt(a[p]*b[p])/of
	}
}

// tickSquares sets squares to (tick / (scale·a + tick))².
func tickSquares(squares, a []float64, scale, tick float64) {
	a = a[:len(squares)]
	for p := tickSquaresAtOnce(squares, a, scale, tick); p < len(squares); p++ {
		q := tick / (scale*a[p] + tick)
		squares[p] = q * q
	}
}

// distances replaces each number by how far it is from a middle.
func distances(list []float64, middle float64) {
	for k := distancesAtOnce(list, middle); k < len(list); k++ {
		list[k] = math.Abs(list[k] - middle)
	}
}

// binsOf sets bins to list/step, rounded down, of numbers from 0 on.
func binsOf(bins []int64, list []float64, step float64) {
	list = list[:len(bins)]
	for k := binsOfAtOnce(bins, list, step); k < len(bins); k++ {
		bins[k] = int64(list[k] / step)
	}
}

// countAround counts the numbers of a list by where they lie: below low, at low, and at high, where low
// is at most high. It copies those between both to inner, which is as long as the list, and
// returns how many these are.
func countAround(list, inner []float64, low, high float64) (below, atLow, atHigh, between int) {
	from, below, atLow, atHigh, between := countAroundAtOnce(list, inner, low, high)
	for _, x := range list[from:] {
		below += toInt(x < low)
		atLow += toInt(x == low)
		atHigh += toInt(x == high)
		inner[between] = x
		between += toInt(x > low && x < high)
	}
	return below, atLow, atHigh, between
}
