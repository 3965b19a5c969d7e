package match

import (
	"context"
	"math/bits"

	"diptych/internal/pair"
	"diptych/internal/progress"
)

// A ladder needs one sweep, not one for each τ. The level of a pair of classes with similarity s is
// the largest n with s > n/100; the pair matches at τ = 0/100, 1/100, … up to its level, and not
// above. For example, s = 1/3 has level 33. So a row's pairs are summed up by level, the sums go to
// the bars in which the row's class has calls, and at the end each rung adds the rung above it.
//
// levels.go sums up a row's pairs by level.

// Ladder is the sums over all matches at every hundredth of τ, so that another τ costs a look-up.
// It is immutable.
type Ladder struct {
	Intervals [2]*Intervals // by pair.Side, over [0, the trace's duration]
	rungs     [levels + 1]Rung
}

// Rung is the sums at one τ: those of a Result, and the bars of both sides.
type Rung struct {
	Bars [2][]Bar
	Totals
}

// At returns the sums at τ = hundredths/100; below 0 those at 0, above 100 those at 1.
func (l *Ladder) At(hundredths int) *Rung { return &l.rungs[min(max(hundredths, 0), levels)] }

// Ladder compares all classes and sums up the matches at every hundredth of τ, with the given
// numbers of bars over the whole time of each trace. The cost is twice the product of the numbers
// of kinds. report counts kinds.
func (g *Graph) Ladder(ctx context.Context, bars [2]int, report progress.Func) (*Ladder, error) {
	l := &Ladder{}
	if err := l.makeIntervals(ctx, g, bars); err != nil {
		return nil, err
	}
	of, small := g.kinds()
	over := append(small.strips(pair.A), small.strips(pair.B)...)
	parts := make([]*steps, len(over))
	levellings, m := small.levellings(), progress.NewMeter(report, 0)
	for _, s := range over {
		m.Expect(int64(s.to - s.from))
	}
	err := progress.Spread(ctx, len(over), func(k int) error {
		s := over[k]
		parts[k] = newSteps(l.Intervals[s.side], of[s.side])
		return newLeveller(levellings[s.side]).visit(ctx, s, m, parts[k].addRow)
	})
	if err != nil {
		return nil, err
	}
	var sides [2]*steps
	for k, s := range over {
		if sides[s.side] == nil {
			sides[s.side] = parts[k]
		} else {
			sides[s.side].addStrip(parts[k])
		}
	}
	l.fillRungs(sides)
	return l, nil
}

// levellings returns what rows of each side are compared with.
func (g *Graph) levellings() (by [2]*levelling) {
	n := len(g.Pair.Names)
	p := newInverses(n)
	var work progress.Group
	for s := range by {
		work.Do(func() { by[s] = newLevelling(g.Sides[s], g.Sides[1-s], p, n) })
	}
	_ = work.Wait()
	return by
}

// makeIntervals divides the time of both traces into bars.
func (l *Ladder) makeIntervals(ctx context.Context, g *Graph, bars [2]int) error {
	work, ctx := progress.NewGroup(ctx)
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

// steps are the sums by level on one side: of the pairs of exactly that level, until fillRungs adds
// to each level those above it. No pair has the last level, 100.
type steps struct {
	iv      *Intervals
	kinds   *kinds
	bars    [][levels + 1]barSum // by interval
	pairs   [levels + 1]uint128
	sum     [levels + 1]float64 // Σ s
	matched [levels + 1]uint64  // calls by the level of their best match
}

func newSteps(iv *Intervals, k *kinds) *steps {
	return &steps{iv: iv, kinds: k, bars: make([][levels + 1]barSum, iv.n)}
}

// addRow adds what a row adds up to.
func (s *steps) addRow(row int, of *byLevel) {
	lo, hi := of.extent()
	if hi < lo {
		return
	}
	n := s.kinds.Count[row]
	s.matched[hi] += n
	for i := lo; i <= hi; i++ {
		s.pairs[i].plus(bits.Mul64(n, uint64(of[i].matches)))
		s.sum[i] += float64(n) * of[i].weight
	}
	for class := int32(s.kinds.first[row]); class != none; class = s.kinds.next[class] {
		s.addEntries(of, s.iv.entriesOf(int(class)), lo, hi)
	}
}

// addEntries adds what a row has from level lo to hi to the bars in which one of its classes has
// calls.
func (s *steps) addEntries(of *byLevel, entries []entry, lo, hi int) {
	for _, e := range entries {
		count, bar := float64(e.count), &s.bars[e.interval]
		for i := lo; i <= hi; i++ {
			bar[i].addCalls(count, e.start, &of[i])
		}
	}
}

// addStrip adds the sums of another strip of the same side.
func (s *steps) addStrip(t *steps) {
	for n := range levels {
		s.addLevel(n, t, n)
	}
}

// addLevel adds level m of t to level n.
func (s *steps) addLevel(n int, t *steps, m int) {
	for i := range s.bars {
		s.bars[i][n].plus(&t.bars[i][m])
	}
	s.pairs[n].plus(t.pairs[m].hi, t.pairs[m].lo)
	s.sum[n] += t.sum[m]
	s.matched[n] += t.matched[m]
}

// fillRungs makes the rungs from the top down: each adds the one above.
func (l *Ladder) fillRungs(sides [2]*steps) {
	for n := levels; n >= 0; n-- {
		r := &l.rungs[n]
		for s, of := range sides {
			if n < levels {
				of.addLevel(n, of, n+1)
			}
			r.Bars[s], r.MatchedCalls[s] = of.barsAt(n), of.matched[n]
		}
		a := sides[pair.A]
		r.Pairs, r.Saturated = a.pairs[n].saturated()
		r.SimilaritySum = a.sum[n]
	}
}

// barsAt returns the bars of level n.
func (s *steps) barsAt(n int) []Bar {
	bars := make([]Bar, len(s.bars))
	for i := range bars {
		bars[i] = s.bars[i][n].bar()
	}
	return bars
}

// uint128 is a number of matches.
type uint128 struct{ hi, lo uint64 }

func (u *uint128) plus(hi, lo uint64) {
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

// levels is the number of levels that a pair may have: 0 to 99, since no s exceeds 100/100.
const levels = 100

// byLevel is the sums over a row's pairs by level. A power of two as its length saves bounds
// checks.
type byLevel [128]amount

// extent returns the least and the greatest level that a pair has.
func (b *byLevel) extent() (lo, hi int) {
	lo, hi = 0, levels-1
	for lo < levels && b[lo].matches == 0 {
		lo++
	}
	for hi >= lo && b[hi].matches == 0 {
		hi--
	}
	return lo, hi
}

// inverses are the reciprocals of the sizes of unions: a pair needs a multiplication, not a
// division.
type inverses []inverse

type inverse struct {
	whole  float64 // 1/u
	scaled uint64  // ⌈2⁵⁶/u⌉
}

// mostInverses limits the table; for larger unions similarity divides.
const mostInverses = 1 << 15

func newInverses(identities int) inverses {
	p := make(inverses, min(identities+1, mostInverses))
	for u := uint64(1); u < uint64(len(p)); u++ {
		p[u] = inverse{1 / float64(u), (1<<56 + u - 1) / u}
	}
	return p
}

// similarity returns s and the level of a pair that shares common > 0 of union identities. The
// level is the largest whole number below 100·s, that is ⌊(100·common−1)/union⌋, and it is exact:
// the scaled reciprocal is too large by less than 1, so the product is too large by less than
// 100·union. That is less than 2⁵⁶/union, and a quotient that is not whole is at least 1/union
// below the next whole number.
func (p inverses) similarity(common, union uint32) (s float64, level uint64) {
	n := uint64(common)*levels - 1
	if int(union) >= len(p) {
		return float64(common) / float64(union), n / uint64(union)
	}
	u := &p[union]
	return float64(common) * u.whole, n * u.scaled >> 56
}
