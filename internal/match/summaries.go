package match

import (
	"cmp"
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"diptych/internal/pair"
	"diptych/internal/progress"
)

// Summary is what a list of groups tells about one of them.
type Summary struct {
	Group
	Matches    uint64
	Similarity float64    // mean of s over the matches
	Root       float64    // s of the root match
	Share      [2]float64 // by pair.Side: how much of the window the root call covers, 0 to 1
}

// Summaries sums up each group. Its two calls need not be a root match.
func (g *Graph) Summaries(ctx context.Context, tau Tau, groups []Group,
	w [2]Window) ([]Summary, error) {
	sums, err := g.sumGroups(ctx, tau, groups, talliesAtOnce)
	if err != nil {
		return nil, err
	}
	out := make([]Summary, len(groups))
	for i, group := range groups {
		s := sums[i]
		out[i] = Summary{Group: group, Matches: s.matches, Root: s.root}
		if s.matches > 0 {
			out[i].Similarity = s.similarity / float64(s.matches)
		}
		for side, call := range [2]int{group.A, group.B} {
			out[i].Share[side] = w[side].shareCoveredBy(g.Sides[side], call)
		}
	}
	return out, nil
}

// shareCoveredBy returns how much of the window call i of a side covers.
func (w Window) shareCoveredBy(c *Classes, i int) float64 {
	thread, call := c.At(i)
	th := c.Threads[thread]
	return w.shareCovered(th.Start(call), th.End(call))
}

// TopGroups sums up the n groups that cover the most time of their windows. They are ranked by the
// smaller of their two shares, then by the sum of both, then by their place in the list.
func (g *Graph) TopGroups(ctx context.Context, tau Tau, groups *Groups, w [2]Window,
	n int) ([]Summary, error) {
	best := largest{n: max(n, 0)}
	last, a := none, 0.0
	for i, group := range groups.List {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if group.A != last { // neighbours often have the same
			last, a = group.A, w[pair.A].shareCoveredBy(g.Sides[pair.A], group.A)
		}
		b := w[pair.B].shareCoveredBy(g.Sides[pair.B], group.B)
		best.offer(candidate{i, min(a, b), a + b})
	}
	kept := best.keepFirst()
	list := make([]Group, len(kept))
	for i, c := range kept {
		list[i] = groups.List[c.at]
	}
	return g.Summaries(ctx, tau, list, w)
}

// candidate is a group, as an index into the list, with its smaller share and the sum of both.
type candidate struct {
	at         int
	least, sum float64
}

func (c candidate) compare(d candidate) int {
	return cmp.Or(cmp.Compare(d.least, c.least), cmp.Compare(d.sum, c.sum), cmp.Compare(c.at, d.at))
}

// largest keeps the first n of many candidates. It collects up to 2n before it sorts and drops.
type largest struct {
	n    int
	list []candidate
	full bool // there are n, so one that ranks after list[n−1] can be dropped
}

func (l *largest) offer(c candidate) {
	if l.n == 0 || l.full && c.compare(l.list[l.n-1]) > 0 {
		return
	}
	l.list = append(l.list, c)
	if len(l.list) == 2*l.n {
		l.keepFirst()
	}
}

func (l *largest) keepFirst() []candidate {
	slices.SortFunc(l.list, candidate.compare)
	l.list = l.list[:min(l.n, len(l.list))]
	l.full = len(l.list) == l.n
	return l.list
}

// matchSum is the sum over the matches between two subtrees. Each has less than 2³² calls, so the
// number of matches fits 64 bits.
type matchSum struct {
	matches    uint64
	similarity float64 // Σ s
	root       float64 // s of the two roots
}

// Sizes returns the number of matches in each group.
func (g *Graph) Sizes(ctx context.Context, groups []Group, tau Tau) ([]uint64, error) {
	sums, err := g.sumGroups(ctx, tau, groups, talliesAtOnce)
	if err != nil {
		return nil, err
	}
	out := make([]uint64, len(groups))
	for i := range out {
		out[i] = sums[i].matches
	}
	return out, nil
}

// talliesAtOnce limits the memory of a round, in tallies. More groups take several rounds.
const talliesAtOnce = 1 << 21

// portions is how many parts A's classes are divided into, to be summed up concurrently.
const portions = 8

// sumGroups sums up the matches of each group, in as few rounds as memory allows. A round goes once
// through the classes of A, and for each class through the distinct censuses of B.
func (g *Graph) sumGroups(ctx context.Context, tau Tau, groups []Group,
	atOnce int) ([]matchSum, error) {
	out := make([]matchSum, 0, len(groups))
	y := newColumns(g.Sides[pair.B], len(g.Pair.Names))
	for len(groups) > 0 {
		n := g.groupsInRound(groups, atOnce)
		a, err := newCensuses(ctx, g.Sides[pair.A], groups[:n], func(g Group) int { return g.A })
		if err != nil {
			return nil, err
		}
		b, err := newCensuses(ctx, g.Sides[pair.B], groups[:n], func(g Group) int { return g.B })
		if err != nil {
			return nil, err
		}
		w := newSummation(tau, a, b, y)
		if err := w.addUp(ctx); err != nil {
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
	pairs [][]meeting // by census of A
	of    []int32     // by group: the pair
	n     int         // pairs
	sums  [portions][]matchSum
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

func (w *summation) addUp(ctx context.Context) error {
	workers, ctx := errgroup.WithContext(ctx)
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

// appendTo appends the groups' sums.
func (w *summation) appendTo(out []matchSum) []matchSum {
	for _, k := range w.of {
		var total matchSum
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
	if len(has) == 0 {
		return
	}
	s.seekClass(k)
	s.matchCensuses(k, has)
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

func (s *summand) similarity(k int, y uint32) float64 {
	common := s.shared[y]
	return float64(common) / float64(s.a.Size[k]+s.y.Size[y]-common)
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
				tallies += len(s.b.list[m.b].tallies)
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
		for _, t := range s.b.list[i].tallies {
			h := &s.hits[t.class]
			f.matches += h.is * uint64(t.calls)
			f.s += h.s * float64(t.calls)
		}
		s.found[i] = f
	}
}
