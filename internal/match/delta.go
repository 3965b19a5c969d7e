package match

import (
	"context"

	"diptych/internal/pair"
)

// δ of a bar is Σ |t_s(f) − t_s(g)| over its matches (TraceDiff, eq. 4). Unlike a shift it does not
// follow from sums of start times, as a match may lie on either side. But once the other side's
// calls that a class matches are summed up by interval, all in one before or after a bar's own are
// on one side of it, and only those of the intervals that overlap it are in doubt.

// Distances fills in the bars' Distance, given the bars of both sides at τ and the intervals they
// are of, which have to hold all calls. A match whose calls start in intervals that do not overlap
// is taken exactly. Those of a class in one interval with all of an interval that overlaps it are
// taken to be as far apart as their means, so no match is taken wrong by more than its two
// intervals are long together. If that needs more steps than budget, nothing is changed, and it
// returns false. A Rung's bars are everybody's: give it copies.
func (g *Graph) Distances(ctx context.Context, tau Tau, ivs [2]*Intervals, bars [2][]Bar,
	budget int64) (ok bool, err error) {
	least := tau.least(len(g.Pair.Names))
	if cost, err := g.predict(ctx, least, ivs); err != nil || cost > budget {
		return false, err
	}
	over := append(g.strips(pair.A), g.strips(pair.B)...)
	parts := make([]*apart, len(over))
	err = g.sweep(ctx, over, nil, func(k int) func(*row) {
		s := over[k].side
		parts[k] = newApart(ivs[s], ivs[s.Other()], least)
		return parts[k].add
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

// predict returns about how many classes are compared and entries added up.
func (g *Graph) predict(ctx context.Context, least []uint32, ivs [2]*Intervals) (int64, error) {
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
			r.seek(k * n / rows)
			steps += len(r.y.Base)
			for y := range r.hits(least) {
				steps += len(ivs[other].of(y))
			}
		}
		cost += float64(steps) * float64(n) / float64(max(rows, 1))
	}
	return int64(min(cost, 1<<62)), nil
}

// hits yields the classes that the row's class matches.
func (r *row) hits(least []uint32) func(yield func(y int) bool) {
	return func(yield func(y int) bool) {
		least, common := least[r.x.Size[r.at]:], int32(0)
		diff := r.diff[:len(r.y.Size)]
		for k, size := range r.y.Size {
			common += diff[k]
			if uint32(common) >= least[size] && !yield(k) {
				return
			}
		}
	}
}

// apart sums up, by interval of one side, how far its calls are from those they match.
type apart struct {
	own, other *Intervals
	least      []uint32
	near       []interval // by own interval: the other side's that overlap it
	until      []moment   // by other interval, and one more: what the row matches before it
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

// add adds what the row's class matches.
func (a *apart) add(r *row) {
	own := a.own.of(int(r.at))
	if len(own) == 0 {
		return
	}
	clear(a.until)
	for y := range r.hits(a.least) {
		for _, e := range a.other.of(y) {
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
