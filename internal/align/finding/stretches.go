package finding

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// What all functions share in one stretch of the run.
//
// The pace is that of the whole run. But a machine that is busy with something else for a while, or
// whose clock changes, slows whatever runs at that time. A function that only runs then has a
// change that is none of its own. So of what a function's pairs change by, that part is no evidence
// which other functions change by in the same stretches. It is a weighted median: a function has
// the root of its time as weight, as for the pace, so that a slower function does not make a slower
// stretch. For example, of two equal runs of an interpreter that sorts for a part of the run:
//
//	block 6   lua_pushvalue 0.55 of A's time   others 0.65
//	block 7   lua_pushvalue 0.45 of A's time   others 0.65
//	block 10  lua_pushvalue 0.94 of A's time   others 0.86
//
// The part is taken off only as far as the function changes the same way: a function that did not
// change while others did is none that did the contrary.

const leastVoice = 1e-5 // of the run, that a function's pairs take at least for it to have a say

// inStretches is what the pairs of a function that are no outliers should take in B, and do, by
// block of the run, ns.
type inStretches struct{ base, after [blocks]float32 }

// keepStretches keeps where in the run the pairs of a function take their time, if that is a part
// of it that is worth a look.
func (v *weighed) keepStretches(base, after *[blocks]float64, run int64) {
	if v.base < leastVoice*float64(run) {
		return
	}
	v.stretch = &inStretches{}
	for k := range base {
		v.stretch.base[k], v.stretch.after[k] = float32(base[k]), float32(after[k])
	}
}

// findShared finds what each function shares with the others in the same stretches of the run.
func (n *noise) findShared(efforts []*effort) {
	if n.quiet {
		return
	}
	var ratios, weights []float64
	for k := range blocks {
		ratios, weights = ratios[:0], weights[:0]
		for e := range n.s.untilDone(efforts) {
			if q := e.v.stretch; q != nil && q.base[k] > 0 && q.after[k] > 0 {
				a, b := float64(q.base[k]), float64(q.after[k])
				ratios, weights = append(ratios, b/a), append(weights, math.Sqrt(math.Sqrt(a*b)))
			}
		}
		if len(ratios) < fewest {
			continue
		}
		stat.SortWeighted(ratios, weights)
		pace := stat.Quantile(0.5, stat.Empirical, ratios, weights)
		for e := range n.s.untilDone(efforts) {
			if q := e.v.stretch; q != nil {
				e.v.shared += (pace - 1) * float64(q.base[k])
			}
		}
	}
}

// ownBulk returns what the bulk of a function changes by beside what it shares with others.
func (v *weighed) ownBulk() float64 {
	switch {
	case v.shared*v.bulk <= 0:
		return v.bulk
	case math.Abs(v.shared) >= math.Abs(v.bulk):
		return 0
	}
	return v.bulk - v.shared
}
