package match

import (
	"context"

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

// GroupsIn finds the root matches at τ among the calls of a window of each side, by pair.Side. What
// holds a call of a window is in it too, so they are root matches of the whole. Cost follows the
// calls in the windows.
func (g *Graph) GroupsIn(ctx context.Context, tau Tau, w [2]Window,
	budget Budget) (*Groups, error) {
	s := newTopdown(g, tau, w[pair.B], budget.withDefaults())
	a := g.Sides[pair.A]
	type level struct {
		end   int // of the subtree
		cover *cover
	}
	for k, th := range a.Threads {
		v, first := w[pair.A].look(th), a.First[k]
		stack := []level{{th.Len(), &cover{number: 1}}}
		for i := v.next(0); i < th.Len() && s.why == ""; {
			if err := s.check(ctx); err != nil {
				return nil, err
			}
			for i >= stack[len(stack)-1].end {
				stack = stack[:len(stack)-1]
			}
			above := stack[len(stack)-1].cover
			c := s.visit(first+i, a.Class(first+i), above, th.Size[i] == 1)
			if c.calls == s.calls {
				i = v.next(th.Next(i))
				continue
			}
			if c != above {
				stack = append(stack, level{th.Next(i), c})
			}
			i = v.next(i + 1)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &Groups{s.roots, s.why}, nil
}
