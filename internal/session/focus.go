package session

import (
	"math"

	"diptych/internal/geom"
	"diptych/internal/pair"
)

// minFocus is the shortest span a side zooms to, in ns. Far from 0, where a float64 does not tell
// ns apart, it is minShare of the time: after fifty years, 24 µs.
const (
	minFocus = 20
	minShare = 0x1p-46
)

// ShortestFocus returns the length of the shortest span a side zooms to that begins or ends as f
// does.
func ShortestFocus(f geom.Span) float64 {
	return max(minFocus, minShare*max(math.Abs(f.Start), math.Abs(f.End)))
}

// SetFocus shows span on side, kept within the trace, and moves the other side as the lock says.
func (s *Session) SetFocus(side pair.Side, span geom.Span) {
	s.change(func(st *State) { st.focus(side, span) })
}

// Zoom scales side's focus by factor (below 1 zooms in) and holds the time at in place.
func (s *Session) Zoom(side pair.Side, at, factor float64) {
	f := s.state.Sides[side].Focus
	whole := s.state.Sides[side].Whole()
	factor = max(factor, ShortestFocus(f)/f.Len())
	factor = min(factor, whole.Len()/f.Len())
	s.SetFocus(side, f.ZoomAt(at, factor))
}

// Pan moves side's focus by dt ns.
func (s *Session) Pan(side pair.Side, dt float64) {
	s.SetFocus(side, s.state.Sides[side].Focus.Shift(dt))
}

// Scroll moves the tracks of side by dy px; views bound it by what they show.
func (s *Session) Scroll(side pair.Side, to float32) {
	if to < 0 {
		to = 0
	}
	if s.state.Scroll[side] != to {
		s.change(func(st *State) { st.Scroll[side] = to })
	}
}

// ShowAll shows both traces whole.
func (s *Session) ShowAll() {
	s.change(func(st *State) {
		for i := range st.Sides {
			st.Sides[i].Focus = st.Sides[i].Whole()
		}
		st.eachPane(func() {
			st.Scroll, st.Virtual = [2]float32{}, st.wholeVirtual()
			if st.View == Threads {
				st.recircle(func(c *Circle) { c.Views = [2]map[int]geom.Span{} })
			}
		})
	})
}

// Fit shows call t with a margin of a tenth on either side, and its stack level.
func (s *Session) Fit(t Target) {
	if !t.OK {
		return
	}
	s.seek(t)
	s.SetFocus(t.Side, s.state.around(t))
}

// around returns the time of call t with a margin of a tenth on either side.
func (st *State) around(t Target) geom.Span {
	span := st.span(t)
	margin := max(span.Len()*0.1, minFocus/2)
	return geom.Span{Start: span.Start - margin, End: span.End + margin}
}

// span returns the time of call t.
func (st *State) span(t Target) geom.Span {
	th, i := st.Call(t)
	return geom.Span{Start: float64(th.Start(i)), End: float64(th.End(i))}
}

// SetLock chooses how the sides follow each other; the side given leads at once.
func (s *Session) SetLock(l Lock, leader pair.Side) {
	if l == Absolute && !s.state.SharesClock() {
		s.Say("The recordings do not overlap on the clock: the sides stay on their own")
		l = Free
	}
	s.change(func(st *State) {
		st.Lock = l
		if st.Both() {
			st.focus(leader, st.Sides[leader].Focus)
		}
		if r := &st.Range; r.OK && l != Free {
			r.Across = st.across(r.Side, r.Span)
		}
	})
}

// CycleLock chooses the next way of locking that makes sense.
func (s *Session) CycleLock(leader pair.Side) {
	next := (s.state.Lock + 1) % (ByAlignment + 1)
	if next == Absolute && !s.state.SharesClock() {
		next++
	}
	s.SetLock(next, leader)
}

// SharesClock reports whether the two recordings overlap on the recording's clock.
func (st *State) SharesClock() bool {
	if !st.Both() {
		return false
	}
	a, b := st.Sides[pair.A].Trace, st.Sides[pair.B].Trace
	return a.Origin < b.Origin+b.Duration && b.Origin < a.Origin+a.Duration
}

func (st *State) focus(side pair.Side, span geom.Span) {
	sd := &st.Sides[side]
	if sd.Trace == nil {
		return
	}
	sd.Focus = st.within(side, span)
	if !st.Both() {
		return
	}
	other := &st.Sides[side.Other()]
	switch {
	case st.virtual():
		if f, ok := st.aligned(side, sd.Focus); ok {
			if st.View != Alignment {
				f = widened(f, sd.Focus)
			}
			other.Focus = f.Clamp(other.Whole())
		}
	case st.Lock != Free:
		other.Focus = st.follow(side, sd.Focus).Clamp(other.Whole())
	}
	st.eachPane(func() { st.followFocus(side) })
}

// followFocus makes the pane show the virtual time of what a side shows.
func (st *State) followFocus(side pair.Side) {
	if st.Shown() != nil {
		st.Virtual = st.virtualOf(side)
	}
}

// virtualOf returns the virtual time of what a side shows. The pair must be laid out.
func (st *State) virtualOf(side pair.Side) geom.Span {
	f := st.Sides[side].Focus
	from, to := st.Shown().stretch(side, int64(f.Start), int64(f.End))
	return longEnough(geom.Span{Start: float64(from), End: float64(to)}).Clamp(st.wholeVirtual())
}

// within returns span as side can show it: long enough and within its trace.
func (st *State) within(side pair.Side, span geom.Span) geom.Span {
	return longEnough(span).Clamp(st.Sides[side].Whole())
}

// longEnough widens span to the shortest that a side zooms to.
func longEnough(span geom.Span) geom.Span {
	if short := ShortestFocus(span) - span.Len(); short > 0 {
		span = geom.Span{Start: span.Start - short/2, End: span.End + short/2}
	}
	return span
}

// follow returns what the other side shows when side shows f.
func (st *State) follow(side pair.Side, f geom.Span) geom.Span {
	lead, other := &st.Sides[side], &st.Sides[side.Other()]
	switch st.Lock {
	case Absolute:
		return f.Shift(float64(lead.Trace.Origin - other.Trace.Origin))
	case Proportional:
		k := other.Extent() / lead.Extent()
		return geom.Span{Start: f.Start * k, End: f.End * k}
	}
	return f
}
