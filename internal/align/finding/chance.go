package finding

import (
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
//     differ by beyond the first three is the sway.
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
// Time is n log n in the pairs of a function.

const (
	outlying   = 6    // spreads from which on a pair is an outlier
	enough     = 8    // pairs from which on a function has a spread of its own
	spreadBins = 2048 // of |u − median|, in steps of 0.002
	spreadStep = 0.002
	magnitudes = 48 // octaves of self time, ns

	unknownSway = 0.05 // of too few functions to see theirs
	asThough    = 4    // and as though so many functions more had been seen, of that sway
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

// measureNoise measures how the pairs of these functions vary.
func (s *study) measureNoise(efforts []*effort) *noise {
	n := &noise{s: s, excess: 1, widen: 1}
	efforts = slices.DeleteFunc(slices.Clone(efforts), func(e *effort) bool { return e == nil })
	n.findSpreads(efforts)
	n.findOutliers(efforts)
	n.findDrift(efforts)
	n.findSway(efforts)
	return n
}

// off returns u, the logarithm of a pair's ratio over the pace. A tick of the clock is added to
// both, so that calls of none have a ratio.
func (n *noise) off(w twin) float64 {
	a, b := n.s.timesOf(w)
	return math.Log((b + n.s.tickNs) / (n.s.report.Pace*a + n.s.tickNs))
}

// findTick finds out whether the clock counts microseconds.
func (s *study) findTick() {
	s.tickNs = 1000
	for _, times := range s.times {
		for _, self := range times {
			for _, ns := range self {
				if ns%1000 != 0 {
					s.tickNs = 1
					return
				}
			}
		}
	}
}

func magnitudeOf(ns float64) int {
	return min(max(int(math.Log2(ns+1)), 0), magnitudes-1)
}

// findSpreads finds the law of each function, and the spread of calls by how long they take.
func (n *noise) findSpreads(efforts []*effort) {
	var counts [magnitudes + 1][spreadBins]int32 // the last one for all magnitudes
	var q stillness
	for e := range n.s.untilDone(efforts) {
		off := make([]float64, len(e.twins))
		for k, w := range e.twins {
			off[k] = n.off(w)
		}
		e.law = lawOf(off)
		for k, w := range e.twins {
			a, b := n.s.timesOf(w)
			if a == 0 || b == 0 {
				continue // calls of no time would pass for a clock without noise
			}
			bin := min(int(math.Abs(off[k]-e.law.median)/spreadStep), spreadBins-1)
			q.addPair(a, bin == 0, n.s.tickNs)
			counts[magnitudeOf(a)][bin]++
			counts[magnitudes][bin]++
		}
		n.pairs += int64(len(e.twins))
	}
	all, _ := spreadOf(&counts[magnitudes])
	n.quiet = q.quiet()
	for m := range n.spread {
		own, pairs := spreadOf(&counts[m])
		if n.spread[m] = own; pairs < 4*enough {
			n.spread[m] = all
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

// quiet reports whether the clock is a simulator's: four of five pairs are equal, and so is half of
// the time. No call of a real program takes equally long twice, to a five-hundredth.
func (q *stillness) quiet() bool {
	return q.pairs > 0 && q.still >= 0.8*q.pairs && 2*q.stillTimes >= q.time
}

// lawOf returns the law of pairs, given their u.
func lawOf(off []float64) law {
	if len(off) < enough {
		return law{spread: -1}
	}
	list := slices.Clone(off)
	slices.Sort(list)
	l := law{median: list[len(list)/2]}
	for k := range list {
		list[k] = math.Abs(list[k] - l.median)
	}
	slices.Sort(list)
	l.spread = toDeviation * list[len(list)/2]
	return l
}

// spreadOf returns the deviation of which these are the absolute values, and their number.
func spreadOf(counts *[spreadBins]int32) (deviation float64, pairs int64) {
	for _, c := range counts {
		pairs += int64(c)
	}
	left := pairs / 2
	for bin, c := range counts {
		if left -= int64(c); left < 0 {
			return toDeviation * spreadStep * float64(bin), pairs
		}
	}
	return 0, pairs
}

// spreadIn returns the deviation of u of a pair of a function. A clock counts whole ticks.
func (n *noise) spreadIn(e *effort, a float64) float64 {
	sigma := n.spread[magnitudeOf(a)]
	if e.law.spread >= 0 {
		sigma = max(e.law.spread, sigma/2)
	}
	return math.Hypot(sigma, n.s.tickNs/(a+n.s.tickNs))
}

// excessOf returns by how much more B takes for a pair than the pace explains, ns.
func (n *noise) excessOf(w twin) float64 {
	a, b := n.s.timesOf(w)
	return b - n.s.report.Pace*a
}

// findDrift finds by how much the pace of a block of the run varies.
func (n *noise) findDrift(efforts []*effort) {
	var self [2][blocks]float64
	for e := range n.s.untilDone(efforts) {
		for _, w := range e.twins {
			if sign, _ := n.outlier(e, w); sign == 0 {
				a, b := n.s.timesOf(w)
				k := n.s.blockOf(w)
				self[0][k] += n.s.report.Pace * a * math.Exp(e.law.median)
				self[1][k] += b
			}
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
// seem to have none. For example, 18 without any have 2 %, and 300 have 0.6 %.
func (n *noise) findSway(efforts []*effort) {
	var off, known []float64
	for e := range n.s.untilDone(efforts) {
		if d := n.weigh(e); d.ordinary > 0 && d.base > 0 {
			off = append(off, math.Log1p(max(d.bulk/d.base, -0.999)))
			known = append(known, math.Hypot(d.deviation/d.base, d.drift))
		}
	}
	if n.quiet {
		return
	}
	if len(off) < fewest {
		n.sway = unknownSway
		return
	}
	seen, sway := float64(len(off)), swayOf(off, known)
	n.sway = math.Sqrt((seen*sway*sway + asThough*unknownSway*unknownSway) / (seen + asThough))
	n.widen = widening(len(off))
}

// swayOf returns the deviation that these differences have beyond their known deviations.
func swayOf(off, known []float64) float64 {
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
