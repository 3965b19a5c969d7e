package match

import (
	"context"
	"fmt"
	"slices"

	"diptych/internal/pair"
)

// topdown is the state of a search for root matches. The topmost matches of a call u of A depend on
// its class alone; those of them that lie under no match of an ancestor of u are its roots. Below a
// call where matches cover all of B there is nothing to find.
type topdown struct {
	tau    Tau
	row    *row
	shared []uint32 // by class of B: the row
	b      *Classes
	views  []view // of B's threads
	calls  int    // in the subtrees of the views' roots

	tops   map[uint32][]span // by class of A: its topmost matches in B
	kept   int               // spans in tops
	quiet  []uint32          // by class of A: the cover that was last seen to hold all it matches
	covers uint32            // how many there were

	budget Budget
	steps  int64
	polled int64 // steps when the context was last looked at
	roots  []Group
	why    string
}

const tooMany = "too many matches to search for the roots among them"

func newTopdown(g *Graph, tau Tau, w Window, budget Budget) *topdown {
	a, b := g.Sides[pair.A], g.Sides[pair.B]
	s := &topdown{
		tau: tau, row: newRow(a, newColumns(b, len(g.Pair.Names))), shared: make([]uint32, len(b.Size)),
		b: b, tops: map[uint32][]span{}, quiet: make([]uint32, len(a.Size)), covers: 1, budget: budget,
	}
	for _, th := range b.Threads {
		v := w.look(th)
		s.views = append(s.views, v)
		for i := v.next(0); i < th.Len(); i = v.next(th.Next(i)) {
			s.calls += int(th.Size[i])
		}
	}
	return s
}

// check counts a step, and looks at the budget and the context now and then.
func (s *topdown) check(ctx context.Context) error {
	const rarely = 1 << 12
	s.steps++
	if s.steps-s.polled < rarely {
		return nil
	}
	s.polled = s.steps
	if s.steps > s.budget.Steps {
		s.why = tooMany
	}
	return ctx.Err()
}

// visit lists the roots at call u of the given class, and returns what is covered below it, which
// does not matter where it is a leaf.
func (s *topdown) visit(u int, class uint32, above *cover, leaf bool) *cover {
	if s.quiet[class] == above.number {
		return above
	}
	top, seen := s.tops[class]
	if !seen {
		top = s.find(class)
		s.tops[class] = top
		s.kept += len(top)
	}
	s.steps += int64(len(top) + len(above.spans))
	if above.holds(top) {
		s.quiet[class] = above.number
		return above
	}
	below := above
	root := func(fresh span) {
		if len(s.roots) == cap(s.roots) { // append grows by a quarter, and there may be a million
			s.roots = slices.Grow(s.roots, max(len(s.roots), 1<<12))
		}
		s.roots = append(s.roots, Group{u, fresh.from})
	}
	if leaf {
		above.without(top, root)
	} else {
		s.covers++
		below = above.with(top, s.covers, root)
	}
	switch {
	case len(s.roots) > s.budget.Roots:
		s.roots = s.roots[:s.budget.Roots]
		s.why = fmt.Sprintf("more than %d root matches", s.budget.Roots)
	case s.kept > s.budget.Roots:
		s.why = tooMany
	}
	return below
}

// find returns the topmost matches of a class of A. Of a subtree that has not enough in common with
// it no call has.
func (s *topdown) find(class uint32) []span {
	s.row.seek(int(class))
	s.row.common(s.shared)
	size := s.row.x.Size[class]
	var out []span
	for k := range s.views {
		v, first := &s.views[k], s.b.First[k]
		for j := v.next(0); j < v.Len(); s.steps++ {
			y := s.b.Class(first + j)
			common := s.shared[y]
			switch {
			case s.tau.Exceeded(common, size, s.b.Size[y]):
				out = append(out, span{first + j, first + v.Next(j)})
				j = v.next(v.Next(j))
			case !s.tau.Exceeded(common, size, common):
				j = v.next(v.Next(j)) // |Γ∩Γ(y)| / |Γ| is the most that s can be below y
			default:
				j = v.next(j + 1)
			}
		}
	}
	return out
}

// cover is the subtrees of B that calls of A on the stack match.
type cover struct {
	number uint32 // from 1
	spans  []span // ascending, none in another
	calls  int    // in the spans
}

// holds reports whether all of the spans, which are ascending, lie in the cover.
func (c *cover) holds(spans []span) bool {
	k := 0
	for _, t := range spans {
		for k < len(c.spans) && c.spans[k].to <= t.from {
			k++
		}
		if k == len(c.spans) || t.from < c.spans[k].from {
			return false
		}
	}
	return true
}

// without calls fresh for each span that is not in the cover.
func (c *cover) without(spans []span, fresh func(span)) {
	old := c.spans
	for _, t := range spans {
		for len(old) > 0 && old[0].to <= t.from {
			old = old[1:]
		}
		if len(old) == 0 || t.from < old[0].from {
			fresh(t)
		}
	}
}

// with returns the cover with more spans, and calls fresh for each that is not in it yet. Subtrees
// are in one another or apart.
func (c *cover) with(more []span, number uint32, fresh func(span)) *cover {
	out := &cover{number: number, spans: make([]span, 0, len(c.spans)+len(more))}
	old := c.spans
	for _, t := range more {
		for len(old) > 0 && old[0].to <= t.from {
			out.spans, old = append(out.spans, old[0]), old[1:]
		}
		if len(old) > 0 && old[0].from <= t.from {
			continue
		}
		fresh(t)
		for len(old) > 0 && old[0].from < t.to {
			old = old[1:]
		}
		out.spans = append(out.spans, t)
	}
	out.spans = append(out.spans, old...)
	for _, s := range out.spans {
		out.calls += s.to - s.from
	}
	return out
}
