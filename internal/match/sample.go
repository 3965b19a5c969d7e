package match

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"diptych/internal/pair"
	"diptych/internal/progress"
)

// Comparing all classes takes seconds where there are very many. But calls are spread over classes
// most unevenly: of two traces of ten million calls, the 300 most frequent of 30,000 and of
// 265,000 classes have nine calls in ten, and 98 % of the similarity that the bars show. So a
// Sample compares these first, each with every class of the other side. What it knows is exact:
//
//	a class it has compared   its sums are those of a Result
//	a bar                     the sum over the calls compared so far; it can only grow
//	a settled bar             all its calls have been compared, so it is the bar of a Ladder
//
// A random sample of both sides would estimate the bars at once. It was refused, because no bar
// would then be true before the last.

// Sample is what the calls of the most frequent classes match, as bars. It is immutable: Refine
// returns the next.
type Sample struct {
	Tau    Tau
	Rounds int // of comparing; 0 while nothing is compared
	Sides  [2]SampledBars

	of *sampling
}

// SampledBars are one side's bars as far as they are known. All slices are by bar.
type SampledBars struct {
	Bars     []Bar    // sums over the calls that are compared; without Distance
	Calls    []uint64 // that start in the bar
	Compared []uint64 // of those, the calls of which all matches are in the bar

	weighed []uint64 // of Calls, those of which some matches are in the bar
	sums    []barSum
}

// newSampledBars returns the bars in which so many calls start, with nothing compared yet.
func newSampledBars(calls []uint64) SampledBars {
	n := len(calls)
	return SampledBars{Bars: make([]Bar, n), Calls: calls, Compared: make([]uint64, n),
		weighed: make([]uint64, n), sums: make([]barSum, n)}
}

// sampling is what all rounds have in common.
type sampling struct {
	graph     *Graph
	whole     bool // the graph has all calls of the scope that the bars are of
	columns   [2]*columns
	intervals [2]*Intervals
	order     [2][]uint32 // the classes to compare, the most frequent first
}

const (
	firstRound = 32 // classes a side; each further round has roundGrowth times as many
	// roundGrowth makes each round take longer than all before it together, so that the picture
	// changes a few times and then rests.
	roundGrowth = 4
	// sampleShare of the pairs of classes may be compared. Half of the time of a Ladder goes into
	// each side's rows, and a pair costs it twice what it costs a Sample.
	sampleShare = 64
	sampleParts = 8 // in which a round's rows are compared, at once
)

// SampleRows returns how many classes of each side a sample may compare at little cost beside that
// of comparing all: enough for a first round at least.
func (g *Graph) SampleRows() int {
	a, b := g.classPairs()
	return max(int(2*a*b/max(a+b, 1)/sampleShare), firstRound)
}

// ClassPairs returns how many pairs of classes there are, which is what comparing all of them costs
// at most.
func (g *Graph) ClassPairs() int64 {
	a, b := g.classPairs()
	return a * b
}

func (g *Graph) classPairs() (a, b int64) {
	return int64(len(g.Sides[pair.A].Base)), int64(len(g.Sides[pair.B].Base))
}

// Sample prepares samples of so many classes a side and of so many bars over the whole time of each
// trace. The first has nothing compared yet. Scope is that of the bars, which may have more calls
// than the graph: then each bar is a lower bound, and none is ever settled. The only error is
// ctx's.
func (g *Graph) Sample(ctx context.Context, tau Tau, bars [2]int, rows int, scope Scope) (
	*Sample, error) {
	var l Ladder
	if err := l.makeIntervals(ctx, g, bars); err != nil {
		return nil, err
	}
	of := &sampling{graph: g, whole: scope == g.Scope, intervals: l.Intervals}
	s := &Sample{Tau: tau, of: of}
	for side, c := range g.Sides {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		of.columns[side] = newColumns(c, len(g.Pair.Names))
		of.order[side] = c.mostFrequent(rows)
		calls := scope.calls(g.Pair, pair.Side(side))
		s.Sides[side] = newSampledBars(l.Intervals[side].starts(&calls))
	}
	return s, nil
}

// At returns a sample at another τ, with nothing compared yet.
func (s *Sample) At(tau Tau) *Sample {
	fresh := &Sample{Tau: tau, of: s.of}
	for side := range s.Sides {
		fresh.Sides[side] = newSampledBars(s.Sides[side].Calls)
	}
	return fresh
}

// Graph returns what is sampled.
func (s *Sample) Graph() *Graph { return s.of.graph }

// Whole reports whether the calls are compared with all of the other side's.
func (s *Sample) Whole() bool { return s.of.whole }

// Complete reports whether there is nothing to refine.
func (s *Sample) Complete() bool {
	return s.compared(pair.A) == len(s.of.order[pair.A]) &&
		s.compared(pair.B) == len(s.of.order[pair.B])
}

// compared returns how many classes of a side have been compared.
func (s *Sample) compared(side pair.Side) int {
	n, most := 0, len(s.of.order[side])
	for k, rows := 0, firstRound; k < s.Rounds && n < most; k, rows = k+1, rows*roundGrowth {
		n = rows
	}
	return min(n, most)
}

// Settled reports whether a bar is that of a Ladder.
func (s *Sample) Settled(side pair.Side, bar int) bool {
	of := &s.Sides[side]
	return of.Compared[bar] == of.Calls[bar]
}

// Share returns what part of the calls of both sides have been compared, in [0, 1].
func (s *Sample) Share() float64 {
	compared, calls := uint64(0), uint64(0)
	for side := range s.Sides {
		for k, n := range s.Sides[side].Calls {
			calls += n
			compared += s.Sides[side].weighed[k]
		}
	}
	return float64(compared) / float64(max(calls, 1))
}

// Refine compares the next most frequent classes of both sides, on all processors. The sums are
// added in the order of the classes' frequency, so they do not depend on the number of processors.
// report counts classes. The only error is ctx's.
func (s *Sample) Refine(ctx context.Context, report progress.Func) (*Sample, error) {
	next := &Sample{Tau: s.Tau, Rounds: s.Rounds + 1, of: s.of}
	m := progress.NewMeter(report, 0)
	var fresh [2][]uint32
	for side := range fresh {
		side := pair.Side(side)
		fresh[side] = s.of.order[side][s.compared(side):next.compared(side)]
		m.Expect(int64(len(fresh[side])))
	}
	least := s.Tau.least(len(s.of.graph.Pair.Names))
	for side, classes := range fresh {
		sums, err := s.of.compare(ctx, pair.Side(side), classes, least, m)
		if err != nil {
			return nil, err
		}
		next.Sides[side] = s.Sides[side].plus(s.of, pair.Side(side), classes, sums)
	}
	return next, nil
}

// compare returns what one call of each class matches on the other side.
func (of *sampling) compare(ctx context.Context, side pair.Side, classes, least []uint32,
	m *progress.Meter) ([]amount, error) {
	inOrder := make([]int, len(classes)) // a row is cheapest after one nearby
	for k := range inOrder {
		inOrder[k] = k
	}
	slices.SortFunc(inOrder, func(i, j int) int { return cmp.Compare(classes[i], classes[j]) })
	sums := make([]amount, len(classes))
	parts := min(sampleParts, (len(classes)+7)/8)
	err := progress.Spread(ctx, parts, func(p int) error {
		r := newRow(of.graph.Sides[side], of.columns[side.Other()])
		for _, k := range inOrder[p*len(classes)/parts : (p+1)*len(classes)/parts] {
			r.seekClass(int(classes[k]))
			sums[k] = r.sumMatches(least)
			if err := m.Add(ctx, 1); err != nil {
				return err
			}
		}
		return nil
	})
	return sums, err
}

// sumMatches adds up what the row's class matches.
func (r *row) sumMatches(least []uint32) (sum amount) {
	size, common := r.x.Size[r.at], int32(0)
	need, cells := least[size:], r.y.cells
	diff := r.diff[:len(cells)]
	for k, ySize := range r.y.Size[:len(cells)] {
		common += diff[k]
		if uint32(common) >= need[ySize] {
			s := float64(common) / float64(size+ySize-uint32(common))
			sum.addMatches(s, &cells[k])
		}
	}
	return sum
}

// plus returns the bars with the sums of further classes.
func (b *SampledBars) plus(of *sampling, side pair.Side, classes []uint32,
	sums []amount) SampledBars {
	out := SampledBars{Bars: make([]Bar, len(b.Bars)), Calls: b.Calls, sums: slices.Clone(b.sums),
		weighed: slices.Clone(b.weighed), Compared: b.Compared}
	for k, class := range classes {
		a := &sums[k]
		for _, e := range of.intervals[side].entriesOf(int(class)) {
			out.weighed[e.interval] += uint64(e.count)
			out.sums[e.interval].addCalls(float64(e.count), e.start, a)
		}
	}
	for k := range out.sums {
		out.Bars[k] = out.sums[k].bar()
	}
	if of.whole {
		out.Compared = out.weighed
	}
	return out
}

// mostFrequent returns the n classes with the most calls, the most frequent first.
func (c *Classes) mostFrequent(n int) []uint32 {
	var byLength [65]int // classes by the number of binary digits of Count
	for _, count := range c.Count {
		byLength[bits.Len64(count)]++
	}
	least, found := 64, byLength[64] // so that only few have to be sorted
	for found < n && least > 0 {
		least--
		found += byLength[least]
	}
	list := make([]uint32, 0, found)
	for k, count := range c.Count {
		if bits.Len64(count) >= least {
			list = append(list, uint32(k))
		}
	}
	slices.SortFunc(list, func(x, y uint32) int {
		return cmp.Or(cmp.Compare(c.Count[y], c.Count[x]), cmp.Compare(x, y))
	})
	return list[:min(n, len(list))]
}

// starts counts the calls that start in each interval.
func (iv *Intervals) starts(c *Calls) []uint64 {
	out := make([]uint64, iv.n)
	for _, th := range c.Threads {
		at := th.FirstFrom(iv.from, 0, th.Len())
		for k := range out {
			_, to := iv.span(k)
			next := th.FirstFrom(to, at, th.Len())
			out[k] += uint64(next - at)
			at = next
		}
	}
	return out
}
