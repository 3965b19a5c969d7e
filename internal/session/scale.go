package session

import (
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Two runs of unequal length look equally long if each fills the width. So both begin at one scale:
// the shorter run ends where its time is over, and the rest of its side stays free. Only where one
// run is several times as long as the other, that would leave too little of the shorter one.

const (
	// farApart is the ratio of lengths from which on each side begins at a scale of its own.
	farApart = 4
	// leastTail is the share of a trace without calls at its end that the first view leaves out.
	leastTail = .1
	tailRoom  = 1.02 // of the time until the last call
)

// lastCall returns when the last call of a side's threads ends, ns; of asynchronous tracks, which
// often last until the recording is stopped, only if there is nothing else.
func (s *Side) lastCall() float64 {
	var end [2]int64 // of asynchronous tracks, and of all others
	if s.Trace == nil {
		return s.Extent()
	}
	for _, th := range s.Trace.Threads {
		k := 1
		if th.Kind == trace.AsyncTrack {
			k = 0
		}
		_, last := th.Span()
		end[k] = max(end[k], last)
	}
	if end[1] == 0 {
		end[1] = end[0]
	}
	if last := float64(end[1]); last > 0 && last < (1-leastTail)*s.Extent() {
		return min(last*tailRoom, s.Extent())
	}
	return s.Extent()
}

// firstView shows each side until its last call, both at one scale if their lengths allow.
func (st *State) firstView() {
	a, b := st.Sides[pair.A].lastCall(), st.Sides[pair.B].lastCall()
	if st.Both() {
		st.setCommon(max(a, b) < farApart*min(a, b))
	}
	st.showCalls()
}

// showCalls shows each side until its last call, both until the later one if they are at one scale.
func (st *State) showCalls() {
	a, b := st.Sides[pair.A].lastCall(), st.Sides[pair.B].lastCall()
	for side, end := range [2]float64{a, b} {
		if st.Common {
			end = max(a, b)
		}
		st.Sides[side].Focus = st.within(pair.Side(side), geom.Span{End: end})
	}
}

// untouched reports whether both sides still show all of their traces, as they do when loaded.
func (st *State) untouched() bool {
	for side := range st.Sides {
		if sd := &st.Sides[side]; sd.Trace != nil && sd.Focus != sd.Whole() {
			return false
		}
	}
	return true
}

// setCommon gives both sides room for the longer trace, or each for its own alone.
func (st *State) setCommon(common bool) {
	st.Common = common
	room := 0.
	if common {
		room = max(st.Sides[pair.A].Extent(), st.Sides[pair.B].Extent())
	}
	for side := range st.Sides {
		st.Sides[side].Room = room
	}
}

// SameScale reports whether a stretch of time is as wide on either side.
func (st *State) SameScale() bool {
	a, b := st.Sides[pair.A].Focus.Len(), st.Sides[pair.B].Focus.Len()
	return max(a, b) <= 1.001*min(a, b)
}

// ToggleScale puts both sides at one scale, that of the one that shows more time; if they are, each
// shows all of its trace at a scale of its own.
func (s *Session) ToggleScale() {
	if !s.state.Both() {
		return
	}
	s.change(func(st *State) {
		same := st.SameScale() && st.Common
		st.setCommon(!same)
		longer := max(st.Sides[pair.A].Focus.Len(), st.Sides[pair.B].Focus.Len())
		for side := range st.Sides {
			f := st.Sides[side].Focus
			f.End = f.Start + longer
			if same {
				f = st.Sides[side].Whole()
			}
			st.Sides[side].Focus = st.within(pair.Side(side), f)
		}
		st.eachPane(func() { st.followFocus(pair.A) })
	})
}
