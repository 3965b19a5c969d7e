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
	spreads [magnitudes]float64 // squares of the spread of u, by octave of a pair's time
}

func (n *noise) scales(e *effort) *scales {
	w := &scales{n: n, pace: n.s.report.Pace, tick: n.s.tickNs, median: e.law.median}
	for m, sigma := range n.spread {
		if e.law.spread >= 0 {
			sigma = max(e.law.spread, sigma/2)
		}
		w.spreads[m] = sigma * sigma
	}
	return w
}

// squareAt returns the square of the spread of u of pairs that take about as long.
func (w *scales) squareAt(a float64) float64 { return w.spreads[magnitudeOf(a)] }

// square returns the square of the deviation of u of a pair. A clock counts whole ticks.
func (w *scales) square(a float64) float64 {
	q := w.tick / (a + w.tick)
	return w.squareAt(a) + q*q
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

// weighing is a function that is being weighed.
type weighing struct {
	*scales
	v           *weighed
	where       inBlocks
	base, after [blocks]float64 // by block of the run, of pairs that are no outliers
	squares     float64         // Σ u² of these, in spreads
}

// weigh sums up the pairs of a function, and adds them to the sums of its batch.
func (n *noise) weigh(e *effort, sums *batchSums) {
	w := weighing{scales: n.scales(e), v: &e.v}
	for k := range e.parts {
		e.parts[k].change, e.parts[k].self = 0, 0
	}
	for c := range e.chunks {
		w.addChunk(c)
	}
	for _, p := range e.parts {
		e.v.sum += p.change
		e.v.self += p.self
	}
	e.v.endWeighing(&w.where, &w.base)
	sums.add(&e.v, &w.where, w.squares, math.Exp(w.median), &w.base, &w.after)
}

// addChunk adds some pairs. Those of a block of the run stand together: each such stretch is added
// by itself.
func (w *weighing) addChunk(c *chunk) {
	logs, ticks, scaledTicks := c.lists()
	ratioLogs(logs, c.a, c.b, w.pace, w.tick)
	tickSquares(ticks, c.a, 1, w.tick)
	if w.pace != 1 {
		tickSquares(scaledTicks, c.a, w.pace, w.tick)
	} else {
		scaledTicks = ticks
	}
	for block, from := 0, 0; from < len(c.calls); {
		next, to := int32(0), from+1
		block, next = c.of.blockOf(c.calls[from], block)
		for to < len(c.calls) && c.calls[to] < next {
			to++
		}
		w.addStretch(c, block, from, to)
		from = to
	}
}

// addStretch adds pairs [from, to) of a chunk, which are in one block of the run. What is summed up
// stays in variables meanwhile, since this is done to every pair.
func (w *weighing) addStretch(c *chunk, block, from, to int) {
	v, n := w.v, to-from
	as, bs := c.a[from:to], c.b[from:to][:n]
	logs, ticks, scaledTicks := c.list[0][from:to][:n], c.list[1][from:to][:n], c.list[2][from:to][:n]
	if w.pace == 1 {
		scaledTicks = ticks
	}
	change, self, bulk, own := c.change, c.self, v.bulk, v.squares
	base, after, squares := w.base[block], w.after[block], w.squares
	shorter, up, down, strange := 0.0, 0, 0, 0
	for p, a := range as {
		b := bs[p]
		scaled := w.pace * a
		d := b - scaled
		change += d
		self += a
		up, down = up+toInt(d > 0), down+toInt(d < 0)
		if d > v.most[1] {
			v.most[1], v.largest[1] = d, w.n.s.twin(c, from+p)
		}
		if -d > v.most[0] {
			v.most[0], v.largest[0] = -d, w.n.s.twin(c, from+p)
		}
		shorter += min(a, b)
		u, square := logs[p]-w.median, w.squareAt(a)+ticks[p]
		if u*u > outlying*outlying*square {
			to := toInt(u > 0)
			v.strange[to].addPair(a, b, math.Abs(d))
			w.where.strange[to][block]++
			strange++
			continue
		}
		squares += u * u / square
		bulk += d
		base += scaled
		after += b
		square = w.squareAt(scaled) + scaledTicks[p]
		time := max(scaled, w.tick)
		self := square * time * time
		if square > loose*loose && d*d > self {
			self = d * d // the change itself says more
		}
		own += self
	}
	c.change, c.self, v.bulk, v.squares = change, self, bulk, own
	w.base[block], w.after[block], w.squares = base, after, squares
	v.alike[1], v.alike[0] = v.alike[1]+up, v.alike[0]+down
	v.ordinary += n - strange
	w.where.all[block].add(weight{float64(n), shorter})
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
