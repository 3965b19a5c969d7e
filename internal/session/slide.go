package session

import (
	"context"
	"fmt"

	"diptych/internal/geom"
	"diptych/internal/match"
	"diptych/internal/pair"
)

// slideSlot is the slot of the job that looks for where to slide.
const slideSlot = "slide"

// AlignTo slides the other side so that what call t matches there lies across from it: the starts
// of both at the same share of the width.
func (s *Session) AlignTo(t Target) {
	f := s.state.Found
	if f == nil || f.index(t) < 0 || !f.both() {
		return
	}
	if s.state.Lock != Free {
		s.say("The sides are locked to each other: unlock them to align calls")
		return
	}
	g, i, h := f.Graph, f.index(t), s.state.Tau
	expected := s.state.expected(t.Side, i)
	s.start(s.slotFor(slideSlot), "Looking for the match", func(ctx context.Context, j *Job) func() {
		partner, ok, err := g.Partner(ctx, match.Hundredths(h), t.Side, i, expected)
		return func() {
			switch {
			case s.failed(err):
			case !ok:
				s.say(fmt.Sprintf("No match above τ = %.2f", float64(h)/100))
			default:
				s.slideTo(t, f.target(t.Side.Other(), partner.Call))
			}
		}
	})
}

// expected returns where in the other trace what happens at the start of call i of f's graph would
// be, ns: at the same share of the first group that holds it, else of what is shown.
func (st *State) expected(side pair.Side, i int) float64 {
	f, other := st.Found, side.Other()
	calls := f.Graph.Sides[side]
	at := float64(calls.Calls.Start(i))
	from, to := st.Sides[side].Focus, st.Sides[other].Focus
	for k := range f.Groups.List {
		roots := [2]int{f.Groups.List[k].A, f.Groups.List[k].B}
		if roots[side] <= i && i < calls.Next(roots[side]) {
			from, to = st.span(f.target(side, roots[side])), st.span(f.target(other, roots[other]))
			break
		}
	}
	return to.Start + to.Len()*share(at, from)
}

// share returns where in span a time is, from 0 to 1 if it is inside.
func share(at float64, span geom.Span) float64 {
	if span.Len() <= 0 {
		return 0
	}
	return (at - span.Start) / span.Len()
}

// slideTo slides the side of u so that u starts at the same share of the width as t.
func (s *Session) slideTo(t, u Target) {
	f := s.state.Sides[u.Side].Focus
	to := f.Start + f.Len()*share(s.state.span(t).Start, s.state.Sides[t.Side].Focus)
	s.glideTo(map[pair.Side]geom.Span{u.Side: f.Shift(s.state.span(u).Start - to)})
}

// FocusGroup shows both calls of the i-th group found, with margins, and selects the one of A.
func (s *Session) FocusGroup(i int) {
	f := s.state.Found
	if f == nil || i < 0 || i >= len(f.Groups.List) {
		return
	}
	if s.state.Lock != Free {
		s.say("The sides no longer follow each other")
		s.apply(func(st *State) { st.Lock = Free })
	}
	root := f.Groups.List[i].Group
	spans := map[pair.Side]geom.Span{}
	for side, call := range map[pair.Side]int{pair.A: root.A, pair.B: root.B} {
		spans[side] = s.state.around(f.target(side, call))
	}
	s.visited = GroupsOf{Tau: s.state.Tau, Focus: s.state.foci()}
	for side, span := range spans {
		s.visited.Focus[side] = s.state.within(side, span)
	}
	s.glideTo(spans)
	s.Select(f.target(pair.A, root.A))
}
