package match

import (
	"context"
	"fmt"
	"slices"

	"diptych/internal/pair"
)

// Group is a root match: a match (u,v) such that no other match has u or a caller of u on one side
// and v or a caller of v on the other. All matches between the subtrees of u and v are its members.
type Group struct{ A, B int } // u and v, as indices in the scope

// Groups are the root matches in pre-order of A, then of B.
type Groups struct {
	List []Group
	Why  string // why the list is not complete, or ""
}

// Budget limits the search for root matches. The zero value stands for the defaults.
type Budget struct {
	Roots int   // root matches listed; default 10⁶
	Steps int64 // calls and subtrees of B looked at; default 10⁹
}

func (b Budget) withDefaults() Budget {
	if b.Roots == 0 {
		b.Roots = 1e6
	}
	if b.Steps == 0 {
		b.Steps = 1e9
	}
	return b
}

// span is the calls [from, to).
type span struct{ from, to int }

func (s span) holds(i int) bool { return s.from <= i && i < s.to }

// Groups finds the root matches at τ.
func (g *Graph) Groups(ctx context.Context, tau Tau, budget Budget) (*Groups, error) {
	return g.GroupsIn(ctx, tau, [2]Window{Everything, Everything}, budget)
}

// GroupsIn finds the root matches at τ among the calls in a window of each side. If a call is in a
// window, so are its callers; so these are root matches of the whole traces too. The cost follows
// the number of calls in the windows.
func (g *Graph) GroupsIn(ctx context.Context, tau Tau, w [2]Window,
	budget Budget) (*Groups, error) {
	s := newTopdown(g, tau, w[pair.B], budget.withDefaults())
	a := g.Sides[pair.A]
	type level struct {
		end   int // of the subtree
		cover *cover
	}
	for k, th := range a.Threads {
		v, first := w[pair.A].viewOf(th), a.First[k]
		stack := []level{{th.Len(), &cover{number: 1}}}
		for i := v.nextCall(0); i < th.Len() && s.why == ""; {
			if err := s.checkBudget(ctx); err != nil {
				return nil, err
			}
			for i >= stack[len(stack)-1].end {
				stack = stack[:len(stack)-1]
			}
			above := stack[len(stack)-1].cover
			c := s.visitCall(first+i, a.Class(first+i), above, th.Size(i) == 1)
			if c.calls == s.calls {
				i = v.nextCall(th.Next(i))
				continue
			}
			if c != above {
				stack = append(stack, level{th.Next(i), c})
			}
			i = v.nextCall(i + 1)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &Groups{s.roots, s.why}, nil
}

// topdown is a search for root matches from callers to callees of A. The topmost matches of a call
// u depend only on its class. Those of them that are not in the subtree of a match of a caller of u
// are root matches. Once the matches of u and its callers cover all of B, nothing can be found
// below u.
type topdown struct {
	tau    Tau
	row    *row
	shared []uint32 // by class of B: the row
	b      *Classes
	views  []view // of B's threads
	calls  int    // in the subtrees of the views' roots

	tops   map[uint32][]span // by class of A: its topmost matches in B
	kept   int               // spans in tops
	quiet  []uint32          // by class of A: the last cover seen to contain all it matches
	covers uint32            // covers numbered so far

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
		v := w.viewOf(th)
		s.views = append(s.views, v)
		for i := v.nextCall(0); i < th.Len(); i = v.nextCall(th.Next(i)) {
			s.calls += int(th.Size(i))
		}
	}
	return s
}

// checkBudget counts a step, and looks at the budget and the context now and then.
func (s *topdown) checkBudget(ctx context.Context) error {
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

// visitCall lists the root matches of call u of the given class. It returns the cover for the calls
// below u; for a leaf, which has none, any cover.
func (s *topdown) visitCall(u int, class uint32, above *cover, leaf bool) *cover {
	if s.quiet[class] == above.number {
		return above
	}
	top, seen := s.tops[class]
	if !seen {
		top = s.topmostMatches(class)
		s.tops[class] = top
		s.kept += len(top)
	}
	s.steps += int64(len(top) + len(above.spans))
	if above.coversAll(top) {
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
		above.eachUncovered(top, root)
	} else {
		s.covers++
		below = above.extended(top, s.covers, root)
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

// topmostMatches returns the topmost matches of a class of A, as subtrees of B. If a subtree shares
// too few functions with the class, so does every call in that subtree, and it is skipped.
func (s *topdown) topmostMatches(class uint32) []span {
	s.row.seekClass(int(class))
	s.row.writeCommon(s.shared)
	size := s.row.x.Size[class]
	var out []span
	for k := range s.views {
		v, first := &s.views[k], s.b.First[k]
		for j := v.nextCall(0); j < v.Len(); s.steps++ {
			y := s.b.Class(first + j)
			common := s.shared[y]
			switch {
			case s.tau.Exceeded(common, size, s.b.Size[y]):
				out = append(out, span{first + j, first + v.Next(j)})
				j = v.nextCall(v.Next(j))
			case !s.tau.Exceeded(common, size, common):
				j = v.nextCall(v.Next(j)) // below y, s is at most |Γ∩Γ(y)| / |Γ|
			default:
				j = v.nextCall(j + 1)
			}
		}
	}
	return out
}

// cover is the subtrees of B whose roots match the current call of A or a caller of it.
type cover struct {
	number uint32 // from 1
	spans  []span // ascending, none within another
	calls  int    // in the spans
}

// coversAll reports whether all spans lie in the cover; they are ascending.
func (c *cover) coversAll(spans []span) bool {
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

// eachUncovered calls fresh for each span that does not lie in the cover.
func (c *cover) eachUncovered(spans []span, fresh func(span)) {
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

// extended returns the cover with more spans, and calls fresh for each that does not lie in it yet.
// Spans are subtrees, so two of them are nested or disjoint.
func (c *cover) extended(more []span, number uint32, fresh func(span)) *cover {
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
