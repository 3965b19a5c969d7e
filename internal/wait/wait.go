// Package wait finds who waits on whom (after SyncTrace): the correspondences between
// calls that wait and calls that release, the release that ended each wait, totals by thread, by
// pair of threads and by object, who held a lock meanwhile, what threads did over time, chains of
// waits, the critical path and deadlocks. Compare says what of this differs between two sides.
//
// A wait w and a release r correspond if they are on different threads, share an object, and r
// starts within w, borders included. Correspondences that the recording states are kept as stated.
// One wait may correspond with very many releases, but its time must be counted once. So every wait
// has at most one release that ended it: the last of the stated ones, or else the last of all its
// correspondences, because a wait ends soon after what lets it end. Only that release counts in the
// totals of pairs of threads and of objects, and only waits that lie in no other wait do.
//
// Where the recording says that an idle gap between two tasks was a wait, the gap is one: it stands
// before the root call that ended it, and lies in no call. Time without a processor is part of the
// wait, or of the input or output, that it lies in; elsewhere it is pre-emption, which is summed up
// apart from waiting. Threads of the language's runtime are analysed like others, but count in no
// total of the trace unless that is asked for.
//
// Cost and memory grow with the calls that block, each of which is looked at once (gather.go); all
// that other calls cost is a look for time without a processor, if the trace has any.
// Correspondences are counted exactly but never stored: a million waits and a million releases of
// one object take two million entries. Of, Within and Released find those that are asked for
// through the same index.
//
// The package holds pure functions of a trace.Trace and a pair.Pair. It knows no files, views or
// other analyses.
package wait

import (
	"context"

	"diptych/internal/huge"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// Analysis is who waited on whom in one trace. It is immutable, so any number of goroutines may
// read it.
type Analysis struct {
	Trace    *trace.Trace
	Runtime  bool // totals include the runtime's own threads
	Waits    Waits
	Releases Releases

	// Correspondences counts pairs of a wait and a release. A pair that follows from an object
	// counts once; any other counts as often as the recording states it. This and all other totals
	// but EndedAside and those in Threads are over the waits of threads that count, see Counts.
	Correspondences, Stated uint64

	Ended      uint64 // waits that a release, or the end of a thread, ended
	EndedAside uint64 // such waits of threads that do not count

	Threads []ThreadTotal // by thread
	Objects []ObjectTotal // by object
	Edges   []Edge        // most time first
	Pairs   []PairTotal   // most time first

	Unreleased []int32    // waits that the end of the recording found waiting
	Deadlocks  []Deadlock // circles among them

	byObject postings
	stated   []int32                   // indices of the trace's correspondences by wait, then time
	spent    [trace.IO]spents          // by kind less 1
	switches bool                      // some time is without a processor
	holds    map[trace.ObjectID][]Hold // of locks that several threads waited for, by time
}

// Find analyses a trace; threads of the runtime count in no total. report, which may be nil, counts
// blocking calls. It fails only when ctx is done.
func Find(ctx context.Context, tr *trace.Trace, report progress.Func) (*Analysis, error) {
	return find(ctx, &Analysis{Trace: tr}, report)
}

// FindBoth is Find for two traces at once.
func FindBoth(ctx context.Context, a, b *trace.Trace, report progress.Func) ([2]*Analysis, error) {
	return findBoth(ctx, [2]*Analysis{{Trace: a}, {Trace: b}}, report)
}

// FindAllBoth is FindAll for two traces at once.
func FindAllBoth(ctx context.Context, a, b *trace.Trace, report progress.Func) ([2]*Analysis,
	error) {
	return findBoth(ctx, [2]*Analysis{{Trace: a, Runtime: true}, {Trace: b, Runtime: true}}, report)
}

func findBoth(ctx context.Context, both [2]*Analysis, report progress.Func) ([2]*Analysis, error) {
	m := progress.NewMeter(report, 0)
	err := progress.Spread(ctx, len(both), func(k int) (err error) {
		both[k], err = findWith(ctx, both[k], m)
		return err
	})
	if err == nil {
		m.Finish()
	}
	return both, err
}

// FindAll is Find with the runtime's threads in the totals.
func FindAll(ctx context.Context, tr *trace.Trace, report progress.Func) (*Analysis, error) {
	return find(ctx, &Analysis{Trace: tr, Runtime: true}, report)
}

func find(ctx context.Context, a *Analysis, report progress.Func) (*Analysis, error) {
	m := progress.NewMeter(report, 0)
	a, err := findWith(ctx, a, m)
	if err == nil {
		m.Finish()
	}
	return a, err
}

func findWith(ctx context.Context, a *Analysis, m *progress.Meter) (*Analysis, error) {
	for _, step := range []func(context.Context, *progress.Meter) error{
		a.gather, a.index, a.join, a.total, a.findHolds,
	} {
		if err := step(ctx, m); err != nil {
			return nil, err
		}
	}
	a.findDeadlocks()
	a.Waits.unclosed = nil
	return a, ctx.Err()
}

// Counts reports whether a thread's waits are part of the totals.
func (a *Analysis) Counts(thread int) bool {
	return a.Runtime || a.Trace.Threads[thread].Kind != trace.Runtime
}

// ObjectsOf returns the objects of wait w. The slice is read-only.
func (a *Analysis) ObjectsOf(w int) []trace.ObjectID { return a.Waits.objects.of(w) }

// objectLists are the objects of waits, or of releases, one after the other. To find those of a
// mark in its thread would touch four distant places in memory, and each step of the analysis asks
// for them.
type objectLists struct {
	first []uint32 // by wait or release, and one more
	list  []trace.ObjectID
}

func (o *objectLists) of(i int) []trace.ObjectID {
	from, to := o.first[i], o.first[i+1]
	return o.list[from:to:to]
}

// makeObjectLists makes room for so many lists of so many objects in all.
func makeObjectLists(lists int, objects uint32) objectLists {
	o := objectLists{huge.Make[uint32](lists + 1), huge.Make[trace.ObjectID](int(objects))}
	o.first[lists] = objects
	return o
}

// Waits are the calls that wait (Sw), by thread, then in pre-order, and before the calls that ended
// them the idle gaps that were waits. Columns have equal length.
type Waits struct {
	Thread, Call []int32 // of a gap, Call is the root call that ended it
	Idle         []bool  // whether it is a gap
	Fn           []trace.FuncID
	Start, End   []int64
	objects      objectLists
	Outer        []int32 // the outermost wait that it lies in: itself if it lies in no other

	Count []uint32        // its correspondences
	How   []How           // what became of it
	By    []trace.CallRef // the release that ended it; −1, −1 if there is none
	At    []int64         // when, ns
	On    []trace.ObjectID

	first    []int32 // by thread, and one more: those of thread t are [first[t], first[t+1])
	unclosed []bool  // no end is recorded; only while all else is found
}

// Len returns the number of waits.
func (w *Waits) Len() int { return len(w.Thread) }

// Dur returns how long wait i lasted, in ns.
func (w *Waits) Dur(i int) int64 { return w.End[i] - w.Start[i] }

// Outermost reports whether wait i lies in no other.
func (w *Waits) Outermost(i int) bool { return int(w.Outer[i]) == i }

// OnThread returns the waits of a thread as a range.
func (w *Waits) OnThread(thread int) (from, to int) {
	return int(w.first[thread]), int(w.first[thread+1])
}

// Find returns the wait that a call is, or −1.
func (w *Waits) Find(c trace.CallRef) int { return w.findAs(c, false) }

// FindGap returns the gap that a call ended, or −1.
func (w *Waits) FindGap(c trace.CallRef) int { return w.findAs(c, true) }

func (w *Waits) findAs(c trace.CallRef, idle bool) int {
	i := findCall(w.Call, w.first, c)
	if i >= 0 && w.Idle[i] && !idle { // the call may come after its gap
		i++
	}
	if i < 0 || i == int(w.first[c.Thread+1]) || w.Call[i] != c.Call || w.Idle[i] != idle {
		return -1
	}
	return i
}

// Stated returns the wait that a correspondence of the recording is about, or −1.
func (w *Waits) Stated(c *trace.Correspondence) int { return w.findAs(c.Wait, c.Idle > 0) }

// Releases are the calls that release (Sr), by thread, then in pre-order. Columns have equal
// length.
type Releases struct {
	Thread, Call []int32
	At           []int64 // the call's start
	objects      objectLists

	first []int32 // by thread, and one more
}

// Len returns the number of releases.
func (r *Releases) Len() int { return len(r.Thread) }

// Find returns the release that a call is, or −1.
func (r *Releases) Find(c trace.CallRef) int { return findCall(r.Call, r.first, c) }

// Ref returns release i as a call.
func (r *Releases) Ref(i int) trace.CallRef {
	return trace.CallRef{Thread: r.Thread[i], Call: r.Call[i]}
}

func findCall(calls, first []int32, c trace.CallRef) int {
	from, to := int(first[c.Thread]), int(first[c.Thread+1])
	if i := from + rank(calls[from:to], c.Call); i < to && calls[i] == c.Call {
		return i
	}
	return -1
}

// rank returns how many of an ascending column lie below x.
func rank[T int32 | int64](column []T, x T) int {
	lo, hi := 0, len(column)
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); column[mid] < x {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}
