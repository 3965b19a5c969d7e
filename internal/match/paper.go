package match

import (
	"context"
	"fmt"

	"diptych/internal/pair"
)

// PaperGroup is a group by TraceDiff's literal rule: its root and how many matches were added.
type PaperGroup struct {
	Group
	Matches uint64
}

// maxPaper is how many pairs of calls the literal rule is applied to: it goes through them one by
// one.
const maxPaper = 1e10

// PaperGroups applies TraceDiff's literal rule: breadth-first over A, siblings in time order, each
// call's matches in breadth-first order of B; a match outside the subtrees of the current group
// starts a new one. Threads are siblings in order.
func (g *Graph) PaperGroups(ctx context.Context, tau Tau) ([]PaperGroup, error) {
	a, b := g.Sides[pair.A], g.Sides[pair.B]
	if n := float64(a.Len()) * float64(b.Len()); n > maxPaper {
		return nil, fmt.Errorf("groups by the paper's rule: %d × %d calls are more than %.0e pairs",
			a.Len(), b.Len(), maxPaper)
	}
	var (
		out    []PaperGroup
		as, bs span // the subtrees of the current group
		h      = g.newHits(tau)
		order  = b.breadthFirst()
	)
	for _, u := range a.breadthFirst() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		h.seek(int(a.Class(u)))
		for _, v := range order {
			if !h.hit[b.Class(v)] {
				continue
			}
			if !as.holds(u) || !bs.holds(v) {
				out = append(out, PaperGroup{Group: Group{u, v}})
				as, bs = span{u, a.Next(u)}, span{v, b.Next(v)}
			}
			out[len(out)-1].Matches++
		}
	}
	return out, nil
}

// breadthFirst returns the calls level by level; within a level breadth-first and pre-order agree.
func (c *Calls) breadthFirst() []int {
	var next []int // by depth: where the next call goes
	for _, th := range c.Threads {
		for _, d := range th.Depth {
			for int(d)+1 >= len(next) {
				next = append(next, 0)
			}
			next[d+1]++
		}
	}
	for d := 1; d < len(next); d++ {
		next[d] += next[d-1]
	}
	out := make([]int, c.Len())
	for k, th := range c.Threads {
		for i, d := range th.Depth {
			out[next[d]] = c.First[k] + i
			next[d]++
		}
	}
	return out
}
