package synth

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// happening is a release, or the moment at which the machine knows when a wait will end.
type happening struct {
	at      int64 // the release; for a wait when it is noted
	thread  int
	op      op
	object  uint32
	from    int64 // of a wait
	to      int64
	release bool
}

// someHappenings draws what threads 0 to 2 release and what threads 3 to 5 wait for, in the order
// in which the machine tells it. Objects are pairs of a mutex (even) and its condition (odd).
func someHappenings(t *rapid.T) []happening {
	var all []happening
	for range rapid.IntRange(0, 40).Draw(t, "releases") {
		all = append(all, happening{release: true, op: opUnlock,
			at:     rapid.Int64Range(0, 60).Draw(t, "at"),
			thread: rapid.IntRange(0, 2).Draw(t, "releaser"),
			object: rapid.Uint32Range(0, 5).Draw(t, "object")})
	}
	for thread := 3; thread < 6; thread++ {
		now := int64(0)
		for range rapid.IntRange(0, 8).Draw(t, "waits") {
			w := happening{thread: thread, op: opLock, object: 2 * rapid.Uint32Range(0, 2).Draw(t, "mutex")}
			if rapid.Bool().Draw(t, "condition") {
				w.op, w.object = opCondWait, w.object+1
			}
			w.from = now + rapid.Int64Range(0, 9).Draw(t, "gap")
			w.to = w.from + rapid.Int64Range(0, 20).Draw(t, "lasts")
			w.at = rapid.Int64Range(w.from, w.to).Draw(t, "noted")
			now = w.to
			all = append(all, w)
		}
	}
	slices.SortStableFunc(all, func(x, y happening) int { return cmp.Compare(x.at, y.at) })
	return all
}

// plainSums finds what ended each wait by looking at all releases: the one of an object
// it waited for that starts last, borders included; of those at one time the one told last.
func plainSums(all []happening) map[waitKey]waitSum {
	sums := map[waitKey]waitSum{}
	for _, w := range all {
		if w.release {
			continue
		}
		objects := []uint32{w.object}
		if w.op == opCondWait {
			objects = append(objects, mutexOf(w.object))
		}
		key, at := waitKey{w.thread, none, w.object}, int64(-1)
		named := false
		for _, object := range objects {
			last, found := happening{}, false
			for _, r := range all {
				if r.release && r.object == object && r.at >= w.from && r.at <= w.to &&
					(!found || r.at >= last.at) {
					last, found = r, true
				}
			}
			if !found {
				continue
			}
			if !named {
				key.object, named = object, true
			}
			if last.at > at {
				key.releaser, at = last.thread, last.at
			}
		}
		s := sums[key]
		s.count++
		s.ns += w.to - w.from
		sums[key] = s
	}
	return sums
}

// TestLedgerFindsWhatEndedAWait holds the ledger, which sees each event once, against looking at
// all of them for each wait.
func TestLedgerFindsWhatEndedAWait(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := someHappenings(t)
		l := newLedger(6, &side{prog: smallProgram})
		waits := int64(0)
		for _, h := range all {
			th := &thread{id: h.thread, now: h.at, at: node{fn: library(h.op), object: h.object}}
			if h.release {
				l.released(th)
				continue
			}
			th.stack = []activation{{start: h.from}}
			l.ended(th, h.to)
			waits++
		}
		l.finish()
		want := plainSums(all)
		if l.calls != waits || len(l.sums) != len(want) {
			t.Fatalf("%d waits in %d sums, want %d in %d", l.calls, len(l.sums), waits, len(want))
		}
		for key, s := range l.sums {
			if *s != want[key] {
				t.Fatalf("%+v: %+v, want %+v", key, *s, want[key])
			}
		}
	})
}

// TestLedgerIgnoresOwnReleases: what a thread gave back itself does not end its wait.
func TestLedgerIgnoresOwnReleases(t *testing.T) {
	l := newLedger(2, &side{prog: smallProgram})
	own := &thread{id: 1, now: 10, at: node{fn: library(opUnlock)}}
	l.released(own)
	own.at, own.stack = node{fn: library(opLock)}, []activation{{start: 10}}
	l.ended(own, 15)
	l.finish()
	if s := l.sums[waitKey{1, none, 0}]; s == nil || s.count != 1 || s.ns != 5 {
		t.Errorf("sums are %v", l.sums)
	}
}

// TestWaitTruthListsInOrder: edges are ordered by waiter, releaser and object; a wait that never
// ends counts as unreleased, one for a thread's end only as a call.
func TestWaitTruthListsInOrder(t *testing.T) {
	l := newLedger(3, &side{prog: smallProgram})
	wait := func(o op, id int, object uint32) *thread {
		return &thread{id: id, at: node{fn: library(o), object: object}, stack: []activation{{start: 100}}}
	}
	l.ended(wait(opLock, 2, 1), 130)
	l.ended(wait(opLock, 2, 0), 110)
	l.ended(wait(opJoin, 0, 2), 500)
	l.released(&thread{id: 3, now: 120, at: node{fn: library(opUnlock), object: 1}})
	l.stuck(wait(opLock, 1, 2), 400)
	l.finish()
	got := l.truth()
	three := tid(3)
	want := []WaitEdge{
		{Waiter: tid(1), Object: l.objects.name(2), Count: 1, Unreleased: 1, WaitNs: 300},
		{Waiter: tid(2), Object: l.objects.name(0), Count: 1, WaitNs: 10},
		{Waiter: tid(2), Releaser: &three, Object: l.objects.name(1), Count: 1, WaitNs: 30},
	}
	if got.Calls != 4 || got.Unreleased != 1 || len(got.Edges) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i, w := range want {
		g := got.Edges[i]
		if (g.Releaser == nil) != (w.Releaser == nil) || g.Releaser != nil && *g.Releaser != *w.Releaser {
			t.Errorf("edge %d is released by %v, want %v", i, g.Releaser, w.Releaser)
		}
		if g.Releaser = w.Releaser; g != w {
			t.Errorf("edge %d is %+v, want %+v", i, g, w)
		}
	}
}
