package session

import (
	"context"

	"diptych/internal/match"
)

// Chosen is what the selected call matches.
type Chosen struct {
	Of   Target
	Tau  int
	Sums match.Call
	Best Target  // the call it is most like, near where it would be expected; not OK if there is none
	S    float64 // their similarity
}

// chosenOf is what Chosen depends on.
type chosenOf struct {
	call  Target
	tau   int
	graph *match.Graph
}

// wantChosen asks what the selected call matches.
func (s *Session) wantChosen() {
	f := s.state.Found
	of := chosenOf{s.state.Selected, s.state.Tau, f.Graph}
	i := f.index(of.call)
	if i < 0 {
		of = chosenOf{}
	}
	if of == s.sought.chosen {
		return
	}
	s.sought.chosen = of
	if i < 0 {
		s.cancel(chosenSlot)
		s.state.amend(func(f *Found) { f.Chosen = nil })
		return
	}
	side, tau, expected := of.call.Side, match.Hundredths(of.tau), s.state.expected(of.call.Side, i)
	s.start(chosenSlot, "Looking for the match", func(ctx context.Context, j *Job) func() {
		c := &Chosen{Of: of.call, Tau: of.tau, Sums: f.Graph.Call(tau, side, i)}
		best, ok, err := f.Graph.Partner(ctx, tau, side, i, expected)
		if ok {
			c.Best, c.S = f.target(side.Other(), best.Call), best.S
		}
		return func() {
			if !s.failed(err) {
				s.apply(func(st *State) { st.amend(func(f *Found) { f.Chosen = c }) })
			}
		}
	})
}
