package trace

import (
	"cmp"
	"slices"
)

// Await is a stretch of time in which a call does nothing itself, since it waits for a part of it
// that another thread runs (Link.Part): a span for its child.
type Await struct {
	Call     int32 // index in its thread
	From, To int64 // ns
	By       int32 // the thread of the part; of several at once, of the first
	First    bool  // of the stretches of its call
}

// Awaits returns by thread when calls wait for their parts, in order of time; nil if none does.
// For example, a client's span [0, 90) calls encode on its own thread, and a service on another:
//
//	encode [10, 30)    service [20, 70)    the span waits during [30, 70)
func (t *Trace) Awaits() [][]Await {
	var list [][]Await
	for k := range t.Links {
		l := &t.Links[k]
		if !l.Part || l.From.Thread == l.To.Thread {
			continue
		}
		if list == nil {
			list = make([][]Await, len(t.Threads))
		}
		th, part := t.Threads[l.From.Thread], t.Threads[l.To.Thread]
		from := max(part.Start(int(l.To.Call)), th.Start(int(l.From.Call)))
		if to := min(part.End(int(l.To.Call)), th.End(int(l.From.Call))); to > from {
			at := &list[l.From.Thread]
			*at = append(*at, Await{l.From.Call, from, to, l.To.Thread, false})
		}
	}
	for k, of := range list {
		list[k] = t.Threads[k].alone(of)
	}
	return list
}

// alone returns what is left of stretches of calls while these call nothing on the thread itself.
func (t *Thread) alone(list []Await) (out []Await) {
	slices.SortFunc(list, func(x, y Await) int {
		return cmp.Or(cmp.Compare(x.Call, y.Call), cmp.Compare(x.From, y.From), cmp.Compare(y.To, x.To),
			cmp.Compare(x.By, y.By))
	})
	for from := 0; from < len(list); {
		to := from
		for to < len(list) && list[to].Call == list[from].Call {
			to++
		}
		out = t.appendAlone(out, list[from:to])
		from = to
	}
	slices.SortFunc(out, func(x, y Await) int { return cmp.Compare(x.From, y.From) })
	return out
}

// appendAlone appends those of one call, in order of their beginnings, without overlap.
func (t *Thread) appendAlone(out, list []Await) []Await {
	callee, now, first := int(list[0].Call)+1, list[0].From, true
	last := t.Next(callee - 1)
	for _, x := range list {
		for x.From = max(x.From, now); x.From < x.To; x.From = now {
			for callee < last && t.End(callee) <= x.From {
				callee = t.Next(callee)
			}
			until := x.To
			if now = x.To; callee < last && t.Start(callee) < x.To {
				until, now = t.Start(callee), t.End(callee)
			}
			if until > x.From {
				out = append(out, Await{x.Call, x.From, until, x.By, first})
				first = false
			}
		}
	}
	return out
}
