package session

import (
	"slices"

	"diptych/internal/geom"
	"diptych/internal/trace"
)

// Select makes t the selected call; a Target that is not OK clears the selection.
func (s *Session) Select(t Target) {
	if s.state.Selected == t {
		return
	}
	s.apply(func(st *State) {
		if st.Before = st.Selected; !t.OK || st.Before.Side == t.Side {
			st.Before = Target{}
		}
		st.Selected = t
	})
}

// FitSelection shows the selected stretch of time, else the selected call.
func (s *Session) FitSelection() {
	if r := s.state.Range; r.OK {
		s.SetFocus(r.Side, r.Span)
		return
	}
	s.Fit(s.state.Selected)
}

// SetHover notes the call under the pointer. It reports whether that changed.
func (s *Session) SetHover(t Target) bool {
	if s.state.Hover == t {
		return false
	}
	s.apply(func(st *State) { st.Hover = t })
	return true
}

// Relative names a call by where it stands to the selected one.
type Relative uint8

const (
	Caller Relative = iota
	FirstCallee
	CallBefore // on the same level of the same thread
	CallAfter
)

// SelectRelative moves the selection, and the view where the new call lies outside it.
func (s *Session) SelectRelative(r Relative) {
	sel := s.state.Selected
	if !sel.OK {
		return
	}
	th, i := s.state.Call(sel)
	if to := neighbour(th, i, r); to >= 0 {
		sel.Ref.Call = int32(to)
		s.apply(func(st *State) { st.Selected = sel })
		s.Reveal(sel)
	}
}

func neighbour(th *trace.Thread, i int, r Relative) int {
	switch r {
	case Caller:
		return int(th.Parent(i))
	case FirstCallee:
		if th.Size(i) > 1 {
			return i + 1
		}
	case CallAfter:
		for k := th.Next(i); k < th.Len(); {
			switch {
			case th.Depth(k) == th.Depth(i):
				return k
			case th.Depth(k) < th.Depth(i):
				k++
			default:
				k = th.Next(k)
			}
		}
	case CallBefore:
		for k := i - 1; k >= 0; k-- {
			for th.Depth(k) > th.Depth(i) {
				k = int(th.Parent(k))
			}
			if th.Depth(k) == th.Depth(i) {
				return k
			}
		}
	}
	return -1
}

// Sought returns the calls that were asked for since Sought was called last, at most one a side.
// Views scroll to the stack levels of these, since only a view knows where its levels are.
func (s *Session) Sought() [2]Target {
	list := s.sought
	s.sought = [2]Target{}
	return list
}

func (s *Session) seek(t Target) {
	s.sought[t.Side] = t
	s.uncover(t)
}

// levelsBelow is how many stack levels of what a call runs are shown with it.
const levelsBelow = 2

// uncover has panes of all threads show a call: where its thread is folded away as near-idle, those
// are opened, and if it lies below the levels that are shown of each thread, more of its own are.
func (s *Session) uncover(t Target) {
	st := &s.state
	thread, sd := int(t.Ref.Thread), &st.Sides[t.Side]
	th, i := st.Call(t)
	levels := int(th.Depth(i)) + 1
	low := levels > max(st.Levels, sd.Deeper.Levels(sd.Trace, thread))
	some, folded := false, false // panes of all threads, and such without this one
	st.eachPane(func() {
		some = some || st.Process
		folded = folded || st.foldsAway(t)
	})
	if !folded && !(some && low) {
		return
	}
	s.apply(func(st *State) {
		if sd := &st.Sides[t.Side]; low {
			sd.Deeper = sd.Deeper.Show(sd.Trace, thread, levels+levelsBelow)
		}
		st.eachPane(func() {
			if st.foldsAway(t) {
				st.OpenQuiet = true
				st.retrack()
			}
		})
	})
}

// foldsAway reports whether the pane would show the thread of a call but for its being near-idle.
func (st *State) foldsAway(t Target) bool {
	return st.Process && st.Quiet[t.Side] > 0 && !st.OpenQuiet &&
		!slices.Contains(st.Tracks[t.Side], int(t.Ref.Thread))
}

// How wide a call must be to be seen, and to be read, as a share of the view's width.
const (
	visible  = 1.0 / 400 // a few pixels
	readable = 1.0 / 25
)

// Reveal makes call t visible: it shows its thread and moves or zooms the focus if t lies outside
// it or is too narrow to be seen.
func (s *Session) Reveal(t Target) { s.reveal(t, visible) }

// reveal does so if t is narrower than a share of the view's width.
func (s *Session) reveal(t Target, least float64) {
	if !t.OK {
		return
	}
	s.showThread(t)
	s.seek(t)
	span := s.state.span(t)
	f := s.state.Sides[t.Side].Focus
	if f.Contains(span.Start) && f.Contains(span.End) && span.Len() >= f.Len()*least {
		return
	}
	if span.Len() < f.Len()*least || span.Len() > f.Len() {
		half := max(span.Len()*4, minFocus)
		s.SetFocus(t.Side, geom.Span{Start: span.Mid() - half, End: span.Mid() + half})
		return
	}
	s.SetFocus(t.Side, f.Shift(span.Mid()-f.Mid()))
}

// showThread switches to the pair of threads t is on, if it is not shown.
func (s *Session) showThread(t Target) {
	if s.state.View == Threads && s.state.Pair != nil {
		s.FocusLine(s.state.Pair.Of(t.Side, int(t.Ref.Thread)))
		return
	}
	if s.state.Pair == nil || slices.Contains(s.state.Tracks[t.Side], int(t.Ref.Thread)) {
		return
	}
	foci := s.state.foci()
	s.ShowPair(s.state.Pair.Of(t.Side, int(t.Ref.Thread)))
	s.apply(func(st *State) { st.setFoci(foci) })
}
