package session

// Mate returns the call that AlignHere pairs the selected one with: that marked on the other side,
// else the one selected there just before, unless it has been aligned by hand or is the partner
// anyway.
func (st *State) Mate() Target {
	sel := st.Selected
	switch {
	case !sel.OK:
	case st.Mark.OK && st.Mark.Side != sel.Side:
		return st.Mark
	case st.Before.OK && st.Before.Side != sel.Side:
		if _, done := st.AnchorOf(st.Before); !done && st.Partner(sel) != st.Before {
			return st.Before
		}
	}
	return Target{}
}

// AlignHere takes the selected call for an anchor: with a call that is known on the other side it
// makes one, else it marks the call until one is chosen there.
func (s *Session) AlignHere() {
	st := &s.state
	if !st.Selected.OK || !st.Both() || st.Pair == nil {
		return
	}
	if mate := st.Mate(); mate.OK {
		s.Anchor(mate, st.Selected)
		return
	}
	if st.Mark == st.Selected {
		s.Unmark()
		return
	}
	s.MarkHere()
}

// MarkHere marks the selected call, whatever call is known on the other side.
func (s *Session) MarkHere() {
	s.apply(func(st *State) { st.Mark, st.Before = st.Selected, Target{} })
}

// Unmark forgets the call that waits for one on the other side.
func (s *Session) Unmark() { s.apply(func(st *State) { st.Mark = Target{} }) }
