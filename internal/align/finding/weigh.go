package finding

import "math"

// What the pairs of a function come to.
//
// Once it is known how pairs vary, each function's pairs are gone through once more (weighAll).
// What they come to is kept with the function (weighed); what is summed up over functions is summed
// up by batches of them, and then over the batches (batchSums). Everything that depends on these
// sums (the excess v, the drift) is a factor of what a function keeps, and comes in where that is
// used.
//
// Squares of spreads are compared with squares of distances, which saves two roots a pair.

// weighed is what the pairs of a function come to, in ns.
type weighed struct {
	sum      float64 // Σ d over all pairs
	self     float64 // Σ a
	bulk     float64 // Σ d and Σ pace·a without outliers
	base     float64
	squares  float64 // of the deviation of bulk by its calls, if pairs vary as their spread says
	uneven   float64 // √Σw², of which the drift makes a deviation of the logarithm of the ratio
	ordinary int     // pairs without outliers
	strange  [2]strange
	alike    [2]int // pairs by the sign of d
	largest  [2]twin
	most     [2]float64
	where    *inBlocks // only of functions that have outliers
}

// inBlocks is where in the run pairs lie.
type inBlocks struct {
	all     [blocks]weight
	strange [2][blocks]int64 // outliers, by direction
}

// batchSums sums up a batch of functions.
type batchSums struct {
	squares  float64            // Σ u² of pairs that are no outliers, in spreads
	ordinary int                // their number
	self     [2][blocks]float64 // what they should take in B, and do; ns
	stalls   float64            // Σ d² of the outliers, ns²
	where    inBlocks
}

// deviationOf returns the standard deviation of the bulk of a function by its calls, ns.
func (n *noise) deviationOf(v *weighed) float64 { return math.Sqrt(n.excess * v.squares) }

// driftOf returns that of the logarithm of the ratio of its bulk, by the drift of the run.
func (n *noise) driftOf(v *weighed) float64 { return n.drift * v.uneven / max(v.base, 1) }

// weighAll sums up the pairs of all functions.
func (n *noise) weighAll(efforts []*effort) []*batchSums {
	of := make([]*batchSums, len(batchesOf(efforts))-1)
	for k := range of {
		of[k] = &batchSums{}
	}
	_ = n.s.inBatches(efforts, func(k int, run []*effort) { // a cancelled context shows later
		for _, e := range run {
			n.weigh(e, of[k])
		}
	})
	return of
}

// scales are what the pairs of one function are measured by.
type scales struct {
	n       *noise
	pace    float64
	tick    float64
	median  float64
	squares [magnitudes]float64 // of the spread of u, by octave of a pair's time
}

func (n *noise) scales(e *effort) *scales {
	w := &scales{n: n, pace: n.s.report.Pace, tick: n.s.tickNs, median: e.law.median}
	for m, sigma := range n.spread {
		if e.law.spread >= 0 {
			sigma = max(e.law.spread, sigma/2)
		}
		w.squares[m] = sigma * sigma
	}
	return w
}

// square returns the square of the deviation of u of a pair. A clock counts whole ticks.
func (w *scales) square(a float64) float64 {
	q := w.tick / (a + w.tick)
	return w.squares[magnitudeOf(a)] + q*q
}

// outlier returns how a pair stands out of its function: −1 if A takes long, 1 if B does, 0 if it
// does not.
func (w *scales) outlier(a, b float64) int {
	u := w.n.off(a, b) - w.median
	switch {
	case u*u <= outlying*outlying*w.square(a):
		return 0
	case u > 0:
		return 1
	}
	return -1
}

// weigh sums up the pairs of a function, and adds them to the sums of its batch.
func (n *noise) weigh(e *effort, sums *batchSums) {
	v, w, where := &e.v, n.scales(e), inBlocks{}
	var base, after [blocks]float64
	squares := 0.0
	for k := range e.parts {
		e.parts[k].change, e.parts[k].self = 0, 0
	}
	for c := range e.chunks {
		change, self, blockOf := c.change, c.self, c.blocks()
		logs := c.logs[:len(c.a)]
		ratioLogs(logs, c.a, c.b, w.pace, w.tick)
		for p, a := range c.a {
			b, block := c.b[p], blockOf[p]&(blocks-1)
			scaled := w.pace * a
			d := b - scaled
			change += d
			self += a
			if d > 0 {
				v.addSign(n.s, 1, d, c, p)
			} else if d < 0 {
				v.addSign(n.s, 0, -d, c, p)
			}
			at := &where.all[block]
			at.calls++
			at.ns += min(a, b)
			u, square := logs[p]-w.median, w.square(a)
			if u*u > outlying*outlying*square {
				to := toInt(u > 0)
				v.strange[to].addPair(a, b, math.Abs(d))
				where.strange[to][block]++
				continue
			}
			squares += u * u / square
			v.bulk += d
			v.ordinary++
			base[block] += scaled
			after[block] += b
			if scaled != a {
				square = w.square(scaled)
			}
			time := max(scaled, w.tick)
			own := square * time * time
			if square > loose*loose {
				own = max(own, d*d) // the change itself says more
			}
			v.squares += own
		}
		c.change, c.self = change, self
	}
	for _, p := range e.parts {
		v.sum += p.change
		v.self += p.self
	}
	v.endWeighing(&where, &base)
	sums.add(v, &where, squares, math.Exp(w.median), &base, &after)
}

// addSign counts a pair that changes by so many ns in a direction.
func (v *weighed) addSign(s *study, to int, ns float64, c *chunk, p int) {
	v.alike[to]++
	if ns > v.most[to] {
		v.most[to], v.largest[to] = ns, s.twin(c, p)
	}
}

func (v *weighed) endWeighing(where *inBlocks, base *[blocks]float64) {
	sum := 0.0
	for _, a := range base {
		v.base += a
		sum += a * a
	}
	v.uneven = math.Sqrt(sum)
	if v.strange[0].count+v.strange[1].count > 0 {
		kept := *where
		v.where = &kept
	}
}

// add adds a function: where its pairs are, the squares of their u, by what factor its median says
// that they should take longer, and what they take by block.
func (q *batchSums) add(v *weighed, where *inBlocks, squares, factor float64, base, after *[blocks]float64) {
	q.squares += squares
	q.ordinary += v.ordinary
	q.stalls += v.strange[0].squares + v.strange[1].squares
	for k := range base {
		q.self[0][k] += base[k] * factor
		q.self[1][k] += after[k]
		q.where.all[k].add(where.all[k])
		q.where.strange[0][k] += where.strange[0][k]
		q.where.strange[1][k] += where.strange[1][k]
	}
}
