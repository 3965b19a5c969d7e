package finding

import (
	"math"
	"slices"
)

// middle returns the value that stands in the middle of a list once that is sorted, at
// len(list)/2. It does not change the list, which must not be empty. It uses the memory of spare,
// and returns it.
//
// A sample of a long list, sorted, says between which two values the middle lies almost surely. The
// list is gone through once, to count what is smaller than these and to keep what lies between
// them, which is sorted. For example, of a million values a sample of 1024 leaves about 100,000. If
// the sample misleads, everything is sorted. Time is nearly linear.
func middle(list, spare []float64) (float64, []float64) {
	n := len(list)
	if n < leastSampled {
		spare = append(spare[:0], list...)
		slices.Sort(spare)
		return spare[n/2], spare
	}
	low, high, spare := around(list, spare)
	spare = resized(spare, n)
	below, atLow, atHigh, between := countAround(list, spare, low, high)
	if spare = spare[:between]; low == high {
		atHigh = 0
	}
	switch left := n/2 - below; {
	case left >= 0 && left < atLow:
		return low, spare
	case left >= atLow && left < atLow+len(spare):
		slices.Sort(spare)
		return spare[left-atLow], spare
	case left >= atLow+len(spare) && left < atLow+len(spare)+atHigh:
		return high, spare
	}
	spare = append(spare[:0], list...)
	slices.Sort(spare)
	return spare[n/2], spare
}

const (
	leastSampled = 1024
	mostSampled  = 1024
	surely       = 3 // standard deviations of the rank of a sample's middle
)

// around returns two values of a list between which its middle lies almost surely.
func around(list, spare []float64) (low, high float64, rest []float64) {
	step := max(len(list)/mostSampled, 8)
	spare = spare[:0]
	for k := step / 2; k < len(list); k += step {
		spare = append(spare, list[k])
	}
	slices.Sort(spare)
	m := len(spare)
	reach := int(surely * math.Sqrt(float64(m)) / 2)
	return spare[m/2-reach], spare[min(m/2+reach, m-1)], spare
}
