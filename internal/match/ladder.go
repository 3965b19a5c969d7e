package match

import (
	"context"
	"math/bits"

	"golang.org/x/sync/errgroup"

	"diptych/internal/pair"
	"diptych/internal/progress"
)

// A ladder needs one sweep, not one per τ: a pair of classes with similarity s matches at n/100 if
// and only if n is at most its level, the largest n with s > n/100. A row's pairs are summed up by
// level, the row's sums are spread over the bars its class has calls in, and at the end every
// rung adds the one above it.

// Ladder is what the matches add up to at every hundredth of τ, so that moving τ is a look-up. It
// is immutable.
type Ladder struct {
	Intervals [2]*Intervals // by pair.Side, over [0, the trace's duration]
	rungs     [levels + 1]Rung
}

// Rung is a Ladder's figures at one τ: those of a Result, and the bars of both sides.
type Rung struct {
	Bars          [2][]Bar
	Pairs         uint64 // number of matches, exact unless Saturated
	Saturated     bool   // Pairs did not fit and is the largest number
	SimilaritySum float64
	MatchedCalls  [2]uint64
}

// At returns the figures at τ = hundredths/100, taken to lie from 0 to 1.
func (l *Ladder) At(hundredths int) *Rung { return &l.rungs[min(max(hundredths, 0), levels)] }

// Bytes returns the memory the ladder holds, its intervals included.
func (l *Ladder) Bytes() int64 {
	const bar = 4 * 8
	n := int64(0)
	for s, iv := range l.Intervals {
		n += iv.Bytes() + int64(len(l.rungs)*cap(l.rungs[0].Bars[s]))*bar
	}
	return n
}

// Ladder compares all classes and sums up at every hundredth of τ, for as many bars on either side
// as given, over the whole of its trace. Cost is twice the product of the numbers of classes.
// report may be nil.
func (g *Graph) Ladder(ctx context.Context, bars [2]int, report progress.Func) (*Ladder, error) {
	l := &Ladder{}
	if err := l.divide(ctx, g, bars); err != nil {
		return nil, err
	}
	over := append(g.strips(pair.A), g.strips(pair.B)...)
	parts := make([]*steps, len(over))
	inverses := newInverses(len(g.Pair.Names))
	err := g.sweep(ctx, over, report, func(k int) func(*row) {
		parts[k] = newSteps(l.Intervals[over[k].side], inverses)
		return parts[k].add
	})
	if err != nil {
		return nil, err
	}
	var sides [2]*steps
	for k, s := range over {
		if sides[s.side] == nil {
			sides[s.side] = parts[k]
		} else {
			sides[s.side].merge(parts[k])
		}
	}
	l.climb(sides)
	return l, nil
}

// divide makes the intervals.
func (l *Ladder) divide(ctx context.Context, g *Graph, bars [2]int) error {
	work, ctx := errgroup.WithContext(ctx)
	for _, s := range []pair.Side{pair.A, pair.B} {
		work.Go(func() (err error) {
			end := int64(0)
			if t := g.Pair.Trace(s); t != nil {
				end = t.Duration
			}
			l.Intervals[s], err = g.Sides[s].Intervals(ctx, 0, end, max(1, bars[s]))
			return err
		})
	}
	return work.Wait()
}

// steps are what pairs of one level each add up to on one side, until climb adds to each level
// those above. No pair has the last level.
type steps struct {
	iv       *Intervals
	inverses inverses
	bars     [][levels + 1]step // by interval
	pairs    [levels + 1]uint128
	sum      [levels + 1]float64 // Σ s
	matched  [levels + 1]uint64  // calls by the level of their best match
	row      byLevel             // what the row at hand adds up to
}

// step is what the pairs of one level add to a bar; shift is a sum.
type step struct{ weight, matches, shift float64 }

func newSteps(iv *Intervals, p inverses) *steps {
	return &steps{iv: iv, inverses: p, bars: make([][levels + 1]step, iv.n)}
}

// add adds what the row's class matches.
func (s *steps) add(r *row) {
	r.levels(s.inverses, &s.row)
	lo, hi := s.row.extent()
	if hi < lo {
		return
	}
	k, of := int(r.at), &s.row
	n := r.x.Count[k]
	s.matched[hi] += n
	for i := lo; i <= hi; i++ {
		s.pairs[i].add(bits.Mul64(n, uint64(of[i].matches)))
		s.sum[i] += float64(n) * of[i].weight
	}
	for _, e := range s.iv.of(k) {
		count, bar := float64(e.count), &s.bars[e.interval]
		for i := lo; i <= hi; i++ {
			of, b := &of[i], &bar[i]
			b.weight += of.weight * count
			b.matches += of.matches * count
			b.shift += of.start*count - of.matches*e.start
		}
	}
	clear(of[lo : hi+1])
}

// merge adds another strip of the same side.
func (s *steps) merge(t *steps) {
	for n := range levels {
		s.take(n, t, n)
	}
}

// take adds what t has of level m to level n.
func (s *steps) take(n int, t *steps, m int) {
	for i := range s.bars {
		a, b := &s.bars[i][n], &t.bars[i][m]
		a.weight += b.weight
		a.matches += b.matches
		a.shift += b.shift
	}
	s.pairs[n].add(t.pairs[m].hi, t.pairs[m].lo)
	s.sum[n] += t.sum[m]
	s.matched[n] += t.matched[m]
}

// climb makes the rungs, from the top down.
func (l *Ladder) climb(sides [2]*steps) {
	for n := levels; n >= 0; n-- {
		r := &l.rungs[n]
		for s, of := range sides {
			if n < levels {
				of.take(n, of, n+1)
			}
			r.Bars[s], r.MatchedCalls[s] = of.rung(n), of.matched[n]
		}
		a := sides[pair.A]
		r.Pairs, r.Saturated = a.pairs[n].saturated()
		r.SimilaritySum = a.sum[n]
	}
}

// rung returns the bars of level n.
func (s *steps) rung(n int) []Bar {
	bars := make([]Bar, len(s.bars))
	for i := range bars {
		b := &s.bars[i][n]
		bars[i] = Bar{Weight: b.weight, Matches: b.matches, Shift: b.shift / max(1, b.matches)}
	}
	return bars
}

// uint128 is a number of matches.
type uint128 struct{ hi, lo uint64 }

func (u *uint128) add(hi, lo uint64) {
	var carry uint64
	u.lo, carry = bits.Add64(u.lo, lo, 0)
	u.hi += hi + carry
}

func (u uint128) saturated() (uint64, bool) {
	if u.hi != 0 {
		return 1<<64 - 1, true
	}
	return u.lo, false
}
