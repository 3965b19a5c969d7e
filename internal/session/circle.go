package session

import (
	"maps"
	"slices"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/saved"
)

// Circle is how the threads lie around the ones in the focus in the view of threads.
// They are named by line, an index into Pair.Threads, so that partners keep one angle. It is never
// changed, only replaced.
type Circle struct {
	Order  []int           // lines from left to right; those that are missing follow
	Hidden map[int]bool    // lines
	Wide   map[int]bool    // lines whose section is widened
	Spread map[string]bool // roles of which each thread has a section
	Idle   bool            // idle threads have sections too

	Views   [2]map[int]geom.Span // by side and thread: the visible time, where it is not Side.Focus
	Folds   [2]map[int]int       // by side and thread: stack levels folded, −1 for none
	Stretch [2]int               // by side: of the critical path, what is shown, from 1; 0 for none
}

// WaitStyle is how the view of threads is drawn.
type WaitStyle struct {
	ByObject  bool    // colours of waits tell objects rather than threads
	All       bool    // draw every correspondence rather than those that ended a wait
	Critical  bool    // draw the critical path
	Apart     bool    // threads of one role are never folded into one section
	Split     float32 // share of the height above the splitter; 0 for what the stacks need
	Zero      float32 // zero radius as a share of the outer one; 0 for what the stacks leave
	Threshold int     // by how much waits have to differ to stand out, percent
}

// usualThreshold is the change of a total wait that stands out, percent.
const usualThreshold = 25

var usualWaitStyle = WaitStyle{Threshold: usualThreshold}

// Circle returns how threads lie in the pane.
func (st *State) Circle() *Circle { return st.OwnOf(Threads).(*Circle) }

// SamePlaces reports whether another circle gives all threads the places that c does.
func (c *Circle) SamePlaces(d *Circle) bool {
	return c == d || d != nil && c.Idle == d.Idle && slices.Equal(c.Order, d.Order) &&
		maps.Equal(c.Hidden, d.Hidden) && maps.Equal(c.Wide, d.Wide) && maps.Equal(c.Spread, d.Spread)
}

// SameStep implements Own: other places are a step of their own.
func (c *Circle) SameStep(other Own) bool {
	d, ok := other.(*Circle)
	return ok && c.SamePlaces(d)
}

// Renew implements Own: what is said of threads that are still there stays.
func (c *Circle) Renew(was, p *pair.Pair) Own {
	if was == p || p == nil {
		return c
	}
	lines := newHeirs(was, p)
	if lines.sides == [2]int{none, none} {
		return &Circle{}
	}
	now := &Circle{Spread: c.Spread, Idle: c.Idle}
	for _, k := range c.Order {
		if l := lines.of(k); l != none && !slices.Contains(now.Order, l) {
			now.Order = append(now.Order, l)
		}
	}
	now.Hidden, now.Wide = moved(c.Hidden, lines.of), moved(c.Wide, lines.of)
	for s, t := range lines.sides {
		if t != none {
			now.Views[t], now.Folds[t] = c.Views[s], c.Folds[s]
		}
	}
	return now
}

// keptCircle is a Circle as a saved session holds it: lines and threads by their names.
type keptCircle struct {
	Order  []string                          `json:"order,omitempty"`
	Hidden []string                          `json:"hidden,omitempty"`
	Wide   []string                          `json:"wide,omitempty"`
	Spread []string                          `json:"spread,omitempty"`
	Idle   bool                              `json:"idle,omitempty"`
	Views  saved.Both[map[string]saved.Span] `json:"views,omitempty"`
	Folds  saved.Both[map[string]int]        `json:"folds,omitempty"`
}

// Save implements Own.
func (c *Circle) Save(st *State) any {
	if st.Pair == nil {
		return nil
	}
	k := &keptCircle{Idle: c.Idle, Spread: slices.Sorted(maps.Keys(c.Spread))}
	for _, l := range c.Order {
		k.Order = append(k.Order, st.LineName(l))
	}
	for _, l := range slices.Sorted(maps.Keys(c.Hidden)) {
		k.Hidden = append(k.Hidden, st.LineName(l))
	}
	for _, l := range slices.Sorted(maps.Keys(c.Wide)) {
		k.Wide = append(k.Wide, st.LineName(l))
	}
	for side := range st.Sides {
		for th, span := range c.Views[side] {
			*k.Views.On(side) = with(*k.Views.On(side), st.Sides[side].Trace.Threads[th].ID, spanOf(span))
		}
		for th, n := range c.Folds[side] {
			*k.Folds.On(side) = with(*k.Folds.On(side), st.Sides[side].Trace.Threads[th].ID, n)
		}
	}
	return k
}

// Open implements Own.
func (c *Circle) Open(st *State, kept Kept) (o Own, lost int, err error) {
	var k keptCircle
	if err := kept.Into(&k); err != nil {
		return nil, 0, err
	}
	lines := func(names []string) (out []int) {
		for _, name := range names {
			if l, err := st.LineNamed(name); err == nil && !slices.Contains(out, l) {
				out = append(out, l)
			} else {
				lost++
			}
		}
		return out
	}
	now := &Circle{Idle: k.Idle, Order: lines(k.Order), Hidden: setOf(lines(k.Hidden)),
		Wide: setOf(lines(k.Wide)), Spread: setOf(k.Spread)}
	for side := range st.Sides {
		lost += st.eachThread(side, slices.Collect(maps.Keys(*k.Views.On(side))), func(th int, id string) {
			span := spanIn((*k.Views.On(side))[id])
			now.Views[side] = with(now.Views[side], th, st.within(pair.Side(side), span))
		})
		lost += st.eachThread(side, slices.Collect(maps.Keys(*k.Folds.On(side))), func(th int, id string) {
			now.Folds[side] = with(now.Folds[side], th, max((*k.Folds.On(side))[id], -1))
		})
	}
	return now, lost, nil
}

// eachThread calls f for the threads of a side with these ids; it returns how many are gone.
func (st *State) eachThread(side int, ids []string, f func(th int, id string)) (lost int) {
	for _, id := range ids {
		if t := st.Sides[side].Trace; t == nil || t.ThreadByID(id) < 0 {
			lost++
		} else {
			f(t.ThreadByID(id), id)
		}
	}
	return lost
}

// setOf returns a set of some values; nil for none.
func setOf[K comparable](list []K) (set map[K]bool) {
	for _, k := range list {
		if set == nil {
			set = map[K]bool{}
		}
		set[k] = true
	}
	return set
}

// moved returns a set with its members as line maps them, without those that it maps to none.
func moved(set map[int]bool, line func(int) int) map[int]bool {
	var now map[int]bool
	for k := range set {
		if l := line(k); l != none {
			now = with(now, l, true)
		}
	}
	return now
}

// with returns a copy of a map with a value set.
func with[K comparable, V any](m map[K]V, k K, v V) map[K]V {
	m = maps.Clone(m)
	if m == nil {
		m = map[K]V{}
	}
	m[k] = v
	return m
}

// without returns a copy of a map without keys.
func without[K comparable, V any](m map[K]V, keys ...K) map[K]V {
	m = maps.Clone(m)
	for _, k := range keys {
		delete(m, k)
	}
	return m
}

// order returns all of n lines from left to right.
func (c *Circle) order(n int) []int {
	out, has := slices.Clone(c.Order), make([]bool, n)
	for _, k := range c.Order {
		if k < n {
			has[k] = true
		}
	}
	for k := range n {
		if !has[k] {
			out = append(out, k)
		}
	}
	return out
}

// recircle changes how threads lie as one step of the history.
func (s *Session) recircle(f func(c *Circle)) {
	s.change(func(st *State) { st.recircle(f) })
}

func (st *State) recircle(f func(c *Circle)) {
	c := *st.Circle()
	f(&c)
	st.setOwn(Threads, &c)
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
	st.Chosen = true
	st.recircle(func(c *Circle) {
		c.Order = exchanged(c.order(len(st.Pair.Threads)), line, was)
		c.Hidden, c.Wide = without(c.Hidden, line), without(c.Wide, line)
		for k := range c.Views {
			th := st.Pair.Threads[line].On(pair.Side(k))
			c.Views[k] = without(c.Views[k], th)
		}
	})
	foci := st.foci()
	st.Current = line
	st.retrack()
	st.setFoci(foci)
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
	if s.state.Circle().Wide[line] != wide {
		s.recircle(func(c *Circle) {
			if c.Wide = without(c.Wide, line); wide {
				c.Wide = with(c.Wide, line, true)
			}
		})
	}
}

// SpreadRole gives each thread of a role a section of its own.
func (s *Session) SpreadRole(role string) {
	if !s.state.Circle().Spread[role] {
		s.recircle(func(c *Circle) { c.Spread = with(c.Spread, role, true) })
	}
}

// ShowIdle chooses whether idle threads have sections.
func (s *Session) ShowIdle(idle bool) {
	if s.state.Circle().Idle != idle {
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
	if s.state.Circle().Folds[side][thread] != levels {
		s.recircle(func(c *Circle) { c.Folds[side] = with(c.Folds[side], thread, levels) })
	}
}

// ResetCircle lays the threads out as they were at first.
func (s *Session) ResetCircle() {
	s.change(func(st *State) {
		st.Chosen = true
		st.setOwn(Threads, &Circle{})
	})
	s.SetWaitStyle(func(w *WaitStyle) { w.Split, w.Zero = 0, 0 })
}
