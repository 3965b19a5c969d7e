package session

import (
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/wait"
)

// CriticalPath returns the critical path of a side, or nil while it is not known.
func (st *State) CriticalPath(side pair.Side) *wait.Path {
	if st.WaitsOf(side) == nil {
		return nil
	}
	return st.Waits.Paths[side]
}

// Stretch returns which stretch of a side's critical path is shown, as an index into its Segments,
// or −1.
func (st *State) Stretch(side pair.Side) int {
	p, k := st.CriticalPath(side), st.Circle().Stretch[side]-1
	if p == nil || k >= len(p.Segments) {
		return none
	}
	return k
}

// ShowStretch shows a stretch of a side's critical path: its thread moves to the middle, and so
// much time is in sight that the stretch fills half of it. The path is drawn from then on.
func (s *Session) ShowStretch(side pair.Side, k int) {
	p := s.state.CriticalPath(side)
	if p == nil || s.state.Pair == nil || k < 0 || k >= len(p.Segments) {
		return
	}
	at := &p.Segments[k]
	line := s.state.Pair.Of(side, int(at.Thread))
	s.SetWaitStyle(func(w *WaitStyle) { w.Critical = true })
	s.change(func(st *State) {
		st.focusLine(line)
		st.recircle(func(c *Circle) {
			c.Views = [2]map[int]geom.Span{}
			c.Stretch[side] = k + 1
		})
	})
	margin := max(float64(at.To-at.From)/2, minFocus)
	span := geom.Span{Start: float64(at.From) - margin, End: float64(at.To) + margin}
	if s.state.Lock != Free {
		s.SetFocus(side, span)
		return
	}
	s.glideTo(map[pair.Side]geom.Span{side: span})
}

// StepPath shows the stretch of a side's critical path that comes by so many after the one that is
// shown; at first the last one, or going forward the first.
func (s *Session) StepPath(side pair.Side, by int) {
	p, k := s.state.CriticalPath(side), s.state.Stretch(side)
	if p == nil {
		return
	}
	switch {
	case k == none && by < 0:
		k = len(p.Segments) - 1
	case k == none:
		k = 0
	default:
		k = min(max(k+by, 0), len(p.Segments)-1)
	}
	s.ShowStretch(side, k)
}
