package match

import (
	"cmp"
	"context"
	"slices"

	"diptych/internal/pair"
)

// Summary is what a list of groups says of one.
type Summary struct {
	Group
	Matches    uint64
	Similarity float64    // mean of s over them
	Root       float64    // s of the root match
	Share      [2]float64 // by pair.Side: how much of its window the root call covers, 0 to 1
}

// Summaries sums up each group, whose calls may be any two.
func (g *Graph) Summaries(ctx context.Context, tau Tau, groups []Group,
	w [2]Window) ([]Summary, error) {
	sums, err := g.sumUp(ctx, tau, groups, talliesAtOnce)
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
			out[i].Share[side] = w[side].shareOf(g.Sides[side], call)
		}
	}
	return out, nil
}

// shareOf returns how much of a window call i of a side covers.
func (w Window) shareOf(c *Classes, i int) float64 {
	thread, call := c.At(i)
	th := c.Threads[thread]
	return w.share(th.Start[call], th.End[call])
}

// TopGroups sums up the n groups that cover the most time: of two the one whose smaller share is
// larger, then the one whose shares add up to more, then the one listed first.
func (g *Graph) TopGroups(ctx context.Context, tau Tau, groups *Groups, w [2]Window,
	n int) ([]Summary, error) {
	best := largest{n: max(n, 0)}
	last, a := none, 0.0
	for i, group := range groups.List {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if group.A != last { // neighbours often have the same
			last, a = group.A, w[pair.A].shareOf(g.Sides[pair.A], group.A)
		}
		b := w[pair.B].shareOf(g.Sides[pair.B], group.B)
		best.offer(candidate{i, min(a, b), a + b})
	}
	kept := best.take()
	list := make([]Group, len(kept))
	for i, c := range kept {
		list[i] = groups.List[c.at]
	}
	return g.Summaries(ctx, tau, list, w)
}

// candidate is a group by its index in the list, with its smaller share and the sum of both.
type candidate struct {
	at         int
	least, sum float64
}

func (c candidate) compare(d candidate) int {
	return cmp.Or(cmp.Compare(d.least, c.least), cmp.Compare(d.sum, c.sum), cmp.Compare(c.at, d.at))
}

// largest keeps the first n of many candidates: up to twice as many until they are sorted.
type largest struct {
	n    int
	list []candidate
	full bool // the n-th of list is a bound
}

func (l *largest) offer(c candidate) {
	if l.n == 0 || l.full && c.compare(l.list[l.n-1]) > 0 {
		return
	}
	l.list = append(l.list, c)
	if len(l.list) == 2*l.n {
		l.take()
	}
}

func (l *largest) take() []candidate {
	slices.SortFunc(l.list, candidate.compare)
	l.list = l.list[:min(l.n, len(l.list))]
	l.full = len(l.list) == l.n
	return l.list
}
