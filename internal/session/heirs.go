package session

import "diptych/internal/pair"

// none stands for no side, line or thread.
const none = -1

// heirs says what has become of the lines of one pairing, its pairs of threads, in another: the
// threads may be paired in another way, the sides may have been swapped, a trace may have gone.
type heirs struct {
	was, now *pair.Pair
	sides    [2]int // by side of was: the side of now that has its trace, or none
}

func newHeirs(was, now *pair.Pair) heirs {
	h := heirs{was, now, [2]int{none, none}}
	if was == nil || now == nil {
		return h
	}
	for s := range h.sides {
		tr := was.Trace(pair.Side(s))
		for _, t := range []pair.Side{pair.Side(s), pair.Side(s).Other()} {
			if tr != nil && now.Trace(t) == tr && h.sides[s] == none {
				h.sides[s] = int(t)
			}
		}
	}
	return h
}

// all reports whether both traces are still there.
func (h *heirs) all() bool { return h.sides[0] != none && h.sides[1] != none }

// of returns what has become of a line, or none.
func (h *heirs) of(line int) int {
	if h.was == nil || line >= len(h.was.Threads) {
		return none
	}
	for s, t := range h.sides {
		if th := h.was.Threads[line].On(pair.Side(s)); t != none && th >= 0 {
			return h.now.Of(pair.Side(t), th)
		}
	}
	return none
}
