package session

import (
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// ShowWaits shows one wait on each side, as indices into its Waits, −1 for none: the thread that
// waited moves to the middle, unfolded, and so much time is in sight that the wait fills half of
// it. The longer of the two is selected.
func (s *Session) ShowWaits(waits [2]int) {
	lead, ok := s.state.longer(waits)
	if !ok {
		return
	}
	a := s.state.WaitsOf(lead)
	line := s.state.Pair.Of(lead, int(a.Waits.Thread[waits[lead]]))
	s.change(func(st *State) {
		st.focusLine(line)
		st.recircle(func(c *Circle) {
			c.Views = [2]map[int]geom.Span{}
			for side, w := range waits {
				// The wait may lie on a folded level.
				if a := st.WaitsOf(pair.Side(side)); a != nil && w >= 0 {
					c.Folds[side] = with(c.Folds[side], int(a.Waits.Thread[w]), none)
				}
			}
		})
	})
	spans := map[pair.Side]geom.Span{}
	for _, side := range []pair.Side{lead.Other(), lead} {
		if w := waits[side]; w >= 0 {
			t := s.state.waitCall(side, w)
			s.Select(t)
			spans[side] = s.state.amid(t)
		}
	}
	if s.state.Lock != Free {
		s.SetFocus(lead, spans[lead])
		return
	}
	s.glideTo(spans)
}

// longer returns the side whose wait lasted longer.
func (st *State) longer(waits [2]int) (side pair.Side, ok bool) {
	best := int64(-1)
	for _, k := range []pair.Side{pair.A, pair.B} {
		if a := st.WaitsOf(k); a != nil && waits[k] >= 0 && a.Waits.Dur(waits[k]) > best {
			side, best, ok = k, a.Waits.Dur(waits[k]), true
		}
	}
	return side, ok && st.Pair != nil
}

// waitCall returns wait w of a side as a call.
func (st *State) waitCall(side pair.Side, w int) Target {
	ws := &st.WaitsOf(side).Waits
	return Target{Side: side, OK: true, Ref: trace.CallRef{Thread: ws.Thread[w], Call: ws.Call[w]}}
}

// amid returns the time of call t with half of it on either side.
func (st *State) amid(t Target) geom.Span {
	span := st.span(t)
	margin := max(span.Len()/2, minFocus)
	return geom.Span{Start: span.Start - margin, End: span.End + margin}
}
