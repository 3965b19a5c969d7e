package session

import (
	"slices"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Mend is given the value of a panic of the interface, which works with traces as jobs do. It
// reports whether a stored trace is to blame that was damaged while a side showed it, and then has
// that read anew: the interface can be made of what is left.
func (s *Session) Mend(panicked any) bool {
	lost, _ := s.Traces.Blame(panicked)
	if !s.readAnew(lost) {
		return false
	}
	s.joining = false // the step was not completed
	s.noteDamage()
	return true
}

// readAnew empties the sides that show traces whose files are damaged, and loads them again from
// their recordings. What was found of them is dropped without a look at them. It reports whether
// there was such a side.
func (s *Session) readAnew(lost []*trace.Trace) bool {
	var gone []pair.Side
	for side := range s.state.Sides {
		now := s.state.Sides[side]
		if now.Trace == nil || !slices.Contains(lost, now.Trace) {
			continue
		}
		gone = append(gone, pair.Side(side))
		s.state.Sides[side] = Side{}
		if now.asked != nil && s.Loading(pair.Side(side)) == nil { // else another one comes
			s.open(pair.Side(side), now.Path, *now.asked, now.chosen)
		}
	}
	if len(gone) == 0 {
		return false
	}
	for _, j := range slices.Clone(s.jobs) {
		if !j.loads && !j.apart {
			s.ask(j.slot)
		}
	}
	for _, side := range gone { // which may begin work with the other side
		s.show(side, Side{Focus: geom.Span{End: 1}})
	}
	return true
}

// noteDamage takes over which stored traces were found damaged.
func (s *Session) noteDamage() {
	news := s.Traces.News()
	if len(news) == 0 {
		return
	}
	s.apply(func(st *State) { st.Damaged = append(slices.Clone(st.Damaged), news...) })
	s.Say(news[len(news)-1].Sentence())
}
