package session

import (
	"maps"
	"slices"

	"diptych/internal/geom"
	"diptych/internal/pair"
)

// Circle is how the threads lie around the ones in the focus in the view of threads (DESIGN §11).
// They are named by line, an index into Pair.Threads, so that partners keep one angle. It is never
// changed, only replaced.
type Circle struct {
	Order  []int           // lines from left to right; those that are missing follow
	Hidden map[int]bool    // lines
	Wide   map[int]bool    // lines whose section is widened
	Spread map[string]bool // roles of which each thread has a section
	Idle   bool            // idle threads have sections too

	Views [2]map[int]geom.Span // by side and thread: the visible time, where it is not Side.Focus
	Folds [2]map[int]int       // by side and thread: stack levels folded, −1 for none

	of     *pair.Pair // whose lines they are
	chosen bool       // the threads in the middle are those that the user wants
}

// WaitStyle is how the view of threads is drawn.
type WaitStyle struct {
	ByObject  bool    // colours of waits tell objects rather than threads
	All       bool    // draw every correspondence rather than those that ended a wait
	Apart     bool    // threads of one role are never folded into one section
	Split     float32 // share of the height above the splitter; 0 for what the stacks need
	Zero      float32 // zero radius as a share of the outer one; 0 for what the stacks leave
	Threshold int     // by how much waits have to differ to stand out, percent
}

// usualThreshold is the change of a total wait that stands out, percent.
const usualThreshold = 25

var usualWaitStyle = WaitStyle{Threshold: usualThreshold}

// SamePlaces reports whether another circle gives all threads the places that c does.
func (c *Circle) SamePlaces(d *Circle) bool {
	return c == d || d != nil && c.Idle == d.Idle && slices.Equal(c.Order, d.Order) &&
		maps.Equal(c.Hidden, d.Hidden) && maps.Equal(c.Wide, d.Wide) && maps.Equal(c.Spread, d.Spread)
}

// on returns the circle for another pairing: what is said of threads that are still there stays.
func (c *Circle) on(p *pair.Pair) *Circle {
	if c.of == p || p == nil {
		return c
	}
	to := c.heirs(p)
	if to == [2]int{none, none} {
		return &Circle{of: p}
	}
	line := func(k int) int { return c.heir(k, to, p) }
	now := &Circle{Spread: c.Spread, Idle: c.Idle, of: p, chosen: c.chosen}
	for _, k := range c.Order {
		if l := line(k); l != none && !slices.Contains(now.Order, l) {
			now.Order = append(now.Order, l)
		}
	}
	now.Hidden, now.Wide = moved(c.Hidden, line), moved(c.Wide, line)
	for s, t := range to {
		if t != none {
			now.Views[t], now.Folds[t] = c.Views[s], c.Folds[s]
		}
	}
	return now
}

// none stands for no side, line or thread.
const none = -1

// heirs returns, by side, which side of p has the trace that the circle's has, or none.
func (c *Circle) heirs(p *pair.Pair) [2]int {
	to := [2]int{none, none}
	if c.of == nil {
		return to
	}
	for s := range to {
		tr := c.of.Trace(pair.Side(s))
		for _, t := range []pair.Side{pair.Side(s), pair.Side(s).Other()} {
			if tr != nil && p.Trace(t) == tr && to[s] == none {
				to[s] = int(t)
			}
		}
	}
	return to
}

// heir returns what has become of a line in p, or none.
func (c *Circle) heir(line int, to [2]int, p *pair.Pair) int {
	for s, t := range to {
		if th := c.of.Threads[line].On(pair.Side(s)); t != none && th >= 0 {
			return p.Of(pair.Side(t), th)
		}
	}
	return none
}

// middle returns what has become in p of the line that the user has chosen for the middle, if it is
// still the same traces, or none.
func (c *Circle) middle(line int, p *pair.Pair) int {
	if to := c.heirs(p); c.chosen && to[0] != none && to[1] != none {
		return c.heir(line, to, p)
	}
	return none
}

// moved returns the set of what line makes of a set's members.
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
	out := slices.Clone(c.Order)
	for k := range n {
		if !slices.Contains(c.Order, k) {
			out = append(out, k)
		}
	}
	return out
}
