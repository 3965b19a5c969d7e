package wait

import (
	"math"
	"slices"
	"sort"
)

// Reach is when one thread released waits of an aggregate.
type Reach struct {
	Thread      int32 // the releasing one
	First, Last int64 // release moments, ns
}

// Reach returns, by releasing thread, the release moments of all correspondences of the waits among
// the calls [from, to) of a thread (SyncTrace, eq. 8). Cost is logarithmic for every wait and
// thread that releases its objects.
func (a *Analysis) Reach(thread, from, to int) []Reach {
	lo, hi := a.Waits.OnThread(thread)
	calls := a.Waits.Call[lo:hi]
	all := make([]Reach, len(a.Trace.Threads))
	for t := range all {
		all[t] = Reach{Thread: int32(t), First: math.MaxInt64, Last: math.MinInt64}
	}
	for w := lo + rank(calls, int32(from)); w < lo+rank(calls, int32(to)); w++ {
		a.reach(w, all)
		a.statedOf(w, func(c Correspondence) bool {
			all[c.Release.Thread].add(c.At, c.At)
			return true
		})
	}
	return slices.DeleteFunc(all, func(r Reach) bool { return r.First > r.Last })
}

func (r *Reach) add(first, last int64) { r.First, r.Last = min(r.First, first), max(r.Last, last) }

// reach adds the correspondences of wait w that follow from objects.
func (a *Analysis) reach(w int, all []Reach) {
	ws, r, p := &a.Waits, &a.Releases, &a.byObject
	for k, o := range ws.Objects[w] {
		if !first(ws.Objects[w], k) {
			continue
		}
		list := p.byThread[p.from[o]:p.from[o+1]]
		for len(list) > 0 {
			t := r.Thread[list[0]]
			n := sort.Search(len(list), func(i int) bool { return r.Thread[list[i]] > t })
			from, to := p.on(r, o, t, ws.Start[w], ws.End[w])
			if from < to && t != ws.Thread[w] {
				all[t].add(r.At[p.byThread[from]], r.At[p.byThread[to-1]])
			}
			list = list[n:]
		}
	}
}
