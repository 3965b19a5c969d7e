package finding

import (
	"math"
	"strings"
	"unicode"

	"gonum.org/v1/gonum/stat"

	"diptych/internal/pair"
)

// The pace of samples.
//
// On a machine that is busy with something else, a processor that shares its caches and its clock
// takes longer for all of a program, and a timer takes more samples of all functions alike. Then
// whatever runs the whole program has more samples than their number varies by, and none of it is
// its own doing. For example, of two equal runs of a Python program:
//
//	the outermost frame   218 ms → 324 ms     most functions   1.5 times as many samples
//
// So a change counts only if it is also more than chance beside what most functions change by. That
// is a weighted median, as of the pace of calls, if it is itself more than functions differ by.
// What was counted, such as instructions, bytes and allocations, has no pace; but a number of
// samples that a timer took does. If all functions have more than twice the samples, as for a
// larger input, that is told of each.

const (
	votingSamples = 8    // of a function, on both sides together, for it to have a say
	ofMedian      = 1.25 // times the deviation of a mean is that of a median
	mostBusy      = 2    // times as long, either way: more is no other program's doing
)

// findPace finds the factor by which most functions have more samples in B.
func (p *profiles) findPace(ids []uint32) {
	if p.sample == 0 || !p.s.p.A.Timed() {
		return
	}
	var logs, weights []float64
	for _, id := range ids {
		a, b := float64(p.byFunction[id].self[pair.A]), float64(p.byFunction[id].self[pair.B])
		if min(a, b) > 0 && a+b >= votingSamples*p.sample {
			logs, weights = append(logs, math.Log(b/a)), append(weights, math.Sqrt(math.Sqrt(a*b)))
		}
	}
	if len(logs) < fewest {
		return
	}
	spread := lawOf(logs).spread
	stat.SortWeighted(logs, weights)
	pace := stat.Quantile(0.5, stat.Empirical, logs, weights)
	if math.Abs(pace) >= probable*ofMedian*spread/math.Sqrt(float64(len(logs))) && math.Abs(pace) <= math.Log(mostBusy) {
		p.s.report.Pace = math.Exp(pace)
	}
}

// saysNothing reports whether a name is what a recorder writes for code whose name it does not
// know, such as "[unknown]" or "??". What such code calls has names.
func saysNothing(name string) bool {
	word := strings.TrimFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return word == "" || strings.EqualFold(word, "unknown")
}
