package session

import (
	"time"

	"diptych/internal/geom"
)

// settle is how long moves may follow each other and still be one step of the history.
const settle = 600 * time.Millisecond

// maxHistory bounds the number of steps kept.
const maxHistory = 200

// viewpoint is what the history remembers of a state.
type viewpoint struct {
	focus   [2]geom.Span
	scroll  [2]float32
	process bool
	current int
	view    View
	virtual geom.Span
	pairing pairing
	circle  *Circle
}

// history is a list of viewpoints with a position in it.
type history struct {
	steps []viewpoint
	at    int
	last  time.Time
}

func (st *State) viewpoint() viewpoint {
	v := viewpoint{process: st.Process, current: st.Current, view: st.View, virtual: st.Virtual,
		pairing: st.pairing(), circle: st.Circle}
	for i := range st.Sides {
		v.focus[i], v.scroll[i] = st.Sides[i].Focus, st.Sides[i].Scroll
	}
	return v
}

// record adds v at time now, replacing the newest step while the view is still moving. What is
// paired by hand is always a step of its own, and so is what gives threads other places.
func (h *history) record(v viewpoint, now time.Time) {
	if h.at < len(h.steps) && h.steps[h.at] == v {
		return
	}
	moving := now.Sub(h.last) < settle && h.at > 0 && h.at == len(h.steps)-1
	h.last = now
	if moving && h.steps[h.at].pairing == v.pairing && h.steps[h.at].circle.SamePlaces(v.circle) {
		h.steps[h.at] = v
		return
	}
	if len(h.steps) > 0 {
		h.steps = h.steps[:h.at+1]
	}
	h.steps = append(h.steps, v)
	if len(h.steps) > maxHistory {
		h.steps = h.steps[1:]
	}
	h.at = len(h.steps) - 1
}

// amend makes v what the present step leads to, if it pairs the same: where an alignment shows the
// step is not known before it is there.
func (h *history) amend(v viewpoint) {
	if h.at < len(h.steps) && h.steps[h.at].pairing == v.pairing {
		h.steps[h.at] = v
	}
}

// Back returns to the view before; it reports whether there was one.
func (s *Session) Back() bool { return s.walk(-1) }

// Forward undoes Back.
func (s *Session) Forward() bool { return s.walk(+1) }

// CanGo reports whether there are earlier and later views.
func (s *Session) CanGo() (back, forward bool) {
	return s.history.at > 0, s.history.at+1 < len(s.history.steps)
}

func (s *Session) walk(step int) bool {
	to := s.history.at + step
	if to < 0 || to >= len(s.history.steps) {
		return false
	}
	s.history.at = to
	s.history.last = time.Time{}
	v, anchors := s.history.steps[to], s.state.Anchors
	s.apply(func(st *State) {
		st.restore(v.pairing)
		st.Process, st.Current = v.process, v.current
		st.View, st.Virtual, st.Circle = v.view, v.virtual, v.circle.on(st.Pair)
		st.retrack()
		for i := range st.Sides {
			st.Sides[i].Focus, st.Sides[i].Scroll = v.focus[i], v.scroll[i]
		}
	})
	if s.state.Anchors != anchors {
		s.say("With " + counted(s.state.Anchors.Len()))
	}
	return true
}
