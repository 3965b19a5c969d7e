package session

import (
	"slices"

	"diptych/internal/geom"
	"diptych/internal/pair"
)

// recircle changes how threads lie as one step of the history.
func (s *Session) recircle(f func(c *Circle)) {
	s.change(func(st *State) { st.recircle(f) })
}

func (st *State) recircle(f func(c *Circle)) {
	c := *st.Circle
	f(&c)
	st.Circle = &c
}

// SetWaitStyle changes how the view of threads is drawn.
func (s *Session) SetWaitStyle(f func(*WaitStyle)) {
	style := s.state.WaitStyle
	f(&style)
	style.Split, style.Zero = min(max(style.Split, 0), 1), min(max(style.Zero, 0), 1)
	style.Threshold = min(max(style.Threshold, 0), 100)
	if style != s.state.WaitStyle {
		s.apply(func(st *State) { st.WaitStyle = style })
	}
}

// FocusLine shows a pair of threads in the middle; those that were there take its place.
func (s *Session) FocusLine(line int) {
	if s.state.Pair == nil || line == s.state.Current || line < 0 || line >= len(s.state.Pair.Threads) {
		return
	}
	s.change(func(st *State) { st.focusLine(line) })
}

func (st *State) focusLine(line int) {
	if line == st.Current {
		return
	}
	was := st.Current
	st.recircle(func(c *Circle) {
		c.chosen = true
		c.Order = exchanged(c.order(len(st.Pair.Threads)), line, was)
		c.Hidden, c.Wide = without(c.Hidden, line), without(c.Wide, line)
		for k := range c.Views {
			th := st.Pair.Threads[line].On(pair.Side(k))
			c.Views[k] = without(c.Views[k], th)
		}
	})
	focus := st.foci()
	st.Current = line
	st.retrack()
	for k := range st.Sides {
		st.Sides[k].Focus = focus[k]
	}
}

// exchanged returns a list with two of its members in each other's place.
func exchanged(list []int, x, y int) []int {
	list = slices.Clone(list)
	i, j := slices.Index(list, x), slices.Index(list, y)
	if i >= 0 && j >= 0 {
		list[i], list[j] = y, x
	}
	return list
}

// SwapLines exchanges the places of two pairs of threads.
func (s *Session) SwapLines(x, y int) {
	switch {
	case s.state.Pair == nil || x == y:
	case x == s.state.Current:
		s.FocusLine(y)
	case y == s.state.Current:
		s.FocusLine(x)
	default:
		s.recircle(func(c *Circle) { c.Order = exchanged(c.order(len(s.state.Pair.Threads)), x, y) })
	}
}

// OrderLines gives pairs of threads their places from left to right; the others follow.
func (s *Session) OrderLines(lines []int) {
	s.recircle(func(c *Circle) { c.Order = slices.Clone(lines) })
}

// HideLines takes pairs of threads out of the circle.
func (s *Session) HideLines(lines ...int) {
	s.recircle(func(c *Circle) {
		for _, k := range lines {
			c.Hidden = with(c.Hidden, k, true)
		}
	})
}

// BringBack shows hidden pairs of threads again; without any given all of them.
func (s *Session) BringBack(lines ...int) {
	s.recircle(func(c *Circle) {
		if len(lines) == 0 {
			c.Hidden = nil
		}
		c.Hidden = without(c.Hidden, lines...)
	})
}

// WidenLine gives a pair of threads a wider section, or its usual one.
func (s *Session) WidenLine(line int, wide bool) {
	if s.state.Circle.Wide[line] != wide {
		s.recircle(func(c *Circle) {
			if c.Wide = without(c.Wide, line); wide {
				c.Wide = with(c.Wide, line, true)
			}
		})
	}
}

// SpreadRole gives each thread of a role a section of its own, or folds them into one.
func (s *Session) SpreadRole(role string, spread bool) {
	if s.state.Circle.Spread[role] != spread {
		s.recircle(func(c *Circle) {
			if c.Spread = without(c.Spread, role); spread {
				c.Spread = with(c.Spread, role, true)
			}
		})
	}
}

// ShowIdle chooses whether idle threads have sections.
func (s *Session) ShowIdle(idle bool) {
	if s.state.Circle.Idle != idle {
		s.recircle(func(c *Circle) { c.Idle = idle })
	}
}

// ViewThread shows a stretch of time of a thread: the side's focus if it is in the middle, else of
// that thread alone.
func (s *Session) ViewThread(side pair.Side, thread int, span geom.Span) {
	if s.state.inFocus(side, thread) {
		s.SetFocus(side, span)
		return
	}
	s.recircle(func(c *Circle) {
		c.Views[side] = with(c.Views[side], thread, s.state.within(side, span))
	})
}

// inFocus reports whether a thread is the one in the middle.
func (st *State) inFocus(side pair.Side, thread int) bool {
	return st.Pair != nil && st.Current < len(st.Pair.Threads) &&
		st.Pair.Threads[st.Current].On(side) == thread
}

// FoldThread folds stack levels of a thread; 0 leaves it to the view, −1 folds none.
func (s *Session) FoldThread(side pair.Side, thread, levels int) {
	if s.state.Circle.Folds[side][thread] != levels {
		s.recircle(func(c *Circle) { c.Folds[side] = with(c.Folds[side], thread, levels) })
	}
}

// ResetCircle lays the threads out as they were at first.
func (s *Session) ResetCircle() {
	s.change(func(st *State) { st.Circle = &Circle{of: st.Circle.of, chosen: true} })
	s.SetWaitStyle(func(w *WaitStyle) { w.Split, w.Zero = 0, 0 })
}
