package wait

import (
	"cmp"
	"iter"
	"slices"

	"diptych/internal/trace"
)

// Correspondence is a wait and a release that correspond.
type Correspondence struct {
	Wait    int // index in Waits
	Release trace.CallRef
	At      int64 // the release moment, ns
	Object  trace.ObjectID
	Stated  bool // the recording states it
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
	for k, o := range ws.Objects[w] {
		if !first(ws.Objects[w], k) {
			continue
		}
		from, to := p.within(o, ws.Start[w], ws.End[w])
		for i := from; i < to; i++ {
			e := int(p.release[i])
			if r.Thread[e] == ws.Thread[w] ||
				k > 0 && p.several[o] && shares(ws.Objects[w][:k], r.Objects[e]) {
				continue
			}
			if !yield(Correspondence{Wait: w, Release: r.Ref(e), At: r.At[e], Object: o}) {
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
		if !a.derived(w, c.Release) && !yield(Correspondence{Wait: w, Release: c.Release, At: c.At,
			Object: c.Object, Stated: true}) {
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

// Within yields the correspondences of the waits of a thread that touch [from, to].
func (a *Analysis) Within(thread int, from, to int64) iter.Seq[Correspondence] {
	return func(yield func(Correspondence) bool) {
		for w := range a.WaitsIn(thread, from, to) {
			for c := range a.Of(w) {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// Released yields the waits that correspond with a release, by thread. Cost is logarithmic for
// every thread, and linear in the waits that are open then.
func (a *Analysis) Released(release trace.CallRef) iter.Seq[int] {
	return func(yield func(int) bool) {
		th := a.Trace.Threads[release.Thread]
		at := th.Start[release.Call]
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
		for i := from; i < len(list) && list[i].At <= th.End[release.Call]; i++ {
			w := a.Waits.Find(list[i].Wait)
			if list[i].Release == release && w >= 0 && !a.derived(w, release) && !yield(w) {
				return
			}
		}
	}
}
