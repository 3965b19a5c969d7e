package session

import (
	"diptych/internal/geom"
	"diptych/internal/pair"
)

// The alignment shows on both sides what is paired. A stretch in which B alone has calls is no time
// at all in A, of which 20 ns are shown then. This is right beside the alignment, but nobody who
// only looked at it wants to find the other views so: they get back what they showed before.

// beside is what the sides showed before the alignment was looked at, and what they show since.
type beside struct{ before, since [2]geom.Span }

// sliver is the share of the time on one side below which the other side shows next to nothing.
const sliver = .01

// enterVirtual shows on both sides what is paired, as if the pair had just been laid out. The side
// that virtual time shows leads: the one that was moved last.
func (st *State) enterVirtual() {
	if st.Shown() == nil {
		return
	}
	lead := st.leader()
	if other := lead.Other(); !st.Selected.OK && st.Virtual == st.virtualOf(other) &&
		st.Virtual != st.virtualOf(lead) {
		lead = other
	}
	st.besidePaired(lead)
}

// besidePaired has the other side follow lead, and remembers what both showed until then.
func (st *State) besidePaired(lead pair.Side) {
	was := st.foci()
	st.focus(lead, st.Sides[lead].Focus)
	if st.View != Alignment {
		return
	}
	if was != st.beside.since {
		st.beside.before = was
	}
	st.beside.since = st.foci()
}

// leaveVirtual shows again what both sides showed before the alignment, if the user has moved
// neither since. Otherwise the other side keeps what is paired, but not if that is next to nothing.
func (st *State) leaveVirtual() {
	switch {
	case st.Lock != Free:
	case st.foci() == st.beside.since:
		for side := range st.Sides {
			st.Sides[side].Focus = st.within(pair.Side(side), st.beside.before[side])
		}
	default:
		for side := range st.Sides {
			sd, other := &st.Sides[side], &st.Sides[pair.Side(side).Other()]
			sd.Focus = widened(sd.Focus, other.Focus).Clamp(sd.Whole())
		}
	}
}

// widened returns f, or if that is next to none of the other focus, as much time around it.
func widened(f, other geom.Span) geom.Span {
	if f.Len() > sliver*other.Len() {
		return f
	}
	return geom.Span{Start: f.Mid() - other.Len()/2, End: f.Mid() + other.Len()/2}
}
