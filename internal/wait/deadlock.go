package wait

import (
	"iter"
	"maps"
	"slices"

	"diptych/internal/trace"
)

// Deadlock is a circle of threads, each waiting for ever for a lock that the next one holds. One
// thread alone waits for a lock that it holds itself.
type Deadlock []Stuck

// Stuck is one thread of a deadlock.
type Stuck struct {
	Wait   int // index in Waits
	Object trace.ObjectID
	Holder int32 // the thread that holds it
}

// findDeadlocks looks for circles among the waits that never ended. A thread holds a lock if its
// last wait for that lock has ended and it has not released the lock since. A wait on several
// objects, such as a condition and its mutex, is for the first of them; it has released the others.
// Semaphores, conditions and threads have no holder.
func (a *Analysis) findDeadlocks() {
	wanted := map[trace.ObjectID][]int32{} // by lock: the threads that hold it
	for _, w := range a.Unreleased {
		if o, ok := a.lock(int(w)); ok {
			wanted[o] = nil
		}
	}
	if len(wanted) == 0 {
		return
	}
	for t := range a.Trace.Threads {
		for o := range a.held(t, wanted) {
			wanted[o] = append(wanted[o], int32(t))
		}
	}
	a.Deadlocks = a.circles(wanted)
}

// lock returns the lock that a wait is for, if it is for one.
func (a *Analysis) lock(w int) (trace.ObjectID, bool) {
	objects := a.ObjectsOf(w)
	if len(objects) == 0 {
		return 0, false
	}
	o := objects[0]
	return o, a.Objects[o].Kind.exclusive()
}

// held returns which of the wanted locks a thread holds at the end.
func (a *Analysis) held(t int, wanted map[trace.ObjectID][]int32) iter.Seq[trace.ObjectID] {
	ws := &a.Waits
	taken := map[trace.ObjectID]int32{} // by the last wait for it that ended
	from, to := ws.OnThread(t)
	for w := from; w < to; w++ {
		for k, o := range a.ObjectsOf(w) {
			if _, ok := wanted[o]; !ok {
				continue
			}
			if ws.How[w] != Unreleased {
				taken[o] = ws.Call[w]
			} else if k > 0 {
				delete(taken, o)
			}
		}
	}
	maps.DeleteFunc(taken, func(o trace.ObjectID, call int32) bool {
		from, to := a.byObject.ofThread(&a.Releases, o, int32(t), 0, a.Trace.Duration)
		return from < to && a.Releases.Call[a.byObject.byThread[to-1]] > call
	})
	return maps.Keys(taken)
}

// circles goes from every stuck thread to the one that holds what it waits for, until a thread
// comes up again. A lock may have several holders; those that are not stuck are taken away before,
// so that the search cannot leave the circle.
func (a *Analysis) circles(holders map[trace.ObjectID][]int32) []Deadlock {
	stuck := map[int32]Stuck{}
	for _, w := range a.Unreleased {
		if o, ok := a.lock(int(w)); ok {
			stuck[a.Waits.Thread[w]] = Stuck{Wait: int(w), Object: o}
		}
	}
	for removed := true; removed; {
		removed = false
		for t, s := range stuck {
			next := slices.IndexFunc(holders[s.Object], func(h int32) bool {
				_, ok := stuck[h]
				return ok
			})
			if next < 0 {
				delete(stuck, t)
				removed = true
				continue
			}
			s.Holder = holders[s.Object][next]
			stuck[t] = s
		}
	}
	var out []Deadlock
	seen := map[int32]int{} // by thread: from which start it was reached
	for start := range len(a.Trace.Threads) {
		t := int32(start)
		for _, ok := stuck[t]; ok && seen[t] == 0; t = stuck[t].Holder {
			seen[t] = start + 1
		}
		if _, ok := stuck[t]; !ok || seen[t] != start+1 {
			continue
		}
		circle := Deadlock{stuck[t]}
		for u := stuck[t].Holder; u != t; u = stuck[u].Holder {
			circle = append(circle, stuck[u])
		}
		out = append(out, circle)
	}
	return out
}
