package match

import (
	"context"
	"fmt"

	"diptych/internal/pair"
)

// Group is a root match: a match such that no other has calls that are these or ancestors of these.
// Its members are all matches in S(A)×S(B), which two tests of pre-order intervals decide.
type Group struct{ A, B int } // pre-order indices in the scope

// Groups are the root matches in pre-order of A, then of B.
type Groups struct {
	List []Group
	Why  string // why they are not all, or ""
}

// Budget bounds the search for root matches. The zero value means the defaults.
type Budget struct {
	Roots int   // root matches listed; default 10⁶
	Steps int64 // calls of B looked at; default 10⁹
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

// Groups finds the root matches at τ from the top down. The topmost matches of a call u of A
// depend on its class alone; those of them that lie under no match of an ancestor of u are its
// roots. Below a call where matches cover all of B there is nothing to find.
func (g *Graph) Groups(ctx context.Context, tau Tau, budget Budget) (*Groups, error) {
	s := &topdown{hits: g.newHits(tau), budget: budget.withDefaults(), topmost: map[uint32][]span{}}
	a := g.Sides[pair.A]
	type level struct {
		end     int // of the subtree
		covered []span
	}
	for k, th := range a.Threads {
		first := a.First[k]
		stack := []level{{end: th.Len()}}
		for i := 0; i < th.Len() && s.why == ""; {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for i >= stack[len(stack)-1].end {
				stack = stack[:len(stack)-1]
			}
			covered := s.visit(first+i, a.Of[first+i], stack[len(stack)-1].covered)
			if s.all(covered) {
				i = th.Next(i)
				continue
			}
			stack = append(stack, level{th.Next(i), covered})
			i++
		}
	}
	return &Groups{s.roots, s.why}, nil
}

// topdown is the state of the search.
type topdown struct {
	*hits
	budget  Budget
	topmost map[uint32][]span // by class of A: subtrees of B whose roots match it, none in another
	kept    int               // spans in topmost
	roots   []Group
	why     string
}

// visit lists the roots at call u of the given class, and returns what is covered below it.
func (s *topdown) visit(u int, class uint32, covered []span) []span {
	top, seen := s.topmost[class]
	if !seen {
		top = s.find(class)
		s.topmost[class] = top
	}
	merged, k := make([]span, 0, len(covered)+len(top)), 0
	for _, t := range top {
		for k < len(covered) && covered[k].to <= t.from {
			merged = append(merged, covered[k])
			k++
		}
		if k < len(covered) && covered[k].from <= t.from {
			continue
		}
		s.roots = append(s.roots, Group{u, t.from})
		for k < len(covered) && covered[k].from < t.to {
			k++ // it lies within t
		}
		merged = append(merged, t)
	}
	if len(s.roots) > s.budget.Roots {
		s.roots = s.roots[:s.budget.Roots]
		s.why = fmt.Sprintf("more than %d root matches", s.budget.Roots)
	}
	return append(merged, covered[k:]...)
}

// find returns the topmost matches of a class of A.
func (s *topdown) find(class uint32) []span {
	s.seek(int(class))
	var out []span
	b := s.y
	for k, th := range b.Threads {
		first := b.First[k]
		for j := 0; j < th.Len(); s.budget.Steps-- {
			if !s.hit[b.Of[first+j]] {
				j++
				continue
			}
			out = append(out, span{first + j, first + th.Next(j)})
			j = th.Next(j)
		}
	}
	s.kept += len(out)
	if s.budget.Steps < 0 || s.kept > s.budget.Roots {
		s.why = "too many matches to search for the roots among them"
	}
	return out
}

// all reports whether disjoint subtrees are all calls of B.
func (s *topdown) all(covered []span) bool {
	n := 0
	for _, c := range covered {
		n += c.to - c.from
	}
	return n == s.y.Len()
}
