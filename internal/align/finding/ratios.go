package finding

import (
	"math"

	"diptych/internal/pair"
)

// Ratio is by how much the calls of one function changed.
type Ratio struct {
	Factor float64 // the median of b/a over its pairs
	Ns     float64 // the self time of its pairs but outliers, the geometric mean of both sides
}

// sayRatios notes the ratio of each function that does not wait, if their pairs make half of the
// self time of either side or more. A call that stalls for longer than the whole run takes
// elsewhere is in its function's total, but hardly moves a median. For example, let calls of 10
// µs take 13 µs in B, and one of 60 in B 20 ms: its total is 34 times as long, its median 1.3
// times.
func (s *study) sayRatios(efforts []*effort) {
	var list []Ratio
	var paired, all [2]float64
	for id := range s.totals[pair.A].functions {
		t := s.both(anywhere, uint32(id))
		for sd := range all {
			if t[0].waits+t[1].waits == 0 && !s.isState(uint32(id)) {
				all[sd] += float64(t[sd].self)
			}
		}
	}
	for e := range s.untilDone(efforts) {
		if s.everWaits(e.id) || s.isState(e.id) {
			continue
		}
		v := &e.v
		for sd := range all {
			all[sd] -= v.strange[0].self[sd] + v.strange[1].self[sd]
		}
		a, b := v.base/s.report.Pace, v.base+v.bulk
		if a <= 0 || b <= 0 {
			continue
		}
		factor := b / a
		if e.law.spread >= 0 {
			factor = s.report.Pace * math.Exp(e.law.median)
		}
		paired[0], paired[1] = paired[0]+a, paired[1]+b
		list = append(list, Ratio{factor, math.Sqrt(a * b)})
	}
	if 2*paired[0] >= all[0] && 2*paired[1] >= all[1] {
		s.report.Ratios = list
	}
}
