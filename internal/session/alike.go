package session

import (
	"diptych/internal/pair"
	"diptych/internal/plural"
)

// Alike says which threads the matrix of similarities compares, if it is shown.
type Alike struct {
	Shown bool
	Scope pair.Scope
}

// CompareThreads compares the threads of a scope with each other.
func (s *Session) CompareThreads(sc pair.Scope) {
	s.apply(func(st *State) { st.Alike = Alike{Shown: true, Scope: sc} })
}

// EndComparingThreads compares no threads any more.
func (s *Session) EndComparingThreads() { s.apply(func(st *State) { st.Alike = Alike{} }) }

// RepairAll pairs threads as the user asked, in one step of the history. What is shown stays.
func (s *Session) RepairAll(pairs []pair.ThreadPair) {
	p := s.state.Pair
	if p == nil || len(pairs) == 0 {
		return
	}
	for _, t := range pairs {
		p = p.Repair(t.A, t.B)
	}
	dropped := 0
	s.change(func(st *State) {
		lines := newHeirs(st.Pair, p)
		chosen := st.Chosen
		dropped = st.repair(p, max(lines.of(st.Current), 0))
		st.Chosen = chosen
	})
	s.Say(plural.Of(len(pairs), "pair of threads was changed", "pairs of threads were changed") +
		alsoDropped(dropped))
}
