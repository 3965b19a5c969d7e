package match

import (
	"context"
	"math/bits"
	"sort"
)

// Bar is what the calls that start in one interval of a trace match.
type Bar struct {
	Weight  float64 // Σ w(f): the bar's height
	Matches float64 // number of matches, rounded beyond 2⁵³
	Shift   float64 // mean of t_s(g) − t_s(f) over the matches, ns; 0 if there are none

	// Distance is the mean of |t_s(g) − t_s(f)| in ns, if Distances has filled it in.
	Distance float64
}

// Intervals is the calls of one side by class and interval of time. It does not depend on τ: bars
// at another τ cost what it holds, which is less than the calls by as much as classes repeat.
type Intervals struct {
	from, to int64 // ns

	n       int
	first   []uint32 // by class, and one more
	entries []entry  // entries[first[c]:first[c+1]] are those of class c, in order of time
}

// entry is count calls of a class that start in an interval.
type entry struct {
	interval, count uint32
	start           float64 // sum of their start times, ns
}

// Intervals divides [from, to] into n ≥ 1 equal intervals, the last of which holds its end. A call
// that starts at t lies in interval ⌊(t−from)·n/(to−from)⌋; calls outside are left out.
func (c *Classes) Intervals(ctx context.Context, from, to int64, n int) (*Intervals, error) {
	var (
		found  []entry  // by interval
		class  []uint32 // of what was found
		next   = make([]int, len(c.Threads))
		latest = make([]uint32, len(c.Base)) // by class: 1 + its latest entry
		iv     = &Intervals{from: from, to: to, n: n, first: make([]uint32, len(c.Base)+1)}
	)
	for k, th := range c.Threads {
		next[k] = firstFrom(th.Start, from)
	}
	for interval := range n {
		end := border(from, to, interval+1, n)
		if interval == n-1 && to < 1<<63-1 {
			end = to + 1
		}
		opened := uint32(len(found))
		for k, th := range c.Threads {
			i, first := next[k], c.First[k]
			for ; i < len(th.Start) && th.Start[i] < end; i++ {
				of := c.Class(first + i)
				e := latest[of]
				if e <= opened {
					found = append(found, entry{interval: uint32(interval)})
					class = append(class, of)
					iv.first[of+1]++
					e = uint32(len(found))
					latest[of] = e
				}
				found[e-1].count++
				found[e-1].start += float64(th.Start[i])
			}
			next[k] = i
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	iv.sort(found, class)
	return iv, nil
}

// firstFrom returns the first of ascending times that is not before t.
func firstFrom(times []int64, t int64) int {
	return sort.Search(len(times), func(i int) bool { return times[i] >= t })
}

// sort puts what was found in order of class; first holds each class's number of entries, one
// further on.
func (iv *Intervals) sort(found []entry, class []uint32) {
	for k := 1; k < len(iv.first); k++ {
		iv.first[k] += iv.first[k-1]
	}
	iv.entries = make([]entry, len(found))
	for k := len(found) - 1; k >= 0; k-- {
		at := &iv.first[class[k]+1]
		*at--
		iv.entries[*at] = found[k]
	}
	copy(iv.first, iv.first[1:])
	iv.first[len(iv.first)-1] = uint32(len(found))
}

// of returns the entries of class k.
func (iv *Intervals) of(k int) []entry { return iv.entries[iv.first[k]:iv.first[k+1]] }

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
	for k, n := range sums.Matches {
		if n == 0 {
			continue
		}
		weight, matches, start := sums.Weight[k], float64(n), sums.Start[k]
		for _, e := range iv.of(k) {
			count := float64(e.count)
			b := &bars[e.interval]
			b.Weight += weight * count
			b.Matches += matches * count
			b.Shift += start*count - matches*e.start
		}
	}
	for i := range bars {
		if bars[i].Matches > 0 {
			bars[i].Shift /= bars[i].Matches
		}
	}
	return bars
}

// Bytes returns the memory the intervals hold.
func (iv *Intervals) Bytes() int64 { return 16*int64(cap(iv.entries)) + 4*int64(cap(iv.first)) }
