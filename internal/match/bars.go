package match

import (
	"context"
	"math/bits"

	"diptych/internal/pair"
)

// Bar is a sum over the matches of the calls that start in one interval of time.
type Bar struct {
	Weight  float64 // Σ w(f): the bar's height
	Matches float64 // number of matches, rounded beyond 2⁵³
	Shift   float64 // mean of t_s(g) − t_s(f) over the matches, ns; 0 if there are none

	// Distance is the mean of |t_s(g) − t_s(f)| in ns, if Distances has filled it in.
	Distance float64
}

// barSum is the sum over the matches of a bar's calls; shift is a sum too, not a mean.
type barSum struct{ weight, matches, shift float64 }

// addCalls adds so many calls, given the sum of their start times, and what each of them matches.
func (b *barSum) addCalls(count, start float64, each *amount) {
	b.weight += each.weight * count
	b.matches += each.matches * count
	b.shift += each.start*count - each.matches*start
}

func (b *barSum) plus(o *barSum) {
	b.weight += o.weight
	b.matches += o.matches
	b.shift += o.shift
}

func (b *barSum) bar() Bar {
	return Bar{Weight: b.weight, Matches: b.matches, Shift: b.shift / max(1, b.matches)}
}

// Intervals count the calls of one side by class and interval of time. They do not depend on τ, so
// the bars at another τ are a pass over the entries: far fewer than calls, where calls of a class
// repeat within an interval.
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

// Intervals divides [from, to] into n ≥ 1 equal intervals. A call that starts at t is in interval
// ⌊(t−from)·n/(to−from)⌋, one that starts at the end in the last; calls outside are left out.
func (c *Classes) Intervals(ctx context.Context, from, to int64, n int) (*Intervals, error) {
	var (
		found  []entry  // by interval
		class  []uint32 // of what was found
		next   = make([]int, len(c.Threads))
		latest = make([]uint32, len(c.Base)) // by class: 1 + its latest entry
		iv     = &Intervals{from: from, to: to, n: n, first: make([]uint32, len(c.Base)+1)}
	)
	for k, th := range c.Threads {
		next[k] = th.FirstFrom(from, 0, th.Len())
	}
	for interval := range n {
		end := border(from, to, interval+1, n)
		if interval == n-1 && to < 1<<63-1 {
			end = to + 1
		}
		opened := uint32(len(found))
		for k, th := range c.Threads {
			i, first := next[k], c.First[k]
			for ; i < th.Len() && th.Start(i) < end; i++ {
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
				found[e-1].start += float64(th.Start(i))
			}
			next[k] = i
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	iv.sortByClass(found, class)
	return iv, nil
}

// sortByClass sorts the entries by class. Before, first[k+1] is the number of entries of class k.
func (iv *Intervals) sortByClass(found []entry, class []uint32) {
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

// entriesOf returns the entries of class k.
func (iv *Intervals) entriesOf(k int) []entry { return iv.entries[iv.first[k]:iv.first[k+1]] }

// border returns the first time in interval k of n.
func border(from, to int64, k, n int) int64 {
	hi, lo := bits.Mul64(uint64(to-from), uint64(k))
	lo, carry := bits.Add64(lo, uint64(n-1), 0)
	q, _ := bits.Div64(hi+carry, lo, uint64(n))
	return from + int64(q)
}

// δ of a bar is Σ |t_s(f) − t_s(g)| over its matches (TraceDiff, eq. 4). A shift follows from sums
// of start times; δ does not, since a match may start before or after. But if the other side's
// calls are summed up by interval, then all calls of an earlier interval start before, all of a
// later one after, and only the intervals that overlap the bar's own have to be estimated.

// Distances fills in the bars' Distance, given the bars of both sides at τ and their intervals,
// which must contain all calls. A match is counted exactly if the intervals of its two calls do not
// overlap. Otherwise the distance of the mean start times is used for all matches of a class
// between the two intervals, so no match is wrong by more than both intervals are long together.
//
// If this needs more steps than budget, Distances changes nothing and returns false. It writes to
// the bars, so give it copies of those of a Rung, which others read.
func (g *Graph) Distances(ctx context.Context, tau Tau, ivs [2]*Intervals, bars [2][]Bar,
	budget int64) (ok bool, err error) {
	least := tau.least(len(g.Pair.Names))
	if cost, err := g.predictCost(ctx, least, ivs); err != nil || cost > budget {
		return false, err
	}
	over := append(g.strips(pair.A), g.strips(pair.B)...)
	parts := make([]*apart, len(over))
	err = g.sweep(ctx, over, nil, func(k int) func(*row) {
		s := over[k].side
		parts[k] = newApart(ivs[s], ivs[s.Other()], least)
		return parts[k].addRow
	})
	if err != nil {
		return false, err
	}
	var sums [2][]float64
	for s := range bars {
		sums[s] = make([]float64, len(bars[s]))
	}
	for k, p := range parts {
		for i, d := range p.sum {
			sums[over[k].side][i] += d
		}
	}
	for s := range bars {
		for i := range bars[s] {
			bars[s][i].Distance = sums[s][i] / max(1, bars[s][i].Matches)
		}
	}
	return true, nil
}

// samples is how many rows of a side the cost is predicted from.
const samples = 64

// predictCost estimates how many classes are compared and entries added up.
func (g *Graph) predictCost(ctx context.Context, least []uint32, ivs [2]*Intervals) (int64, error) {
	cost := 0.0
	for s, c := range g.Sides {
		other := pair.Side(s).Other()
		r := newRow(c, newColumns(g.Sides[other], len(g.Pair.Names)))
		n, steps := len(c.Base), 0
		rows := min(n, samples)
		for k := range rows {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			r.seekClass(k * n / rows)
			steps += len(r.y.Base)
			for y := range r.matchedClasses(least) {
				steps += len(ivs[other].entriesOf(y))
			}
		}
		cost += float64(steps) * float64(n) / float64(max(rows, 1))
	}
	return int64(min(cost, 1<<62)), nil
}

// apart sums up how far the calls of one side are from those they match, by interval.
type apart struct {
	own, other *Intervals
	least      []uint32
	near       []interval // by own interval: the intervals of the other side that overlap it
	until      []moment   // by other interval, and one more: what the row's class matches before it
	sum        []float64  // by own interval
}

// moment is a number of calls and the sum of their start times.
type moment struct{ count, start float64 }

func newApart(own, other *Intervals, least []uint32) *apart {
	a := &apart{own, other, least, make([]interval, own.n), make([]moment, other.n+1),
		make([]float64, own.n)}
	for i := range a.near {
		from, to := own.span(i)
		near := &a.near[i]
		for near.from = 0; int(near.from) < other.n; near.from++ {
			if _, end := other.span(int(near.from)); end > from {
				break
			}
		}
		for near.to = near.from; int(near.to) < other.n; near.to++ {
			if start, _ := other.span(int(near.to)); start >= to {
				break
			}
		}
	}
	return a
}

// span returns the first time in interval k and the first after it.
func (iv *Intervals) span(k int) (from, to int64) {
	from, to = border(iv.from, iv.to, k, iv.n), border(iv.from, iv.to, k+1, iv.n)
	if k == iv.n-1 {
		to++
	}
	return from, to
}

// addRow adds the distances between the row's class and the classes it matches.
func (a *apart) addRow(r *row) {
	own := a.own.entriesOf(int(r.at))
	if len(own) == 0 {
		return
	}
	clear(a.until)
	for y := range r.matchedClasses(a.least) {
		for _, e := range a.other.entriesOf(y) {
			u := &a.until[e.interval+1]
			u.count += float64(e.count)
			u.start += e.start
		}
	}
	for j := range a.other.n {
		a.until[j+1].count += a.until[j].count
		a.until[j+1].start += a.until[j].start
	}
	all := a.until[a.other.n]
	for _, e := range own {
		near := a.near[e.interval]
		count := float64(e.count)
		before, until := a.until[near.from], a.until[near.to]
		d := e.start*before.count - count*before.start
		d += count*(all.start-until.start) - e.start*(all.count-until.count)
		for j := near.from; j < near.to; j++ {
			n := a.until[j+1].count - a.until[j].count
			start := a.until[j+1].start - a.until[j].start
			d += max(count*start-e.start*n, e.start*n-count*start)
		}
		a.sum[e.interval] += d
	}
}
