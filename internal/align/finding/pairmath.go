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

// paceSums are the votes of pairs on the pace: of all, and of those whose ratio is below some
// borders.
type paceSums struct {
	all   float64
	below [nearPace]float64
}

// addPaceSums adds pairs. What the sums are rounded by depends on how many pairs are added at once.
func addPaceSums(sums *paceSums, a, b []float64, borders *[nearPace]float64) {
	b = b[:len(a)]
	for p := paceSumsAtOnce(sums, a, b, borders); p < len(a); p++ {
		ratio, vote := b[p]/a[p], math.Sqrt(a[p]*b[p])
		sums.all += vote
		for k, border := range borders {
			if ratio < border {
				sums.below[k] += vote
			}
		}
	}
}

// distances replaces each number by how far it is from a middle.
func distances(list []float64, middle float64) {
	for k := distancesAtOnce(list, middle); k < len(list); k++ {
		list[k] = math.Abs(list[k] - middle)
	}
}

// spreadClasses sets classes to where spreads count pairs, given how far each is off: by octave of
// A's time and by distance. Pairs of a time of 0, which would pass for a clock without noise, are
// in noClass. It counts in still the pairs that are equal.
func spreadClasses(classes []int64, still *stillness, off, a, b []float64, tick float64) {
	off, a, b = off[:len(classes)], a[:len(classes)], b[:len(classes)]
	for p := spreadClassesAtOnce(classes, still, off, a, b, tick); p < len(classes); p++ {
		if a[p] == 0 || b[p] == 0 {
			classes[p] = noClass
			continue
		}
		bin := min(int64(off[p]/spreadStep), spreadBins-1)
		still.addPair(a[p], bin == 0, tick)
		classes[p] = int64(magnitudeOf(a[p]))*spreadBins + bin
	}
}

// pairWeights are what pairs of a function count, by pair (weigh.go).
type pairWeights struct {
	change  [chunkPairs]float64     // d, ns
	scaled  [chunkPairs]float64     // pace·a, ns
	shorter [chunkPairs]float64     // the shorter of both times, ns
	square  [chunkPairs]float64     // u², in spreads
	own     [chunkPairs]float64     // square of the deviation of d, ns²
	strange [chunkPairs / 64]uint64 // a bit for each outlier; square and own are not theirs
}

// pairSums are what pairs come to whose order does not matter: whole numbers, and the largest.
type pairSums struct {
	self  float64    // Σ a, ns
	alike [2]int     // pairs by the sign of d
	most  [2]float64 // |d|, ns, at most, by the sign of d
}

// weighPairs weighs pairs, given the logarithms of their ratios.
func (w *scales) weighPairs(to *pairWeights, a, b, logs []float64) (sums pairSums) {
	to.strange = [len(to.strange)]uint64{}
	b, logs = b[:len(a)], logs[:len(a)]
	for p := w.weighAtOnce(to, &sums, a, b, logs); p < len(a); p++ {
		x := a[p]
		scaled := w.pace * x
		d := b[p] - scaled
		to.change[p], to.scaled[p], to.shorter[p] = d, scaled, min(x, b[p])
		sums.self += x
		sums.alike[1] += toInt(d > 0)
		sums.alike[0] += toInt(d < 0)
		sums.most[1], sums.most[0] = max(sums.most[1], d), max(sums.most[0], -d)
		u, square := logs[p]-w.median, w.square(x)
		to.square[p] = u * u / square
		if u*u > outlying*outlying*square {
			to.strange[p/64] |= 1 << (p % 64)
		}
		square, time := w.square(scaled), max(scaled, w.tick)
		to.own[p] = square * time * time
		if square > loose*loose && d*d > to.own[p] {
			to.own[p] = d * d // the change itself says more
		}
	}
	return sums
}

// countBefore returns how many of some calls, which ascend, are before another.
func countBefore(calls []int32, before int32) int {
	n := countBeforeAtOnce(calls, before)
	for n < len(calls) && calls[n] < before {
		n++
	}
	return n
}

// countAround counts the numbers of a list by where they lie: below low, at low, and at high, where
// low is at most high. It copies those between both to inner, which is as long as the list, and
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
