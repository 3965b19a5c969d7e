package session

import (
	"context"
	"time"

	"diptych/internal/match"
)

// litRest is how long the pointer rests on a call before its matches are looked for.
const litRest = 40 * time.Millisecond

// litOf is what Lit depends on.
type litOf struct {
	call   Target
	tau    int
	ladder *match.Ladder
}

// wantLit asks which bars hold matches of the calls below the hovered one.
func (s *Session) wantLit() {
	f := s.state.Found
	of := litOf{s.state.Hover, s.state.Tau, f.Ladder}
	i := f.index(of.call)
	if i < 0 {
		of = litOf{}
	}
	if of == s.sought.lit {
		return
	}
	s.sought.lit = of
	if i < 0 {
		s.cancel(litSlot)
		s.state.amend(func(f *Found) { f.Lit = Lit{} })
		return
	}
	s.later(litSlot, "Looking for matches", litRest, func(ctx context.Context, j *Job) func() {
		bars, err := f.Graph.Lit(ctx, match.Hundredths(of.tau), of.call.Side, i, f.Ladder.Intervals)
		return func() {
			if s.failed(err) {
				return
			}
			s.apply(func(st *State) {
				st.amend(func(f *Found) { f.Lit = Lit{of.call, bars} })
			})
		}
	})
}
