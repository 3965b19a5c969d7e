package match

import (
	"math"
	"slices"
	"sort"

	"diptych/internal/trace"
)

// Window is a part of a trace, in ns: the calls that intersect [From, To], borders included, and
// last at least Least. What holds a call of a window is in it too.
type Window struct{ From, To, Least int64 }

// Everything is the window of all calls.
var Everything = Window{From: math.MinInt64, To: math.MaxInt64}

// share returns how much of the window [start, end] covers, 0 to 1. A window without extent is
// covered by what holds it.
func (w Window) share(start, end int64) float64 {
	from, to := max(start, w.From), min(end, w.To)
	if from > to {
		return 0
	}
	if w.To == w.From {
		return 1
	}
	return (float64(to) - float64(from)) / (float64(w.To) - float64(w.From))
}

// view is a window on one thread. Calls that begin in the window are neighbours in pre-order. Those
// that begin before it and reach into it are a stack: of two siblings that begin before a time, one
// has ended by then.
type view struct {
	*trace.Thread
	before   []int // the stack, outermost first
	from, to int   // calls that begin in the window
	least    int64
}

// look finds the calls of a window. Cost is logarithmic in the calls plus the stack's depth.
func (w Window) look(th *trace.Thread) view {
	v := view{Thread: th, least: w.Least}
	if w.From > w.To {
		return v
	}
	v.from = sort.Search(th.Len(), func(i int) bool { return th.Start[i] >= w.From })
	v.to = sort.Search(th.Len(), func(i int) bool { return th.Start[i] > w.To })
	for i := v.from - 1; i >= 0; i = int(th.Parent[i]) {
		if th.End[i] >= w.From && th.Dur(i) >= w.Least {
			v.before = append(v.before, i)
		}
	}
	slices.Reverse(v.before)
	return v
}

// next returns the first call of the window from i on, or the number of all calls. Calls that do
// not last long enough are passed by whole subtrees.
func (v *view) next(i int) int {
	if i < v.from {
		if k := sort.SearchInts(v.before, i); k < len(v.before) {
			return v.before[k]
		}
		i = v.from
	}
	for i < v.to && v.Dur(i) < v.least {
		i = v.NextWide(v.Next(i), v.to, float64(v.least))
	}
	if i < v.to {
		return i
	}
	return v.Len()
}
