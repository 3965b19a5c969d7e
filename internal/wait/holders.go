package wait

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"sort"
	"strings"
	"sync"

	"diptych/internal/progress"
	"diptych/internal/trace"
)

// Hold is a stretch of time in which a thread held a lock.
type Hold struct {
	Thread   int32
	From, To int64 // ns
}

// Who held a lock while others waited for it is known where the recording has both ends of it: the
// call that took the lock and the call that gave it back, with the lock as their argument. A thread
// holds the lock from the end of the former to the start of the latter, so the times are a little
// too short rather than too long.
//
//   - Only mutexes and spin locks have one holder. Of read-write locks, semaphores, conditions and
//     channels nothing is said.
//   - A wait for a condition gives its mutex back as it begins and takes it again as it ends.
//   - A thread that takes a lock twice gives it back twice.
//   - Whether a call that tries for a lock, or for some time only, got it is mostly not recorded:
//     such a call takes nothing.
//   - A thread that takes a lock proves that no other holds it any more, so a hold whose end was
//     not recorded ends there, or with the thread.
//   - Where a recording does not name locks, as that of Go does not, it is not known who held one;
//     what is known there is who released it.

// doubtful are parts of the names of functions that may return without the lock, in lower case.
var doubtful = []string{"try", "timed", "clock", "_for", "_until"}

// findHolds finds the holds of locks that more than one thread waited for.
func (a *Analysis) findHolds(ctx context.Context, _ *progress.Meter) error {
	locks, number := a.sharedLocks()
	a.holds = make(map[trace.ObjectID][]Hold, len(locks))
	if len(locks) == 0 {
		return ctx.Err()
	}
	doubt := make([]bool, len(a.Trace.Functions))
	for f := range doubt {
		name := strings.ToLower(a.Trace.Functions[f].Name)
		doubt[f] = slices.ContainsFunc(doubtful, func(part string) bool {
			return strings.Contains(name, part)
		})
	}
	found := make([][]heldLock, len(a.Trace.Threads))
	keepers := sync.Pool{New: func() any {
		return &keeper{a: a, doubt: doubt, number: number, has: make([]taken, len(locks))}
	}}
	if err := progress.Spread(ctx, len(found), func(t int) error {
		k := keepers.Get().(*keeper)
		defer keepers.Put(k)
		found[t] = k.holdsOf(int32(t))
		return nil
	}); err != nil {
		return err
	}
	lists, sizes := make([][]Hold, len(locks)), make([]int, len(locks))
	for _, list := range found {
		for _, h := range list {
			sizes[h.lock]++
		}
	}
	for l, n := range sizes {
		lists[l] = make([]Hold, 0, n)
	}
	for _, list := range found {
		for _, h := range list {
			lists[h.lock] = append(lists[h.lock], h.Hold)
		}
	}
	err := progress.Spread(ctx, len(locks), func(l int) error {
		lists[l] = inTurn(lists[l])
		return nil
	})
	for l, o := range locks {
		a.holds[o] = lists[l]
	}
	return err
}

// sharedLocks returns the locks that more than one thread waited for, and the number of each by
// object; −1 for all other objects.
func (a *Analysis) sharedLocks() (locks []trace.ObjectID, number []int32) {
	number = make([]int32, len(a.Objects))
	for o := range a.Objects {
		number[o] = -1
		if k := a.Objects[o].Kind; (k == Mutex || k == SpinLock) && a.Objects[o].Shared() {
			number[o] = int32(len(locks))
			locks = append(locks, trace.ObjectID(o))
		}
	}
	return locks, number
}

// inTurn sorts the holds of a lock, thread by thread, by time. Each lasts until the next at most.
func inTurn(list []Hold) []Hold {
	mergeRuns(list, func(x, y Hold) int { return cmp.Compare(x.From, y.From) })
	for k := 1; k < len(list); k++ {
		list[k-1].To = min(list[k-1].To, list[k].From)
	}
	return slices.DeleteFunc(list, func(h Hold) bool { return h.To <= h.From })
}

// heldLock is a hold of a lock, by its number.
type heldLock struct {
	lock int32
	Hold
}

// keeper is what a thread holds.
type keeper struct {
	a      *Analysis
	doubt  []bool  // by function: it may return without the lock
	number []int32 // of locks, by object

	thread int32
	has    []taken          // by number of the lock
	met    []int32          // numbers of the locks that were taken
	given  []trace.ObjectID // by the present call
	found  []heldLock
}

// taken is how often a thread took a lock that it holds, and since when.
type taken struct {
	times int
	since int64
}

// holdsOf returns the holds of a thread.
func (k *keeper) holdsOf(t int32) []heldLock {
	from, to := k.a.Waits.OnThread(int(t))
	k.thread, k.met, k.found = t, k.met[:0], make([]heldLock, 0, to-from)
	th := k.a.Trace.Threads[t]
	marks, calls := th.Blocks, k.a.blocking[t]
	for len(marks) > 0 {
		n := 1
		for n < len(marks) && marks[n].Call == marks[0].Call {
			n++
		}
		k.call(th, marks[:n], &calls[0])
		marks, calls = marks[n:], calls[n:]
	}
	for _, l := range k.met {
		if h := &k.has[l]; h.times > 0 {
			h.times = 1
			k.give(l, max(k.a.Threads[t].EndNs, h.since))
		}
	}
	return k.found
}

// call takes and gives what a call does, by its marks.
func (k *keeper) call(th *trace.Thread, marks []trace.Block, c *blocking) {
	k.given = k.given[:0]
	give := func(o trace.ObjectID) {
		if l := k.number[o]; l >= 0 && !slices.Contains(k.given, o) {
			k.given = append(k.given, o)
			k.give(l, c.start)
		}
	}
	for i := range marks {
		if marks[i].Kind == trace.Release {
			for _, o := range th.ObjectsIn(marks[i].Objects) {
				give(o)
			}
		}
	}
	for i := range marks {
		if marks[i].Kind != trace.Wait {
			continue
		}
		objects := th.ObjectsIn(marks[i].Objects)
		for n, o := range objects {
			if n > 0 {
				give(o) // the mutex of a condition
			}
			if l := k.number[o]; l >= 0 && !c.unclosed && (n > 0 || !k.doubt[c.fn]) &&
				isFirst(objects, n) {
				k.take(l, c.end())
			}
		}
	}
}

func (k *keeper) take(lock int32, at int64) {
	h := &k.has[lock]
	if h.times == 0 {
		h.since = at
		k.met = append(k.met, lock)
	}
	h.times++
}

func (k *keeper) give(lock int32, at int64) {
	h := &k.has[lock]
	if h.times == 0 {
		return
	}
	if h.times--; h.times == 0 {
		k.found = append(k.found, heldLock{lock, Hold{k.thread, h.since, at}})
	}
}

// Held returns who held the lock that wait w was for while it waited, in order of time and cut to
// the wait. It is empty where that is not known. The waiting thread itself is left out.
func (a *Analysis) Held(w int) iter.Seq[Hold] {
	return func(yield func(Hold) bool) {
		o := a.Object(w)
		if o == trace.NoObject {
			return
		}
		list, ws := a.holds[o], &a.Waits
		start, end := ws.Start[w], ws.End[w]
		for k := sort.Search(len(list), func(k int) bool { return list[k].To > start }); k < len(list) &&
			list[k].From < end; k++ {
			h := list[k]
			if h.Thread == ws.Thread[w] {
				continue
			}
			if !yield(Hold{h.Thread, max(h.From, start), min(h.To, end)}) {
				return
			}
		}
	}
}

// Holder returns the thread that held the lock of wait w longest while it waited, and for how long;
// or −1.
func (a *Analysis) Holder(w int) (thread int32, ns int64) {
	sums := map[int32]int64{}
	thread = -1
	for h := range a.Held(w) {
		sums[h.Thread] += h.To - h.From
		if sum := sums[h.Thread]; thread < 0 || sum > ns {
			thread, ns = h.Thread, sum
		}
	}
	return thread, ns
}
