package finding

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// How durations vary by chance.
//
// Two recordings of one program differ in every duration, in four ways that are measured on the
// pairs of all functions (efforts.go):
//
//   - Each call varies by itself. The law of a function is the median and the spread of
//     u = ln(b / pace·a) over its pairs; where it has few pairs, the spread is that of all calls
//     that take about as long. The median absolute deviation is hardly moved by calls that changed.
//   - Now and then a call takes a thousand times as long, because the system had something else to
//     do. Pairs farther off than `outlying` spreads are outliers. They are counted by direction.
//   - The machine drifts over the run: the pace of each block of the run differs.
//   - Functions differ from run to run as a whole, by the layout of memory for instance. What they
//     differ by beyond the first three, and beside what all do in the same stretches of the run
//     (stretches.go), is the sway. It is larger the farther the pace is from 1: a processor whose
//     other half is busy slows what waits for memory otherwise than what computes.
//
// So if a function with self times a of a spread σ changes by d, the deviation of its sum is
//
//	√( v·Σ(σa)² )                   by its calls
//	√( sway² + drift²·Σw² )         by the run: of the logarithm of its ratio
//
// w are the shares of its time by block; v says by how much pairs vary more than their spread
// says. For example, let 100 calls of 10 µs have a spread of 5 %, on a machine without sway or
// drift: the sum varies by 5 µs, so a change of 2 % of the 1 ms, 20 µs, is four deviations.
//
// Time is linear in the pairs: medians are selected, and the logarithms of a function's pairs are
// taken twice.

const (
	outlying   = 6 // spreads from which on a pair is an outlier
	enough     = 8 // pairs from which on a function has a spread of its own
	spreadBits = 11
	spreadBins = 1 << spreadBits // of |u − median|, in steps of 0.002
	spreadStep = 0.002
	magnitudes = 48 // octaves of self time, ns
	noClass    = magnitudes * spreadBins

	unknownSway = 0.05 // of too few functions to see theirs
	asThough    = 4    // and as though so many functions more had been seen, of that sway
	wellKnown   = 16   // functions, the fewest of which say by themselves what the sway is

	followUnevenly = 0.25 // of the logarithm of the pace, a deviation by which functions follow it
)

// law is how the pairs of a function vary.
type law struct {
	median float64 // of u; 0 where there are few pairs
	spread float64 // standard deviation of u from its own pairs, negative where there are few
}

// noise is how pairs of one sort vary by chance.
type noise struct {
	s       *study
	spread  [magnitudes]float64 // of u, by octave of A's self time
	excess  float64             // v
	sway    float64
	drift   float64
	pairs   int64
	inBlock [blocks]weight
	stalls  float64     // Σ d² of the outliers, ns²
	waits   bool        // the pairs last as long as others make them: outliers are no wonder
	quiet   bool        // hardly any pair varies: the clock is a simulator's
	strange [2]outliers // by direction: A takes long, B does
	widen   float64     // how few functions the sway rests on
}

// measureNoise measures how the pairs of these functions vary, and what they come to.
func (s *study) measureNoise(efforts []*effort) *noise {
	n := &noise{s: s, excess: 1, widen: 1}
	n.findSpreads(efforts)
	of := n.weighAll(efforts)
	n.findOutliers(efforts, of)
	n.findDrift(of)
	n.findShared(efforts)
	n.findSway(efforts)
	return n
}

// off returns u, the logarithm of a pair's ratio over the pace. A tick of the clock is added to
// both, so that calls of none have a ratio.
func (n *noise) off(a, b float64) float64 {
	return math.Log((b + n.s.tickNs) / (n.s.report.Pace*a + n.s.tickNs))
}

// magnitudeOf returns the octave of a time: the binary logarithm of one ns more.
func magnitudeOf(ns float64) int {
	return min(max(int(math.Float64bits(ns+1)>>52)-1023, 0), magnitudes-1)
}

// spreads counts pairs by how far they are from the median of their function.
type spreads struct {
	counts  [noClass + 1]int32 // by octave of A's time, and by distance; and of pairs of no time
	still   stillness
	pairs   int64
	off     []float64 // of the pairs of one function
	spare   []float64
	classes [chunkPairs]int64
}

// findSpreads finds the law of each function, and the spread of calls by how long they take.
func (n *noise) findSpreads(efforts []*effort) {
	var of perWorker[spreads]
	_ = n.s.inBatches(efforts, func(_ int, run []*effort) { // a cancelled context shows later
		q := of.take()
		defer of.give(q)
		for _, e := range run {
			q.addEffort(n, e)
		}
	})
	n.sumSpreads(of.made)
}

// addEffort finds the law of a function and adds its pairs.
func (q *spreads) addEffort(n *noise, e *effort) {
	q.off = resized(q.off, e.pairs)
	at, pace, tick := 0, n.s.report.Pace, n.s.tickNs
	for c := range e.times {
		ratioLogs(q.off[at:at+len(c.a)], c.a, c.b, pace, tick)
		at += len(c.a)
	}
	e.law, q.spare = lawIn(q.off, q.spare)
	q.pairs += int64(e.pairs)
	at = 0
	for c := range e.times {
		q.addPairs(c.a, c.b, q.off[at:at+len(c.a)], n.s.tickNs)
		at += len(c.a)
	}
}

// addPairs adds pairs by how far off they are.
func (q *spreads) addPairs(a, b, off []float64, tick float64) {
	classes := q.classes[:len(a)]
	spreadClasses(classes, &q.still, off, a, b, tick)
	for _, class := range classes {
		q.counts[class]++
	}
}

// sumSpreads adds up what several goroutines have counted: whole numbers, in any order.
func (n *noise) sumSpreads(made []*spreads) {
	var sum spreads
	var all [spreadBins]int32
	for _, q := range made {
		n.pairs += q.pairs
		sum.still.add(q.still)
		for class, count := range q.counts[:noClass] {
			if count > 0 { // most classes have no pairs
				sum.counts[class] += count
				all[class%spreadBins] += count
			}
		}
	}
	n.quiet = sum.still.quiet()
	usual, _ := spreadOf(&all)
	for m := range n.spread {
		own, pairs := spreadOf((*[spreadBins]int32)(sum.counts[m*spreadBins:]))
		if n.spread[m] = own; pairs < 4*enough {
			n.spread[m] = usual
		}
	}
}

// stillness counts the pairs that are equal but for what all pairs of their function differ by.
// Only calls that are long for the clock say anything.
type stillness struct {
	pairs, still     float64
	time, stillTimes float64
}

const longTicks = 100

func (q *stillness) addPair(a float64, still bool, tick float64) {
	if a < longTicks*tick {
		return
	}
	q.pairs++
	q.time += a
	if still {
		q.still++
		q.stillTimes += a
	}
}

func (q *stillness) add(o stillness) {
	q.pairs, q.still = q.pairs+o.pairs, q.still+o.still
	q.time, q.stillTimes = q.time+o.time, q.stillTimes+o.stillTimes
}

// quiet reports whether the clock is a simulator's: four of five pairs are equal, and so is half of
// the time. No call of a real program takes equally long twice, to a five-hundredth.
func (q *stillness) quiet() bool {
	return q.pairs > 0 && q.still >= 0.8*q.pairs && 2*q.stillTimes >= q.time
}

// lawOf returns the law of pairs, given their u.
func lawOf(off []float64) law {
	l, _ := lawIn(slices.Clone(off), nil)
	return l
}

// lawIn returns the law of pairs, given their u, which it replaces by their distances from the
// median. It uses the memory of spare, and returns it.
func lawIn(off, spare []float64) (law, []float64) {
	l := law{spread: -1}
	if len(off) >= enough {
		l.median, spare = middle(off, spare)
	}
	distances(off, l.median)
	if len(off) >= enough {
		l.spread, spare = middle(off, spare)
		l.spread *= toDeviation
	}
	return l, spare
}

// spreadOf returns the deviation of which these are the absolute values, and their number.
func spreadOf(counts *[spreadBins]int32) (deviation float64, pairs int64) {
	for _, c := range counts {
		pairs += int64(c)
	}
	if pairs == 0 {
		return 0, 0
	}
	left := pairs / 2
	for bin, c := range counts {
		if left -= int64(c); left < 0 {
			return toDeviation * spreadStep * float64(bin), pairs
		}
	}
	return 0, pairs
}

// findDrift finds by how much the pace of a block of the run varies.
func (n *noise) findDrift(of []*batchSums) {
	var self [2][blocks]float64
	for _, q := range of {
		for k := range self[0] {
			self[0][k] += q.self[0][k]
			self[1][k] += q.self[1][k]
		}
	}
	whole := 0.0
	for _, a := range self[0] {
		whole += a
	}
	var off []float64
	for k, a := range self[0] {
		if b := self[1][k]; a > whole/(4*blocks) && b > 0 {
			off = append(off, math.Log(b/a))
		}
	}
	if len(off) >= enough {
		n.drift = lawOf(off).spread
	}
}

// toDeviation is a normal distribution's standard deviation over its median absolute one.
var toDeviation = 1 / distuv.UnitNormal.Quantile(0.75)

// efficiency of the median absolute deviation: it is as good as the standard deviation of so many
// of the samples.
const efficiency = 0.37

// widening returns how much further than with a known deviation the same probability lies at three
// deviations, if n functions estimate it: by Student's t. It is 1.07 for 100 functions, 2.4 for
// 10.
func widening(n int) float64 {
	const at = 3
	t := distuv.StudentsT{Sigma: 1, Nu: efficiency * float64(n)}
	return t.Quantile(distuv.UnitNormal.CDF(at)) / at
}

// findSway finds what functions differ by beyond what their calls and the drift explain: the sway
// with which half of them lie within the middle half of a normal distribution. Few functions may
// seem to have none. For example, 18 without any have 2 %, and 300 have 0.6 %. Too few to see
// theirs may have more than is usual: of a program that spends nearly all of its time in one
// function, one of two runs on a busy machine had each of its 187 calls longer, by half in all.
func (n *noise) findSway(efforts []*effort) {
	var off, known []float64
	for e := range n.s.untilDone(efforts) {
		if v := &e.v; v.ordinary > 0 && v.base > 0 {
			off = append(off, math.Log1p(max((v.bulk-v.shared)/v.base, -0.999)))
			known = append(known, math.Hypot(n.deviationOf(v)/v.base, n.driftOf(v)))
		}
	}
	if n.quiet {
		return
	}
	n.widen = widening(max(len(off), fewest))
	if len(off) < fewest {
		n.sway = unknownSway
		return
	}
	seen, sway := float64(len(off)), max(swayOf(off, known), swayOf(bestKnown(off, known)))
	n.sway = math.Sqrt((seen*sway*sway + asThough*unknownSway*unknownSway) / (seen + asThough))
	n.sway = math.Hypot(n.sway, followUnevenly*besideUnit(n.s.report.Pace))
}

// besideUnit returns the logarithm of a pace, but for a change of unit: that, all functions follow.
func besideUnit(pace float64) float64 {
	return math.Remainder(math.Log(pace), math.Log(1000))
}

// bestKnown returns the differences whose known deviations are smallest, a quarter of them but no
// fewer than wellKnown; none if there are not so many. Where most functions have a few calls each,
// what these calls vary by explains what most of them differ by, whatever the sway: the few that
// are called often tell. For example, of two equal runs of an interpreter, 212 of 407 functions had
// known deviations above 8 %, and differed by no more than these; the 8 best known had less than
// 2 %, and differed by 10 %.
func bestKnown(off, known []float64) (bestOff, best []float64) {
	order := make([]int, len(known))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(known[x], known[y]) })
	take := max(len(order)/4, wellKnown)
	if take > len(order) {
		return nil, nil
	}
	for _, k := range order[:take] {
		bestOff, best = append(bestOff, off[k]), append(best, known[k])
	}
	return bestOff, best
}

// swayOf returns the deviation that these differences have beyond their known deviations.
func swayOf(off, known []float64) float64 {
	if len(off) == 0 {
		return 0
	}
	z := make([]float64, len(off))
	wide := func(sway float64) bool { // half of them lie within a normal distribution's middle half
		for k := range off {
			z[k] = math.Abs(off[k]) / math.Hypot(max(known[k], 1e-9), sway)
		}
		slices.Sort(z)
		return z[len(z)/2]*toDeviation <= 1
	}
	low, high := 0.0, 4.0
	if wide(0) {
		return 0
	}
	for range 40 {
		if mid := (low + high) / 2; wide(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}
