package wait

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"sort"
	"strings"

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
	a.holds = map[trace.ObjectID][]Hold{}
	for o := range a.Objects {
		if k := a.Objects[o].Kind; (k == Mutex || k == SpinLock) && a.Objects[o].Shared() {
			a.holds[trace.ObjectID(o)] = nil
		}
	}
	if len(a.holds) == 0 {
		return ctx.Err()
	}
	doubt := make([]bool, len(a.Trace.Functions))
	for f := range doubt {
		name := strings.ToLower(a.Trace.Functions[f].Name)
		doubt[f] = slices.ContainsFunc(doubtful, func(part string) bool {
			return strings.Contains(name, part)
		})
	}
	for t := range a.Trace.Threads {
		a.holdsOf(int32(t), doubt)
	}
	for o, list := range a.holds {
		slices.SortStableFunc(list, func(x, y Hold) int { return cmp.Compare(x.From, y.From) })
		for k := 1; k < len(list); k++ {
			list[k-1].To = min(list[k-1].To, list[k].From)
		}
		a.holds[o] = slices.DeleteFunc(list, func(h Hold) bool { return h.To <= h.From })
	}
	return ctx.Err()
}

// keeper is what a thread holds.
type keeper struct {
	a      *Analysis
	thread int32
	has    map[trace.ObjectID]taken
	given  []trace.ObjectID // by the present call
}

// taken is a lock that a thread holds, how often it took it, and since when.
type taken struct {
	times int
	since int64
}

// holdsOf adds the holds of a thread. doubt tells functions that may return without the lock.
func (a *Analysis) holdsOf(t int32, doubt []bool) {
	th, k := a.Trace.Threads[t], &keeper{a: a, thread: t, has: map[trace.ObjectID]taken{}}
	for marks := th.Blocks; len(marks) > 0; {
		n := 1
		for n < len(marks) && marks[n].Call == marks[0].Call {
			n++
		}
		call := int(marks[0].Call)
		k.call(marks[:n], th.Start(call), th.End(call), doubt[th.Fn[call]],
			th.Flags(call)&trace.Unclosed != 0)
		marks = marks[n:]
	}
	for o := range k.has {
		k.has[o] = taken{1, k.has[o].since}
		k.give(o, max(a.Threads[t].EndNs, k.has[o].since))
	}
}

// call takes and gives what a call does, by its marks.
func (k *keeper) call(marks []trace.Block, start, end int64, doubt, unclosed bool) {
	k.given = k.given[:0]
	give := func(o trace.ObjectID) {
		if !slices.Contains(k.given, o) {
			k.given = append(k.given, o)
			k.give(o, start)
		}
	}
	for i := range marks {
		if marks[i].Kind == trace.Release {
			for _, o := range marks[i].Objects {
				give(o)
			}
		}
	}
	for i := range marks {
		if marks[i].Kind != trace.Wait {
			continue
		}
		for n, o := range marks[i].Objects {
			if n > 0 {
				give(o) // the mutex of a condition
			}
			if _, is := k.a.holds[o]; is && !unclosed && (n > 0 || !doubt) &&
				isFirst(marks[i].Objects, n) {
				k.take(o, end)
			}
		}
	}
}

func (k *keeper) take(o trace.ObjectID, at int64) {
	h, again := k.has[o]
	if !again {
		h.since = at
	}
	k.has[o] = taken{h.times + 1, h.since}
}

func (k *keeper) give(o trace.ObjectID, at int64) {
	h, ok := k.has[o]
	if h.times--; h.times > 0 {
		k.has[o] = h
	} else if ok {
		delete(k.has, o)
		k.a.holds[o] = append(k.a.holds[o], Hold{k.thread, h.since, at})
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
