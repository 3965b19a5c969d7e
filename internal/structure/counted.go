package structure

import (
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// CallNoun names what ByCalls counts: calls if the recorders of profiles have counted them.
func (t *Tree) CallNoun() string {
	if t.Counted {
		return trace.Timeline.CallNoun()
	}
	return t.Pair.CallNoun()
}

// countCalls notes how often functions were called, if the recorders of all sides have counted it.
// A count is of a function: if that has a place in each of several processes, nobody knows how
// often it was called in one of them.
func (t *Tree) countCalls() {
	for s := range t.Sums {
		tr := t.Pair.Trace(pair.Side(s))
		if tr == nil {
			continue
		}
		if len(tr.CallCounts) == 0 || !t.oneTable(s) {
			return
		}
	}
	for s := range t.Sums {
		tr := t.Pair.Trace(pair.Side(s))
		if tr == nil {
			continue
		}
		for _, c := range tr.CallCounts {
			if node := t.placeOf(s, c.Callee); node >= 0 {
				t.Sums[s][node].Counted += c.Calls
			}
		}
	}
	t.Counted = true
}

// oneTable reports whether all threads of a side have the same places for functions.
func (t *Tree) oneTable(s int) bool {
	var key any
	for _, cells := range t.cells[s] {
		if cells == nil {
			continue
		}
		if key != nil && cells.Key() != key {
			return false
		}
		key = cells.Key()
	}
	return true
}

// placeOf returns the node of a function, None if no call of it has one.
func (t *Tree) placeOf(s int, fn trace.FuncID) int {
	for _, cells := range t.cells[s] {
		if cells != nil {
			return int(cells.Of(fn))
		}
	}
	return None
}
