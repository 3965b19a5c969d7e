package session

import (
	"context"
	"slices"
	"time"

	"diptych/internal/match"
)

const (
	distancesRest = 300 * time.Millisecond
	// distancesBudget bounds the steps that measuring distances may take: a second or two.
	distancesBudget = 4e9
)

// distancesOf is what the distances of bars depend on.
type distancesOf struct {
	ladder *match.Ladder
	tau    int
}

// wantDistances asks how far from the calls of each bar their matches lie, once τ rests.
func (s *Session) wantDistances() {
	f := s.state.Found
	of := distancesOf{f.Ladder, s.state.Tau}
	if of == s.sought.distances {
		return
	}
	s.sought.distances = of
	s.later(distancesSlot, "Measuring shifts", distancesRest, func(ctx context.Context, j *Job) func() {
		rung := *of.ladder.At(of.tau) // the ladder's own is shared
		for side, bars := range rung.Bars {
			rung.Bars[side] = slices.Clone(bars)
		}
		_, err := f.Graph.Distances(ctx, match.Hundredths(of.tau), of.ladder.Intervals, rung.Bars, distancesBudget)
		return func() {
			if s.failed(err) {
				return
			}
			s.apply(func(st *State) { st.amend(func(f *Found) { f.Rung = &rung }) })
		}
	})
}
