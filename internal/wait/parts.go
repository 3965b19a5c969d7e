package wait

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"diptych/internal/trace"
)

// A part is a call on another thread that a call is made of, as a span of a request is of its
// children: the recording states it as a Link that is a Part. The critical path goes through parts
// as through waits, though no call of them waits:
//
//	gateway  ───a──┐     ┌──a────    a is made of b and c, which run at the same time
//	lane 2    ┌──b─┼──┐  │           the path: a from its end back to the end of c, the last part
//	lane 3    └────c──┴──┘           that a did nothing beside; c back to its start; then a
//
// So two hops belong to a part. One leaves the call for the part where the part ends, if the call
// itself is all that its thread runs then; else something that it called was still to be done. The
// other goes back from the start of the part to the call.
type hop struct {
	at   int64 // when the path, going back, leaves the thread
	to   trace.CallRef
	link int32 // index into Trace.Links
	up   bool  // from a part to the call that it is a part of
}

// hops are those of each thread that the path can still take, by time. It takes each of them once:
// times that contradict each other could lead it round in a circle.
type hops [][]hop

// HasParts reports whether any call has parts on other threads.
func (a *Analysis) HasParts() bool {
	return slices.ContainsFunc(a.Trace.Links, func(l trace.Link) bool { return l.Part })
}

func (a *Analysis) findHops() hops {
	t := a.Trace
	h := make(hops, len(t.Threads))
	for k := range t.Links {
		l := &t.Links[k]
		from, part := t.Threads[l.From.Thread], t.Threads[l.To.Thread]
		if !l.Part || l.From.Thread == l.To.Thread || !from.Runs() || !part.Runs() {
			continue
		}
		start, end := part.Start(int(l.To.Call)), min(part.End(int(l.To.Call)), from.End(int(l.From.Call)))
		h.add(l.To.Thread, hop{start, l.From, int32(k), true})
		if idleIn(from, l.From.Call, end) {
			h.add(l.From.Thread, hop{end, l.To, int32(k), false})
		}
	}
	for _, list := range h {
		slices.SortStableFunc(list, func(x, y hop) int { return cmp.Compare(x.at, y.at) })
	}
	return h
}

func (h hops) add(thread int32, x hop) { h[thread] = append(h[thread], x) }

// idleIn reports whether, right before a time, a call runs and nothing that it called.
func idleIn(th *trace.Thread, call int32, at int64) bool {
	i := int32(sort.Search(th.Len(), func(i int) bool { return th.Start(i) >= at })) - 1
	for i > call && th.End(int(i)) < at {
		i = th.Parent(int(i))
	}
	return i == call
}

// last returns the last hop of a thread, going back from a time, and forgets those after it: the
// path never goes forward. If there is none, it leads to nobody, and lies before all time.
func (h hops) last(thread int32, ns int64) hop {
	n := len(h[thread])
	for n > 0 && h[thread][n-1].at > ns {
		n--
	}
	h[thread] = h[thread][:n]
	if n == 0 {
		return hop{at: math.MinInt64, to: nobody}
	}
	return h[thread][n-1]
}

// take takes the last hop of a thread, and returns its link.
func (h hops) take(thread int32) int32 {
	n := len(h[thread]) - 1
	x := h[thread][n]
	h[thread] = h[thread][:n]
	return x.link
}
