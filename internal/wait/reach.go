package wait

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sort"
)

// Reach is when one thread released waits of an aggregate.
type Reach struct {
	Thread      int32 // the releasing one
	First, Last int64 // release moments, ns
}

func (r *Reach) add(first, last int64) { r.First, r.Last = min(r.First, first), max(r.Last, last) }

// Reach returns, by releasing thread, the release moments of all correspondences of the waits among
// the calls [from, to) of a thread (SyncTrace, eq. 8). Cost is logarithmic for every wait and
// thread that releases its objects.
func (a *Analysis) Reach(thread, from, to int) []Reach {
	steps := math.MaxInt
	out, _ := a.ReachWithin(thread, from, to, &steps)
	return out
}

// ReachWithin is Reach unless that takes more than the given steps, each of them logarithmic. It
// takes off those that it took, and reports whether they were enough.
func (a *Analysis) ReachWithin(thread, from, to int, steps *int) ([]Reach, bool) {
	lo, hi := a.Waits.OnThread(thread)
	calls := a.Waits.Call[lo:hi]
	all := reaches{}
	for w := lo + rank(calls, int32(from)); w < lo+rank(calls, int32(to)); w++ {
		if *steps--; !a.reach(w, all, steps) {
			return nil, false
		}
		a.statedOf(w, func(c Correspondence) bool {
			all.add(c.Release.Thread, c.At, c.At)
			*steps--
			return *steps > 0
		})
	}
	return slices.SortedFunc(maps.Values(all), func(x, y Reach) int {
		return cmp.Compare(x.Thread, y.Thread)
	}), *steps > 0
}

// reaches are by releasing thread.
type reaches map[int32]Reach

func (all reaches) add(thread int32, first, last int64) {
	r, ok := all[thread]
	if !ok {
		r = Reach{thread, first, last}
	}
	r.add(first, last)
	all[thread] = r
}

// reach adds the correspondences of wait w that follow from objects, and reports whether the steps
// were enough.
func (a *Analysis) reach(w int, all reaches, steps *int) bool {
	ws, r, p := &a.Waits, &a.Releases, &a.byObject
	for k, o := range ws.Objects[w] {
		if !first(ws.Objects[w], k) {
			continue
		}
		list := p.byThread[p.from[o]:p.from[o+1]]
		for ; len(list) > 0 && *steps > 0; *steps-- {
			t := r.Thread[list[0]]
			n := sort.Search(len(list), func(i int) bool { return r.Thread[list[i]] > t })
			from, to := p.on(r, o, t, ws.Start[w], ws.End[w])
			if from < to && t != ws.Thread[w] {
				all.add(t, r.At[p.byThread[from]], r.At[p.byThread[to-1]])
			}
			list = list[n:]
		}
		if len(list) > 0 {
			break
		}
	}
	return *steps > 0
}
