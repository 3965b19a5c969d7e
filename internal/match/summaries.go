package match

import (
	"cmp"
	"context"
	"slices"

	"diptych/internal/pair"
)

// Summary is what a list of groups tells about one of them.
type Summary struct {
	Group
	Share      [2]float64 // by pair.Side: how much of the window the root call covers, 0 to 1
	Matches    uint64     // 0 until they have been summed up
	Similarity float64    // mean of s over the matches
}

// SumUp returns the summaries of a list with the sums over their matches. The two calls of a group
// need not be a root match.
func (g *Graph) SumUp(ctx context.Context, tau Tau, list []Summary) ([]Summary, error) {
	groups := make([]Group, len(list))
	for i := range list {
		groups[i] = list[i].Group
	}
	sums, err := g.sumGroups(ctx, tau, groups, usualLimits)
	if err != nil {
		return nil, err
	}
	list = slices.Clone(list)
	for i, s := range sums {
		if list[i].Matches = s.matches; s.matches > 0 {
			list[i].Similarity = s.similarity / float64(s.matches)
		}
	}
	return list, nil
}

// shareCoveredBy returns how much of the window call i of a side covers.
func (w Window) shareCoveredBy(c *Classes, i int) float64 {
	thread, call := c.At(i)
	th := c.Threads[thread]
	return w.shareCovered(th.Start(call), th.End(call))
}

// TopGroups returns the n groups that cover the most time of their windows. They are ranked by the
// smaller of their two shares, then by the sum of both, then by their place in the list.
func (g *Graph) TopGroups(ctx context.Context, groups *Groups, w [2]Window, n int) ([]Summary, error) {
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
	list := make([]Summary, len(kept))
	for i, c := range kept {
		list[i] = g.summary(groups.List[c.at], w)
	}
	return list, nil
}

func (g *Graph) summary(group Group, w [2]Window) Summary {
	return Summary{Group: group, Share: [2]float64{
		w[pair.A].shareCoveredBy(g.Sides[pair.A], group.A), w[pair.B].shareCoveredBy(g.Sides[pair.B], group.B)}}
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
