package synth

import (
	"cmp"
	"maps"
	"slices"
)

// ledger keeps the truth about waits as they happen on a side. A wait is ended by a release: of the
// releases by other threads of an object that it waited for, the last one that starts during the
// wait, borders included (see package wait). Whom the machine really woke does not count, since a
// trace cannot show it. A wait ends a little after its release, so it stays among the recent ones
// until time has passed its end.
type ledger struct {
	objects objects
	last    []release // by object
	recent  []waited
	sums    map[waitKey]*waitSum
	calls   int64 // that wait
	taken   []int // by object: how often it was waited for
}

// release is a moment on a thread; thread −1 for never.
type release struct {
	thread int
	at     int64
}

// waited is a wait that is over, and what released its objects meanwhile.
type waited struct {
	thread     int
	start, end int64
	objects    [2]uint32 // or noObject
	by         [2]release
}

type waitKey struct {
	waiter, releaser int
	object           uint32
}

type waitSum struct{ count, unreleased, ns int64 }

func newLedger(objects int, s *side) *ledger {
	l := &ledger{objects: s.prog.objects, last: make([]release, objects), taken: make([]int, objects),
		sums: map[waitKey]*waitSum{}}
	for i := range l.last {
		l.last[i].thread = none
	}
	return l
}

// released notes the release that a thread is at.
func (l *ledger) released(t *thread) { l.releasedObject(t, t.at.object) }

// releasedObject notes that a thread releases an object now. A wait for a condition releases the
// mutex as it begins.
func (l *ledger) releasedObject(t *thread, object uint32) {
	l.pass(t.now)
	r := release{t.id, t.now}
	l.last[object] = r
	for i := range l.recent {
		w := &l.recent[i]
		k := slices.Index(w.objects[:], object)
		if k >= 0 && t.now <= w.end && w.thread != t.id {
			w.by[k] = r
		}
	}
}

// pass enters the recent waits that are over by now, up to the first that is not.
func (l *ledger) pass(now int64) {
	n := 0
	for n < len(l.recent) && l.recent[n].end < now {
		l.enter(&l.recent[n])
		n++
	}
	l.recent = slices.Delete(l.recent, 0, n)
}

// ended notes when the operation that a thread is at ends, if it is a wait. A wait for the end of a
// thread is only counted: no call releases it.
func (l *ledger) ended(t *thread, end int64) {
	o := opOf(t.at.fn)
	if !o.waits() {
		return
	}
	l.calls++
	if o == opJoin {
		return
	}
	w := waited{t.id, t.stack[len(t.stack)-1].start, end, operands(&t.at), [2]release{}}
	l.taken[t.at.object]++
	for k, object := range w.objects {
		w.by[k].thread = none
		if object == noObject {
			continue
		}
		if r := l.last[object]; r.thread != none && r.thread != t.id && r.at >= w.start {
			w.by[k] = r
		}
	}
	l.recent = append(l.recent, w)
}

// operands are the objects of an operation as its arguments name them.
func operands(n *node) [2]uint32 {
	if o := opOf(n.fn); o == opCondWait || o == opCondTimed {
		return [2]uint32{n.object, mutexOf(n.object)}
	}
	return [2]uint32{n.object, noObject}
}

// stuck notes a wait that still lasts when the recording ends.
func (l *ledger) stuck(t *thread, end int64) {
	l.calls++
	l.taken[t.at.object]++
	s := l.sum(waitKey{t.id, none, t.at.object})
	s.count++
	s.unreleased++
	s.ns += end - t.stack[len(t.stack)-1].start
}

// enter adds a wait to the sums. It counts for the first of its objects that was released, or for
// the first object if none was.
func (l *ledger) enter(w *waited) {
	key := waitKey{w.thread, none, w.objects[0]}
	at := int64(-1)
	for k, r := range w.by {
		if r.thread == none {
			continue
		}
		if key.releaser == none {
			key.object = w.objects[k]
		}
		if r.at > at {
			key.releaser, at = r.thread, r.at
		}
	}
	s := l.sum(key)
	s.count++
	s.ns += w.end - w.start
}

func (l *ledger) sum(k waitKey) *waitSum {
	s := l.sums[k]
	if s == nil {
		s = new(waitSum)
		l.sums[k] = s
	}
	return s
}

func (l *ledger) finish() {
	for i := range l.recent {
		l.enter(&l.recent[i])
	}
	l.recent = nil
}

// truth lists the sums by waiter, releaser and object.
func (l *ledger) truth() WaitTruth {
	t := WaitTruth{Calls: l.calls, Edges: []WaitEdge{}}
	keys := slices.SortedFunc(maps.Keys(l.sums), func(x, y waitKey) int {
		return cmp.Or(cmp.Compare(x.waiter, y.waiter), cmp.Compare(x.releaser, y.releaser),
			cmp.Compare(x.object, y.object))
	})
	for _, k := range keys {
		s := l.sums[k]
		e := WaitEdge{Waiter: tid(k.waiter), Object: l.objects.name(k.object), Count: s.count,
			Unreleased: s.unreleased, WaitNs: s.ns}
		if k.releaser != none {
			releaser := tid(k.releaser)
			e.Releaser = &releaser
		}
		t.Unreleased += s.unreleased
		t.Edges = append(t.Edges, e)
	}
	return t
}
