package match

import (
	"context"
	"slices"

	"diptych/internal/pair"
	"diptych/internal/progress"
)

// matchSum is the sum over the matches between two subtrees. Each has less than 2³² calls, so the
// number of matches fits 64 bits.
type matchSum struct {
	matches    uint64
	similarity float64 // Σ s
}

// Sizes returns the number of matches in each group.
func (g *Graph) Sizes(ctx context.Context, groups []Group, tau Tau) ([]uint64, error) {
	sums, err := g.sumGroups(ctx, tau, groups, usualLimits)
	if err != nil {
		return nil, err
	}
	out := make([]uint64, len(groups))
	for i := range out {
		out[i] = sums[i].matches
	}
	return out, nil
}

// sumLimits say how groups are summed up.
type sumLimits struct {
	atOnce int // tallies in the memory of a round; more groups take several rounds
	large  int // pairs of classes of a group from which on it is a comparison of its own
}

var usualLimits = sumLimits{atOnce: 1 << 21, large: 1 << 20}

// portions is how many parts A's classes are divided into, to be summed up concurrently.
const portions = 8

// sumGroups sums up the matches of each group, in as few rounds as memory allows. A round goes once
// through the classes of A, and for each class through the distinct censuses of B. That serves many
// groups of few classes. Groups of many are few, and compared by themselves: a loop over all pairs
// of their classes would take many times as long.
func (g *Graph) sumGroups(ctx context.Context, tau Tau, groups []Group,
	limits sumLimits) ([]matchSum, error) {
	out := make([]matchSum, 0, len(groups))
	y := newColumns(g.Sides[pair.B], len(g.Pair.Names))
	for len(groups) > 0 {
		n := g.groupsInRound(groups, limits.atOnce)
		a, err := newCensuses(ctx, g.Sides[pair.A], groups[:n], func(g Group) int { return g.A })
		if err != nil {
			return nil, err
		}
		b, err := newCensuses(ctx, g.Sides[pair.B], groups[:n], func(g Group) int { return g.B })
		if err != nil {
			return nil, err
		}
		w := newSummation(tau, a, b, y, limits.large)
		if err := w.addUp(ctx); err != nil {
			return nil, err
		}
		if err := w.compareLarge(ctx, g.Pair); err != nil {
			return nil, err
		}
		out = w.appendTo(out)
		groups = groups[n:]
	}
	return out, ctx.Err()
}

// groupsInRound returns how many of the groups the next round sums up, at least one.
func (g *Graph) groupsInRound(groups []Group, atOnce int) int {
	var met [2]map[int]bool
	tallies := 0
	for n, group := range groups {
		for side, i := range [2]int{group.A, group.B} {
			if met[side] == nil {
				met[side] = map[int]bool{}
			}
			if c := g.Sides[side]; !met[side][i] {
				met[side][i] = true
				tallies += min(c.Next(i)-i, len(c.Size))
			}
		}
		if n > 0 && (tallies > atOnce || n*portions > atOnce) {
			return n
		}
	}
	return len(groups)
}

// A summation sums up the matches of pairs of censuses. The number of portions is fixed, so that
// floating-point sums do not depend on the number of processors.
type summation struct {
	tau   Tau
	a, b  *censuses
	y     *columns
	pairs [][]meeting // by census of A, but for those that are large
	large [][]meeting // by census of A
	of    []int32     // by group: the pair
	n     int         // pairs
	sums  [portions][]matchSum
}

// meeting is the census of B in a pair, and the pair's number.
type meeting struct{ b, pair int32 }

func newSummation(tau Tau, a, b *censuses, y *columns, large int) *summation {
	w := &summation{tau: tau, a: a, b: b, y: y, pairs: make([][]meeting, len(a.list)),
		large: make([][]meeting, len(a.list)), of: make([]int32, len(a.of))}
	numbers := map[[2]int32]int32{}
	for i := range a.of {
		key := [2]int32{a.of[i], b.of[i]}
		k, ok := numbers[key]
		if !ok {
			k = int32(len(numbers))
			numbers[key] = k
			of := w.pairs
			if len(a.list[key[0]])*len(b.list[key[1]]) >= large {
				of = w.large
			}
			of[key[0]] = append(of[key[0]], meeting{key[1], k})
		}
		w.of[i] = k
	}
	w.n = len(numbers)
	return w
}

func (w *summation) addUp(ctx context.Context) error {
	workers, ctx := progress.NewGroup(ctx)
	workers.SetLimit(progress.Processors())
	n := len(w.a.Size)
	for k := range portions {
		workers.Go(func() error {
			s := newSummand(w)
			w.sums[k] = s.sums
			for class := k * n / portions; class < (k+1)*n/portions; class++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				s.addClass(class)
			}
			return nil
		})
	}
	return workers.Wait()
}

// compareLarge sums up the large pairs, one after the other, each on all processors.
func (w *summation) compareLarge(ctx context.Context, p *pair.Pair) error {
	for a, meetings := range w.large {
		if len(meetings) == 0 {
			continue
		}
		x := w.a.within(w.a.list[a])
		for _, m := range meetings {
			sub := Graph{Pair: p, Sides: [2]*Classes{x, w.b.within(w.b.list[m.b])}}
			r, err := sub.Match(ctx, w.tau, nil)
			if err != nil {
				return err
			}
			w.sums[0][m.pair] = matchSum{r.Pairs, r.SimilaritySum}
		}
	}
	return nil
}

// appendTo appends the groups' sums.
func (w *summation) appendTo(out []matchSum) []matchSum {
	for _, k := range w.of {
		var total matchSum
		for _, sums := range w.sums {
			s := sums[k]
			total.matches += s.matches
			total.similarity += s.similarity
		}
		out = append(out, total)
	}
	return out
}

// summand is what a portion of A's classes adds to the sums.
type summand struct {
	*summation
	row    *row
	shared []uint32   // by class of B
	hits   []hit      // by class of B
	list   []uint32   // the hits that are matches
	listed int        // tallies of B's censuses for the classes of list
	found  []found    // by census of B
	paired []int32    // the censuses of B that the class's sums need
	sums   []matchSum // by pair
}

// hit is whether a class of B is matched, and its similarity if so.
type hit struct {
	s  float64
	is uint64 // 0 or 1
}

// found is what a class of A matches in a census of B.
type found struct {
	class   int // 1 + that of A
	matches uint64
	s       float64
}

func newSummand(w *summation) *summand {
	n := len(w.y.Size)
	return &summand{summation: w, row: newRow(w.a.Classes, w.y), shared: make([]uint32, n),
		hits: make([]hit, n), found: make([]found, len(w.b.list)), sums: make([]matchSum, w.n)}
}

// addClass adds the matches of the calls of class k of A.
func (s *summand) addClass(k int) {
	has := s.a.withClass(k)
	if !slices.ContainsFunc(has, func(t tally) bool { return len(s.pairs[t.class]) > 0 }) {
		return
	}
	s.seekClass(k)
	s.matchCensuses(k, has)
	for _, t := range has {
		for _, m := range s.pairs[t.class] {
			sum, f := &s.sums[m.pair], &s.found[m.b]
			sum.matches += uint64(t.calls) * f.matches
			sum.similarity += float64(t.calls) * f.s
		}
	}
}

// seekClass computes the hits of class k of A.
func (s *summand) seekClass(k int) {
	s.row.seekClass(k)
	for _, y := range s.list {
		s.hits[y] = hit{}
	}
	s.list, s.listed = s.list[:0], 0
	clear(s.shared)
	for y := s.row.unchanged(0); y < len(s.shared); {
		y = s.addHits(k, y)
		y += s.row.unchanged(y)
	}
}

// addHits computes the hits from class y of B on, up to one that shares nothing with class k of A,
// and returns the class after that.
func (s *summand) addHits(k, y int) (next int) {
	p, q := s.tau.fraction()
	size, common, shared := s.a.Size[k], uint32(0), s.shared[y:]
	n := len(shared)
	hits, sizes, diff := s.hits[y:][:n], s.y.Size[y:][:n], s.row.diff[y:][:n]
	for i := range shared {
		common += uint32(diff[i])
		shared[i] = common
		ySize := sizes[i]
		if uint64(common)*(q+p) <= p*(uint64(size)+uint64(ySize)) { // not tau.Exceeded
			if common == 0 {
				return y + i + 1
			}
			continue
		}
		hits[i] = hit{float64(common) / float64(size+ySize-common), 1}
		s.list = append(s.list, uint32(y+i))
		s.listed += len(s.b.withClass(y + i))
	}
	return y + n
}

// listedCost is what a tally costs that is found by its class, in tallies of a census at hand.
const listedCost = 3

// matchCensuses finds what class k of A matches in each census of B that its sums need; has is the
// censuses of A with calls of class k. It goes through the tallies of those censuses of B, or
// through the classes that k matches and the censuses that have them, whichever are fewer. Either
// way it sums up in the order of B's classes, so that the result is the same to the last bit.
func (s *summand) matchCensuses(k int, has []tally) {
	tallies := 0
	s.paired = s.paired[:0]
	for _, t := range has {
		for _, m := range s.pairs[t.class] {
			if f := &s.found[m.b]; f.class != k+1 {
				*f = found{class: k + 1}
				s.paired = append(s.paired, m.b)
				tallies += len(s.b.list[m.b])
			}
		}
	}
	if tallies > listedCost*s.listed {
		for _, y := range s.list {
			h := s.hits[y]
			for _, t := range s.b.withClass(int(y)) {
				f := &s.found[t.class]
				f.matches += uint64(t.calls)
				f.s += h.s * float64(t.calls)
			}
		}
		return
	}
	for _, i := range s.paired {
		f := s.found[i]
		for _, t := range s.b.list[i] {
			h := &s.hits[t.class]
			f.matches += h.is * uint64(t.calls)
			f.s += h.s * float64(t.calls)
		}
		s.found[i] = f
	}
}
