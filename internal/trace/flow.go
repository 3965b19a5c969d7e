package trace

import (
	"math"
	"slices"
	"sort"
)

// A flow is a causal link between the calls that enclose its ends, or that it names. That call at
// its end is work that was caused, as a rule, and no wait. A thread waited for a flow only if the
// flow comes from another thread, and either
//
//   - the call at its end began before the flow did, and is known to wait by its name or category;
//   - or the flow ended an idle gap between two tasks, the roots of the thread: it began in the gap
//     and arrives in the task after it, in the task itself or in the first of what it calls. Then
//     the gap is the wait.
//
// For example, with a flow that begins at 35:
//
//	task [0, 30]  task [40, 60]   arrives at 40: the gap [30, 40] waited for it
//	task [0, 38]  task [40, 60]   arrives at 40: the thread was busy, so nothing waited
//	task [0, 60]                  arrives at 40: a wait if the task is known to wait

// Awaits has the calls of further functions count as calls that wait, if a flow ends in them that
// began after they did.
func (b *Builder) Awaits(known func(*Function) bool) { b.awaits = known }

// bindFlows resolves flows to links, and to correspondences where a thread waited.
func (b *Builder) bindFlows(tr *Trace, ends *ends) {
	for _, f := range b.flows {
		from, fc := f.from.resolve(b.first, endsHere)
		to, tc := f.to.resolve(b.first, startsHere)
		if fc < 0 || tc < 0 {
			b.Diagnose(UnboundFlow, 1, "flow from %s at %v to %s at %v",
				f.from.Thread.id, Since(f.from.At), f.to.Thread.id, Since(f.to.At))
			continue
		}
		at := f.from.At - b.first
		release, target := CallRef{from.index, fc}, CallRef{to.index, tc}
		tr.Links = append(tr.Links, Link{From: release, To: target, At: at,
			Until: max(at, f.to.At-b.first)})
		c := Correspondence{Wait: target, Release: release, At: at, Object: NoObject}
		switch {
		case f.from.Thread == f.to.Thread:
			continue
		case to.Start(int(tc)) < at && at <= to.End(int(tc)) && b.waits(tr, to, int(tc)):
			ends.addEnd(to, tc, Wait, NoObject)
		default:
			root, idle := f.to.Thread.gapBefore(to, int(tc))
			if start := to.Start(root); idle == 0 || at < start-idle || at > start {
				continue
			}
			c.Wait.Call, c.Idle = int32(root), idle
		}
		ends.addEnd(from, fc, Release, NoObject)
		tr.Correspondences = append(tr.Correspondences, c)
	}
}

// resolve returns the lane and call that a moment belongs to, or −1. Times are since first.
func (m *Moment) resolve(first int64, ends bool) (*Thread, int32) {
	switch {
	case m.Call.t != nil:
		return m.Call.t.locate(m.Call.ord)
	case m.Next:
		return m.Thread.next(m.At - first)
	}
	return m.Thread.around(m.At-first, ends)
}

// waits reports whether a call is known to wait.
func (b *Builder) waits(tr *Trace, th *Thread, call int) bool {
	for _, k := range th.BlocksOf(call) {
		if k.Kind == Wait {
			return true
		}
	}
	return b.awaits != nil && b.awaits(tr.FunctionOf(th, call))
}

// gapBefore returns the root of a call, and for how long the thread had been idle between its last
// task and that root; 0 if it was not idle, or the call is not where the root's work begins.
func (t *ThreadBuilder) gapBefore(th *Thread, call int) (root int, idle int64) {
	// Each of the calls right before it in pre-order is its caller, up to the root, or something
	// else was called first.
	root = call - int(th.Depth(call))
	if th.Depth(root) != 0 || th.Next(root) <= call {
		return root, 0
	}
	start, busy := th.Start(root), int64(math.MinInt64)
	for _, lane := range t.lanes {
		i := sort.Search(lane.Len(), func(i int) bool { return lane.Start(i) >= start }) - 1
		if lane == th {
			i = root - 1
		}
		for i >= 0 && lane.Parent(i) >= 0 {
			i = int(lane.Parent(i))
		}
		if i >= 0 {
			busy = max(busy, lane.End(i))
		}
	}
	if busy == math.MinInt64 {
		return root, 0
	}
	return root, max(start-busy, 0)
}

// Mark states which calls of a thread block, and on which objects.
type Mark func(th *Thread, m Marks)

// Marks are calls of one thread that block, in call order. There can be as many as calls, so the
// objects of each are numbers, and each name is looked up once.
type Marks struct {
	Calls   []Marked
	Objects []int32  // of all calls, as indices into Names
	Names   []string // of the objects; one list may serve many threads, and does not change
}

// Marked is a call that blocks on some of Marks.Objects.
type Marked struct {
	Call     int32
	From, To uint32
	Kind     BlockKind
}

// MarkWith has find look for blocking calls when the trace is all but built: threads, calls and
// arguments are there, in their final places. Find must call mark in call order for any one thread.
// Marks that a loader has made with ThreadBuilder.Block, from explicit records, stay as they are.
func (b *Builder) MarkWith(find func(tr *Trace, mark Mark)) {
	b.markers = append(b.markers, find)
}

// mark runs the markers.
func (b *Builder) mark(tr *Trace) {
	for _, find := range b.markers {
		explicit := make([]int, len(tr.Threads)) // marks of each thread
		for k, th := range tr.Threads {
			explicit[k] = len(th.Blocks)
		}
		var ids objectIDs
		find(tr, func(th *Thread, m Marks) {
			if ids.reset(m.Names) && len(b.objects) == 0 { // most names become objects
				b.byObject = make(map[string]ObjectID, len(m.Names))
				b.objects = make([]Object, 0, len(m.Names))
			}
			b.markThread(th, m, th.Blocks[:explicit[th.index]], ids.ids)
		})
		for k, th := range tr.Threads {
			if explicit[k] > 0 {
				slices.SortStableFunc(th.Blocks, func(x, y Block) int {
					return int(x.Call) - int(y.Call)
				})
			}
		}
	}
	tr.Objects = b.objects
}

// objectIDs are the ids of objects by their index in Marks.Names, NoObject until one is met.
type objectIDs struct {
	names []string
	ids   []ObjectID
}

// reset forgets the ids unless the names are still the same list, as those of many threads can be.
// It reports whether it did.
func (o *objectIDs) reset(names []string) bool {
	if len(names) == len(o.names) && (len(names) == 0 || &names[0] == &o.names[0]) {
		return false
	}
	o.names, o.ids = names, slices.Repeat([]ObjectID{NoObject}, len(names))
	return true
}

// markThread adds blocking marks to a thread, but to no call that is among those given. Objects get
// ids when they are first met.
func (b *Builder) markThread(th *Thread, m Marks, but []Block, ids []ObjectID) {
	var few [4]ObjectID // most calls have one object or two
	objects := few[:0]
	th.Blocks = slices.Grow(th.Blocks, len(m.Calls))
	if len(m.Objects) > 0 {
		x := th.detailed()
		x.objects = slices.Grow(x.objects, len(m.Objects))
	}
	for _, c := range m.Calls {
		if marked(but, int(c.Call)) {
			continue
		}
		objects = objects[:0]
		for _, k := range m.Objects[c.From:c.To] {
			if ids[k] == NoObject {
				ids[k] = b.Object(b.given(m.Names[k]))
			}
			objects = append(objects, ids[k])
		}
		th.Blocks = append(th.Blocks, Block{c.Call, c.Kind, th.addObjects(objects)})
	}
}

func marked(blocks []Block, call int) bool {
	_, ok := slices.BinarySearchFunc(blocks, call, func(b Block, call int) int {
		return int(b.Call) - call
	})
	return ok
}
