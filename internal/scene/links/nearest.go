package links

import (
	"sort"

	"diptych/internal/trace"
)

// How much Nearest looks at: calls around each focus, classes across that it compares with, which
// are those of the widest cells, and comparisons in all.
const (
	nearestCalls    = 20_000
	nearestClasses  = 64
	nearestCompared = 100_000
)

// nearest looks for a matching call outside a focus.
type nearest struct {
	*Arena
	st     *State
	across [2][]uint32        // by side: classes across that it is compared with
	known  [2]map[uint32]bool // by side and class: it matches something across
	left   int                // calls that may still be looked at
	pairs  int                // classes that may still be compared
	apart  int64              // of the call found from its focus, ns; −1 if there is none
	found  Brush
}

// Nearest returns a call outside its side's focus that matches a call drawn on the other side, or a
// caller of one, as of the last Build: of several, the nearest in time to the focus. It looks
// at a bounded number of calls and classes, so it may miss one.
func (a *Arena) Nearest(st *State) (Brush, bool) {
	if st.Graph == nil || a.sides[0].d == nil || a.sides[1].d == nil {
		return Brush{}, false
	}
	n := nearest{Arena: a, st: st, apart: -1, known: [2]map[uint32]bool{{}, {}}}
	for k := range a.sides {
		n.across[k] = a.table.sides[1-k].widest(nearestClasses)
		n.left, n.pairs = nearestCalls, nearestCompared/2
		for _, thread := range a.sides[k].d.Threads {
			n.lookAround(k, thread)
		}
	}
	return n.found, n.apart >= 0
}

// lookAround looks left and right of the focus of side k in one thread.
func (n *nearest) lookAround(k, thread int) {
	d := n.sides[k].d
	offset := Offset(&n.sides[k].classes.Calls, d.Trace, thread)
	if offset < 0 {
		return
	}
	th, focus := d.Trace.Threads[thread], d.Axis.Span
	begins := func(at float64) int {
		return sort.Search(th.Len(), func(i int) bool { return float64(th.Start(i)) >= at })
	}
	for i := begins(focus.End); i < th.Len() && n.left > 0; i++ {
		if n.consider(k, thread, i, offset, th.Start(i)-int64(focus.End)) {
			break
		}
	}
	for i := begins(focus.Start) - 1; i >= 0 && n.left > 0; i-- {
		inside := float64(th.End(i)) > focus.Start // a caller of what is shown
		if !inside && n.consider(k, thread, i, offset, int64(focus.Start)-th.Start(i)) {
			break
		}
	}
}

// consider takes call i if it matches, and reports whether those farther away need no look.
func (n *nearest) consider(k, thread, i, offset int, apart int64) bool {
	if n.apart >= 0 && apart >= n.apart {
		return true
	}
	n.left--
	if !n.matches(k, n.sides[k].classes.Class(offset+i)) {
		return false
	}
	n.apart = apart
	n.found = Brush{Side: k, Ref: trace.CallRef{Thread: int32(thread), Call: int32(i)}}
	return true
}

// matches reports whether a class of side k matches any class drawn across.
func (n *nearest) matches(k int, class uint32) bool {
	is, ok := n.known[k][class]
	if ok {
		return is
	}
	if n.pairs > 0 {
		n.pairs -= len(n.across[k])
		is = n.table.compareAny(n.st.Tau, k, class, n.across[k])
	}
	n.known[k][class] = is
	return is
}
