package wait

import (
	"cmp"
	"context"
	"iter"
	"math"
	"slices"
	"sort"
	"strings"

	"diptych/internal/huge"
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
	found, first := make([][]heldLock, len(a.Trace.Threads)), a.Waits.first
	room := huge.Make[heldLock](a.Waits.Len()) // few waits take more than one lock
	if err := progress.SpreadEach(ctx, len(found), func() func(int) error {
		k := &keeper{a: a, doubt: doubt, number: number, has: make([]taken, len(locks))}
		return func(t int) error {
			found[t] = k.holdsOf(int32(t), room[first[t]:first[t]:first[t+1]])
			return nil
		}
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

// holdsOf returns the holds of a thread, in the memory of room as far as that goes. Waits and
// releases come in the order of calls; a call that is both gives before it takes.
func (k *keeper) holdsOf(t int32, room []heldLock) []heldLock {
	k.thread, k.met, k.found = t, k.met[:0], room
	ws, rs := &k.a.Waits, &k.a.Releases
	w, wEnd := ws.OnThread(int(t))
	r, rEnd := int(rs.first[t]), int(rs.first[t+1])
	for w < wEnd || r < rEnd {
		call := int32(math.MaxInt32)
		if w < wEnd {
			call = ws.Call[w]
		}
		if r < rEnd {
			call = min(call, rs.Call[r])
		}
		k.given = k.given[:0]
		for ; r < rEnd && rs.Call[r] == call; r++ {
			for _, o := range rs.objects.of(r) {
				k.giveOnce(o, rs.At[r])
			}
		}
		for ; w < wEnd && ws.Call[w] == call; w++ {
			k.wait(w)
		}
	}
	for _, l := range k.met {
		if h := &k.has[l]; h.times > 0 {
			h.times = 1
			k.give(l, max(k.a.Threads[t].EndNs, h.since))
		}
	}
	return k.found
}

// wait takes what a wait is for.
func (k *keeper) wait(w int) {
	ws := &k.a.Waits
	objects := ws.objects.of(w) // a gap has none
	for n, o := range objects {
		if n > 0 {
			k.giveOnce(o, ws.Start[w]) // the mutex of a condition
		}
		if l := k.number[o]; l >= 0 && !ws.unclosed[w] && (n > 0 || !k.doubt[ws.Fn[w]]) &&
			isFirst(objects, n) {
			k.take(l, ws.End[w])
		}
	}
}

// giveOnce gives back an object, if it is a lock that the present call has not given back yet.
func (k *keeper) giveOnce(o trace.ObjectID, at int64) {
	if l := k.number[o]; l >= 0 && !slices.Contains(k.given, o) {
		k.given = append(k.given, o)
		k.give(l, at)
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

// Holder returns the thread that held the lock of wait w longest while it waited, and for how long
// (ns); or −1. Of several that held it equally long, it is the first one to have done so.
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
