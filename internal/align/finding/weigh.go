package finding

import (
	"math"
	"math/bits"
	"slices"
)

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
	where    *inBlocks    // only of functions that have outliers
	stretch  *inStretches // only of functions that take a part of the run
	shared   float64      // of bulk: what others change by in the same stretches of the run
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
	of          pairWeights     // the pairs of a chunk
}

// weigh sums up the pairs of a function, and adds them to the sums of its batch.
func (n *noise) weigh(e *effort, sums *batchSums) {
	w := weighing{scales: n.scales(e), v: &e.v}
	for k := range e.parts {
		e.parts[k].change, e.parts[k].self = 0, 0
	}
	for c := range e.cutTimes {
		w.addChunk(c)
	}
	for _, p := range e.parts {
		e.v.sum += p.change
		e.v.self += p.self
	}
	e.v.endWeighing(&w.where, &w.base)
	e.v.keepStretches(&w.base, &w.after, n.s.run)
	sums.add(&e.v, &w.where, w.squares, math.Exp(w.median), &w.base, &w.after)
}

// addChunk adds some pairs.
func (w *weighing) addChunk(c *chunk) {
	ratioLogs(c.logs(), c.a, c.b, w.pace, w.tick)
	sums := w.weighPairs(&w.of, c.a, c.b, c.logs())
	for to, most := range sums.most {
		w.v.alike[to] += sums.alike[to]
		if most > w.v.most[to] {
			w.v.most[to], w.v.largest[to] = most, c.twin(w.n.s, w.of.find(most, to))
		}
	}
	if len(c.cuts) == 1 {
		c.cuts[0].self += sums.self
		w.addCut(c, &c.cuts[0])
		return
	}
	for k := range c.cuts {
		cut := &c.cuts[k]
		for _, a := range c.a[cut.from:cut.to] {
			cut.self += a
		}
		w.addCut(c, cut)
	}
}

// twin returns pair p of a chunk with cuts.
func (c *chunk) twin(s *study, p int) twin {
	k := 0
	for int(c.cuts[k].to) <= p {
		k++
	}
	cut := &c.cuts[k]
	return s.twinOf(cut.k, cut.callsOf()[p-int(cut.from)], c.a[p], c.b[p])
}

// addCut adds the pairs of one part. Those of a block of the run stand together: each such stretch
// is added by itself.
func (w *weighing) addCut(c *chunk, of *cut) {
	begins, calls := &w.n.s.begins[of.k], of.callsOf()
	for block, from, last := begins.in, 0, len(calls)-1; from <= last; {
		next, to := int32(0), last+1
		if block, next = begins.blockOf(calls[from], block); calls[last] >= next {
			to = from + countBefore(calls[from:], next)
		}
		w.addStretch(c, of.part, block, from+int(of.from), to+int(of.from))
		from = to
	}
}

// find returns the first pair that changes by so many ns in a direction.
func (w *pairWeights) find(ns float64, to int) int {
	if to == 0 {
		ns = -ns
	}
	return slices.Index(w.change[:], ns)
}

// addStretch adds pairs [from, to) of a chunk, which are of one part and in one block of the run:
// those between two outliers at a time.
func (w *weighing) addStretch(c *chunk, of *part, block, from, to int) {
	least, strange, first := 0.0, 0, from
	for p := range w.of.outliers(from, to) {
		least = w.addOrdinary(c, of, block, first, p, least)
		of.change += w.of.change[p]
		least += w.of.shorter[p]
		w.addOutlier(c, block, p)
		strange, first = strange+1, p+1
	}
	least = w.addOrdinary(c, of, block, first, to, least)
	w.v.ordinary += to - from - strange
	w.where.all[block].add(weight{float64(to - from), least})
}

// outliers goes through the outliers among pairs [from, to).
func (w *pairWeights) outliers(from, to int) func(yield func(p int) bool) {
	return func(yield func(p int) bool) {
		for k := from / 64; 64*k < to; k++ {
			word := w.strange[k]
			if 64*k < from {
				word = word >> (from % 64) << (from % 64)
			}
			for ; word != 0; word &= word - 1 {
				if p := 64*k + bits.TrailingZeros64(word); p >= to || !yield(p) {
					return
				}
			}
		}
	}
}

// addOrdinary adds pairs [from, to) of a block, which are no outliers. It adds the shorter time of
// each to least, and returns that. Sums stay in variables meanwhile, since this is done to every
// pair.
func (w *weighing) addOrdinary(c *chunk, of *part, block, from, to int, least float64) float64 {
	v, n, each := w.v, to-from, &w.of
	bs := c.b[from:to]
	ds, scaled, shorter := each.change[from:to][:n], each.scaled[from:to][:n], each.shorter[from:to][:n]
	square, own := each.square[from:to][:n], each.own[from:to][:n]
	change, bulk, squares, owns := of.change, v.bulk, w.squares, v.squares
	base, after := w.base[block], w.after[block]
	for p, b := range bs {
		change += ds[p]
		least += shorter[p]
		squares += square[p]
		bulk += ds[p]
		base += scaled[p]
		after += b
		owns += own[p]
	}
	of.change, v.bulk, w.squares, v.squares = change, bulk, squares, owns
	w.base[block], w.after[block] = base, after
	return least
}

// addOutlier adds pair p of a chunk as an outlier.
func (w *weighing) addOutlier(c *chunk, block, p int) {
	to := toInt(c.logs()[p] > w.median)
	w.v.strange[to].addPair(c.a[p], c.b[p], math.Abs(w.of.change[p]))
	w.where.strange[to][block]++
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
