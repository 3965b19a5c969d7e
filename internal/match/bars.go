package match

import (
	"context"
	"math/bits"
)

// Bar is what the calls that start in one interval of a trace match.
type Bar struct {
	Weight  float64 // Σ w(f): the bar's height
	Matches float64 // number of matches, rounded beyond 2⁵³
	Shift   float64 // mean of t_s(g) − t_s(f) over the matches, ns; 0 if there are none
}

// Intervals is the calls of one side by interval of time and class. It does not depend on τ: bars
// at another τ cost what it holds, which is less than the calls by as much as classes repeat.
type Intervals struct {
	n       int
	entries []entry // an interval and class may have several
}

// entry is count calls of a class that start in an interval.
type entry struct {
	interval, class uint32
	count, start    float64 // start is the sum of their start times, ns
}

// Intervals divides [from, to] into n ≥ 1 equal intervals, the last of which holds its end. A call
// that starts at t lies in interval ⌊(t−from)·n/(to−from)⌋; calls outside are left out.
func (c *Classes) Intervals(ctx context.Context, from, to int64, n int) (*Intervals, error) {
	iv := &Intervals{n: n}
	last := make([]int32, len(c.Base)) // by class: 1 + its latest entry
	for k, th := range c.Threads {
		interval, end := -1, from
		for i, class := range c.Of[c.First[k]:c.First[k+1]] {
			if i%checkEvery == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			at := th.Start[i]
			if at < from {
				continue
			}
			if at > to {
				break
			}
			for at >= end && interval < n-1 {
				interval++
				end = border(from, to, interval+1, n)
			}
			e := last[class] - 1
			if e < 0 || iv.entries[e].interval != uint32(interval) {
				e = int32(len(iv.entries))
				iv.entries = append(iv.entries, entry{interval: uint32(interval), class: class})
				last[class] = e + 1
			}
			iv.entries[e].count++
			iv.entries[e].start += float64(at)
		}
	}
	return iv, ctx.Err()
}

// border returns the first time in interval k of n.
func border(from, to int64, k, n int) int64 {
	hi, lo := bits.Mul64(uint64(to-from), uint64(k))
	lo, carry := bits.Add64(lo, uint64(n-1), 0)
	q, _ := bits.Div64(hi+carry, lo, uint64(n))
	return from + int64(q)
}

// Bars returns the bars of the intervals' side, given that side's sums at some τ. They are exact
// but for rounding.
func (iv *Intervals) Bars(sums *Sums) []Bar {
	bars := make([]Bar, iv.n)
	for _, e := range iv.entries {
		matches := float64(sums.Matches[e.class])
		if matches == 0 {
			continue
		}
		b := &bars[e.interval]
		b.Weight += sums.Weight[e.class] * e.count
		b.Matches += matches * e.count
		b.Shift += sums.Start[e.class]*e.count - matches*e.start
	}
	for i := range bars {
		if bars[i].Matches > 0 {
			bars[i].Shift /= bars[i].Matches
		}
	}
	return bars
}

// Bytes returns the memory the intervals hold.
func (iv *Intervals) Bytes() int64 { return 24 * int64(cap(iv.entries)) }
