package match

import (
	"context"
	"runtime"

	"golang.org/x/sync/errgroup"

	"diptych/internal/pair"
)

// sum is what the matches between two subtrees add up to. They have less than 2³² calls each, so
// their matches can be counted.
type sum struct {
	matches    uint64
	similarity float64 // Σ s
	root       float64 // s of the two roots
}

// Sizes returns the number of matches in each group.
func (g *Graph) Sizes(ctx context.Context, groups []Group, tau Tau) ([]uint64, error) {
	sums, err := g.sumUp(ctx, tau, groups, talliesAtOnce)
	if err != nil {
		return nil, err
	}
	out := make([]uint64, len(groups))
	for i := range out {
		out[i] = sums[i].matches
	}
	return out, nil
}

// talliesAtOnce bounds the memory of censuses, and the groups whose sums are made together: what is
// more takes several rounds.
const talliesAtOnce = 1 << 21

// portions is how many parts A's classes are divided into.
const portions = 8

// sumUp sums up the matches of each group. It goes through the classes of A as few times as memory
// allows, and for each through the censuses of B, once for all groups that have equal ones.
func (g *Graph) sumUp(ctx context.Context, tau Tau, groups []Group, atOnce int) ([]sum, error) {
	out := make([]sum, 0, len(groups))
	y := newColumns(g.Sides[pair.B], len(g.Pair.Names))
	for len(groups) > 0 {
		n := g.round(groups, atOnce)
		a, err := newCensuses(ctx, g.Sides[pair.A], groups[:n], func(g Group) int { return g.A })
		if err != nil {
			return nil, err
		}
		b, err := newCensuses(ctx, g.Sides[pair.B], groups[:n], func(g Group) int { return g.B })
		if err != nil {
			return nil, err
		}
		w := newSummation(tau, a, b, y)
		if err := w.run(ctx); err != nil {
			return nil, err
		}
		out = w.appendTo(out)
		groups = groups[n:]
	}
	return out, ctx.Err()
}

// round returns how many of the groups are summed up together, at least one.
func (g *Graph) round(groups []Group, atOnce int) int {
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

// A summation sums up pairs of censuses. A's classes are divided into as many portions whatever the
// number of processors, so that floating-point sums do not depend on it.
type summation struct {
	tau   Tau
	a, b  *censuses
	y     *columns
	pairs [][]meeting // by census of A
	of    []int32     // by group: the pair
	n     int         // pairs
	sums  [portions][]sum
}

// meeting is the census of B in a pair, and the pair's number.
type meeting struct{ b, pair int32 }

func newSummation(tau Tau, a, b *censuses, y *columns) *summation {
	w := &summation{tau: tau, a: a, b: b, y: y, pairs: make([][]meeting, len(a.list)),
		of: make([]int32, len(a.of))}
	numbers := map[[2]int32]int32{}
	for i := range a.of {
		key := [2]int32{a.of[i], b.of[i]}
		k, ok := numbers[key]
		if !ok {
			k = int32(len(numbers))
			numbers[key] = k
			w.pairs[key[0]] = append(w.pairs[key[0]], meeting{key[1], k})
		}
		w.of[i] = k
	}
	w.n = len(numbers)
	return w
}

func (w *summation) run(ctx context.Context) error {
	workers, ctx := errgroup.WithContext(ctx)
	workers.SetLimit(runtime.GOMAXPROCS(0))
	n := len(w.a.Size)
	for k := range portions {
		workers.Go(func() error {
			s := newSummand(w)
			w.sums[k] = s.sums
			for class := k * n / portions; class < (k+1)*n/portions; class++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				s.class(class)
			}
			return nil
		})
	}
	return workers.Wait()
}

// appendTo appends the groups' sums.
func (w *summation) appendTo(out []sum) []sum {
	for _, k := range w.of {
		var total sum
		for _, sums := range w.sums {
			s := sums[k]
			total.matches += s.matches
			total.similarity += s.similarity
			total.root = max(total.root, s.root)
		}
		out = append(out, total)
	}
	return out
}

// summand is what a portion of A's classes adds to the sums.
type summand struct {
	*summation
	row    *row
	shared []uint32 // by class of B
	hits   []hit    // by class of B
	list   []uint32 // the hits that are matches
	listed int      // how often censuses of B have them
	found  []found  // by census of B
	paired []int32  // those of them that the class's sums need
	sums   []sum    // by pair
}

// hit is the similarity of a match, or nothing.
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
		hits: make([]hit, n), found: make([]found, len(w.b.list)), sums: make([]sum, w.n)}
}

// class adds what calls of class k match.
func (s *summand) class(k int) {
	has := s.a.having(k)
	if len(has) == 0 {
		return
	}
	s.seek(k)
	s.look(k, has)
	for _, t := range has {
		root := int(s.a.list[t.class].root) == k
		for _, m := range s.pairs[t.class] {
			sum, f := &s.sums[m.pair], &s.found[m.b]
			sum.matches += uint64(t.calls) * f.matches
			sum.similarity += float64(t.calls) * f.s
			if root {
				sum.root = s.similarity(k, s.b.list[m.b].root)
			}
		}
	}
}

// seek makes the hits those of class k of A.
func (s *summand) seek(k int) {
	s.row.seek(k)
	s.row.common(s.shared)
	s.list, s.listed = s.list[:0], 0
	p, q := s.tau.fraction()
	size, hits, sizes := s.a.Size[k], s.hits[:len(s.shared)], s.y.Size[:len(s.shared)]
	for y, common := range s.shared {
		ySize := sizes[y]
		if uint64(common)*(q+p) <= p*(uint64(size)+uint64(ySize)) { // not tau.Exceeded
			hits[y] = hit{}
			continue
		}
		hits[y] = hit{float64(common) / float64(size+ySize-common), 1}
		s.list = append(s.list, uint32(y))
		s.listed += len(s.b.having(y))
	}
}

func (s *summand) similarity(k int, y uint32) float64 {
	common := s.shared[y]
	return float64(common) / float64(s.a.Size[k]+s.y.Size[y]-common)
}

// look finds what class k matches in the censuses of B that are paired with those it has calls in:
// in each of them, or, where that is less, through the classes it matches in all. Either way the
// order of summation is that of B's classes.
func (s *summand) look(k int, has []tally) {
	tallies := 0
	s.paired = s.paired[:0]
	for _, t := range has {
		for _, m := range s.pairs[t.class] {
			if f := &s.found[m.b]; f.class != k+1 {
				*f = found{class: k + 1}
				s.paired = append(s.paired, m.b)
				tallies += len(s.b.list[m.b].tallies)
			}
		}
	}
	if tallies > s.listed {
		for _, y := range s.list {
			h := s.hits[y]
			for _, t := range s.b.having(int(y)) {
				f := &s.found[t.class]
				f.matches += uint64(t.calls)
				f.s += h.s * float64(t.calls)
			}
		}
		return
	}
	for _, i := range s.paired {
		f := &s.found[i]
		for _, t := range s.b.list[i].tallies {
			h := s.hits[t.class]
			f.matches += h.is * uint64(t.calls)
			f.s += h.s * float64(t.calls)
		}
	}
}
