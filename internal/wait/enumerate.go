package wait

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"sort"

	"diptych/internal/trace"
)

// Correspondence is a wait and a release that correspond.
type Correspondence struct {
	Wait    int // index in Waits
	Release trace.CallRef
	At      int64 // the release moment, ns
	Stated  bool  // the recording states it
}

// Of yields the correspondences of wait w: by object, then time, then what the recording states.
// There may be millions; stop when you have enough.
func (a *Analysis) Of(w int) iter.Seq[Correspondence] {
	return func(yield func(Correspondence) bool) {
		if a.Waits.Count[w] > 0 && a.derive(w, yield) {
			a.statedOf(w, yield)
		}
	}
}

// derive yields those that follow from objects, until yield returns false.
func (a *Analysis) derive(w int, yield func(Correspondence) bool) bool {
	ws, r, p := &a.Waits, &a.Releases, &a.byObject
	objects := a.ObjectsOf(w)
	for k, o := range objects {
		if !isFirst(objects, k) {
			continue
		}
		from, to := p.within(o, ws.Start[w], ws.End[w])
		for i := from; i < to; i++ {
			e := int(p.release[i])
			if r.Thread[e] == ws.Thread[w] ||
				k > 0 && p.several[o] && shares(objects[:k], a.Releases.objects.of(e)) {
				continue
			}
			if !yield(Correspondence{Wait: w, Release: r.Ref(e), At: r.At[e]}) {
				return false
			}
		}
	}
	return true
}

// statedOf yields those that the recording states and that do not follow from objects as well.
func (a *Analysis) statedOf(w int, yield func(Correspondence) bool) {
	list := a.Trace.Correspondences
	call := trace.CallRef{Thread: a.Waits.Thread[w], Call: a.Waits.Call[w]}
	from, _ := slices.BinarySearchFunc(a.stated, call, func(i int32, c trace.CallRef) int {
		return byCall(list[i].Wait, c)
	})
	for _, i := range a.stated[from:] {
		c := &list[i]
		if c.Wait != call {
			return
		}
		if c.Idle > 0 != a.Waits.Idle[w] {
			continue
		}
		if !a.derived(w, c.Release) && !yield(Correspondence{Wait: w, Release: c.Release, At: c.At,
			Stated: true}) {
			return
		}
	}
}

// WaitsIn yields the waits of a thread that touch [from, to], in pre-order.
func (a *Analysis) WaitsIn(thread int, from, to int64) iter.Seq[int] {
	return func(yield func(int) bool) {
		ws := &a.Waits
		lo, hi := ws.OnThread(thread)
		w := lo + rank(ws.Start[lo:hi], from)
		if w > lo {
			// Outermost waits are disjoint: of those that start before from only the last can
			// reach it.
			if outer := int(ws.Outer[w-1]); ws.End[outer] >= from {
				w = outer
			}
		}
		for ; w < hi && ws.Start[w] <= to; w++ {
			if ws.End[w] >= from && !yield(w) {
				return
			}
		}
	}
}

// Released yields the waits that correspond with a release, by thread. Cost is logarithmic for
// every thread, and linear in the waits that are open then.
func (a *Analysis) Released(release trace.CallRef) iter.Seq[int] {
	return func(yield func(int) bool) {
		th := a.Trace.Threads[release.Thread]
		at := th.Start(int(release.Call))
		for t := range a.Trace.Threads {
			for w := range a.WaitsIn(t, at, at) {
				if a.derived(w, release) && !yield(w) {
					return
				}
			}
		}
		list := a.Trace.Correspondences
		from, _ := slices.BinarySearchFunc(list, at, func(c trace.Correspondence, at int64) int {
			return cmp.Compare(c.At, at)
		})
		for i := from; i < len(list) && list[i].At <= th.End(int(release.Call)); i++ {
			w := a.Waits.Stated(&list[i])
			if list[i].Release == release && w >= 0 && !a.derived(w, release) && !yield(w) {
				return
			}
		}
	}
}

// Reach is when one thread released waits of an aggregate.
type Reach struct {
	Thread      int32 // the releasing one
	First, Last int64 // release moments, ns
}

func (r *Reach) add(first, last int64) { r.First, r.Last = min(r.First, first), max(r.Last, last) }

// Reach returns, by releasing thread, the release moments of all correspondences of the waits among
// the calls [from, to) of a thread (SyncTrace, eq. 8). Every wait, and every thread that releases
// its objects, is a step of logarithmic cost. It gives up after the given number of steps,
// subtracts those that it took, and reports whether they were enough.
func (a *Analysis) Reach(thread, from, to int, steps *int) ([]Reach, bool) {
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
	objects := a.ObjectsOf(w)
	for k, o := range objects {
		if !isFirst(objects, k) {
			continue
		}
		list := p.byThread[p.from[o]:p.from[o+1]]
		for ; len(list) > 0 && *steps > 0; *steps-- {
			t := r.Thread[list[0]]
			n := sort.Search(len(list), func(i int) bool { return r.Thread[list[i]] > t })
			from, to := p.ofThread(r, o, t, ws.Start[w], ws.End[w])
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
