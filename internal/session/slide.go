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

// AlignTo slides the other side so that the call that t matches best lies across from t: the starts
// of both are at the same share of the width. Asked again for the same call, it takes the next best
// match.
func (s *Session) AlignTo(t Target) {
	f := s.state.Found
	if f == nil || f.index(t) < 0 || !f.both() {
		return
	}
	if s.state.Lock != Free {
		s.Say("The sides are locked to each other: unlock them to align calls")
		return
	}
	of := slidOf{t, s.state.Tau, f.Graph, s.state.alignedFor()}
	if of == s.slid.of && len(s.slid.list) > 0 {
		s.slid.at = (s.slid.at + 1) % len(s.slid.list)
		s.slideToRanked()
		return
	}
	st, h := s.State(), s.state.Tau
	s.start(s.slotFor(slideSlot), "Looking for the match", func(ctx context.Context, j *Job) func() {
		list, err := st.best(ctx, t)
		return func() {
			switch {
			case s.failed(err):
			case len(list) == 0:
				s.Say(fmt.Sprintf("No match above τ = %.2f", float64(h)/100))
			default:
				s.slid = slid{of: of, list: list}
				s.slideToRanked()
			}
		}
	})
}

// slid is which of the best matches of a call the other side was slid to.
type slid struct {
	of   slidOf
	list []Ranked
	at   int // index into list
}

type slidOf struct {
	call    Target
	tau     int
	graph   *match.Graph
	aligned pairing
}

func (s *Session) slideToRanked() {
	x := &s.slid
	if n := len(x.list); n > 1 && x.at > 0 {
		s.Say(fmt.Sprintf("Match %d of the best %d: %s", x.at+1, n, s.state.FunctionName(x.list[x.at].Target)))
	}
	s.slideTo(x.of.call, x.list[x.at].Target)
}

// Ranked is one of the best matches of a call.
type Ranked struct {
	Target
	Rank match.Rank
}

// mostRanked is how many matches of a call are ranked.
const mostRanked = 5

// best returns the best matches of a call, the best first, by the rule that also says which of them
// is drawn.
func (st *State) best(ctx context.Context, t Target) ([]Ranked, error) {
	f := st.Found
	q := match.Query{Tau: match.Hundredths(st.Tau), Side: t.Side, Call: f.index(t),
		Aligned: func(side pair.Side, call int) int { return f.index(st.Partner(f.target(side, call))) }}
	for side, focus := range st.foci() {
		q.Shown[side] = [2]float64{focus.Start, focus.Len()}
	}
	ranks, err := f.Graph.Best(ctx, q, mostRanked)
	list := make([]Ranked, len(ranks))
	for i, r := range ranks {
		list[i] = Ranked{f.target(t.Side.Other(), r.Index), r}
	}
	return list, err
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
		s.Say("The sides no longer follow each other")
		s.apply(func(st *State) { st.Lock = Free })
	}
	root := f.Groups.List[i].Group
	spans := map[pair.Side]geom.Span{}
	for side, call := range map[pair.Side]int{pair.A: root.A, pair.B: root.B} {
		spans[side] = s.state.around(f.target(side, call))
		s.seek(f.target(side, call))
	}
	s.visited = visit{f.of, s.state.GroupsShown()}
	for side, span := range spans {
		s.visited.to.Focus[side] = s.state.within(side, span)
	}
	s.glideTo(spans)
	s.Select(f.target(pair.A, root.A))
}
