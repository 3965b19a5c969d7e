package account

import (
	"math"
	"slices"
	"strings"
	"sync"

	"diptych/internal/pair"
	"diptych/internal/trace"
	"diptych/internal/wait"
)

// One thread is split by going through its calls once, in pre-order. The time of a call is that of
// its part, and not that of the part that calls it; between roots it is idle time. A call that owns
// its callees' time is not looked into. What is around the present call is kept by level.
//
// The same is done on a clock that runs only while the elapsed time goes along the thread (clock):
// what a call takes of that is the part of its time on the way.

// entry is a part below the functions of a scope (scope.go), with its amount.
type entry struct {
	part  Part
	scope int32
	Amount
}

// entries numbers the parts and scopes of a thread, in steps, so that each step looks up two small
// numbers.
type entries struct {
	scoped   pair.Numbers // function, scope
	called   pair.Numbers // number of that, caller
	released pair.Numbers // object, releaser
	all      pair.Numbers // number of called; kind and number of released

	callees pair.Numbers // an entry plus 1, function that such a part calls
}

// clear forgets all numbers and keeps the memory.
func (n *entries) clear() {
	for _, of := range []*pair.Numbers{&n.scoped, &n.called, &n.released, &n.all, &n.callees} {
		of.Clear()
	}
}

// numberOf returns the number of a part in a scope.
func (n *entries) numberOf(p *Part, scope int32) int32 {
	at := n.scoped.Of(pair.KeyOf(p.Function, uint32(scope)))
	at = n.called.Of(pair.KeyOf(uint32(at), p.Caller))
	by := n.released.Of(pair.KeyOf(uint32(p.Object), uint32(p.Releaser)))
	return n.all.Of(pair.KeyOf(uint32(at), uint32(by)*uint32(Kinds)+uint32(p.Kind)))
}

// sweep splits one thread.
type sweep struct {
	*side
	*space
	th     *trace.Thread
	way    clock
	idle   int64         // ns: all before is booked, where no call is open
	blocks []trace.Block // of calls that have not begun
	gaps   []int         // waits of the thread that lie before their calls, in order of time

	wait, lastWait int // waits of the thread: the first not before the present call, the end
}

// space is memory that threads use one after the other.
type space struct {
	entries
	list  []entry
	above []int32 // by level: the entry of the call around, plus 1; 0 for roots
	sums  []sum   // by entry plus 1; the first is for what is around the roots
	// By number in entries.callees, the entry of the callee. An entry and a function are all that
	// it depends on, unless the callee is marked as blocking. Recent ones are looked up in cache.
	calleeAt []int32
	round    uint32 // of threads: what older ones left in cache is not valid
	cache    [1 << cacheBits]cached
}

// sum is what each call of an entry adds to: its Amount, but for squares.
type sum struct{ calls, ns, way int64 }

// cached is the entry of a key of entries.callees, plus 1.
type cached struct {
	key   uint64
	entry int32
	round uint32
}

const cacheBits = 10

func (s *space) clear(levels int) {
	s.entries.clear()
	if s.round++; s.round == 0 {
		clear(s.cache[:])
		s.round = 1
	}
	s.list, s.calleeAt, s.sums = s.list[:0], s.calleeAt[:0], append(s.sums[:0], sum{})
	s.above = slices.Grow(s.above[:0], levels)[:levels]
	s.above[0] = 0
}

// side is what all sweeps of a side share, and read only.
type side struct {
	pair.Side
	trace   *trace.Trace
	waits   *wait.Analysis
	ids     []uint32 // identity by function
	kinds   []Kind   // by function
	objects []int32  // index into Balance.Objects, by object
	pair    *pair.Pair
	scopes  *scopes
	spaces  *sync.Pool // of *space
	longest func() map[waitKey]longestWaits
}

// split returns the parts of a thread.
func (d *side) split(thread int, way []stretch) []entry {
	th := d.trace.Threads[thread]
	if th.Len() == 0 {
		return nil
	}
	s := sweep{side: d, space: d.spaces.Get().(*space), th: th, way: newClock(way),
		blocks: th.Blocks, idle: th.Start(0), gaps: d.gaps(thread)}
	defer d.spaces.Put(s.space)
	s.clear(th.MaxDepth() + 1)
	s.wait, s.lastWait = d.waits.Waits.OnThread(thread)
	s.bookCalls()
	for k := range s.list {
		e, sum := &s.list[k], s.sums[k+1]
		e.Calls, e.Ns, e.WayNs = sum.calls, sum.ns, sum.way
	}
	return slices.Clone(s.list)
}

// bookCalls books the time of all calls, and of the gaps between roots.
func (s *sweep) bookCalls() {
	th, n := s.th, s.th.Len()
	above, kinds, marked := s.above, s.kinds, s.nextMark(0)
	for i := 0; i < n; {
		fn, start, ns, depth := th.Fn[i], th.Start(i), th.Dur(i), th.Depth(i)
		end := start + ns
		if depth == 0 {
			s.bookIdle(start)
			s.idle = end
		}
		up, at, kind := above[depth], int32(0), kinds[fn]
		if i < marked {
			key := pair.KeyOf(uint32(up), uint32(fn))
			hit := &s.cache[key*0x9e3779b97f4a7c15>>(64-cacheBits)]
			if hit.key != key || hit.round != s.round {
				*hit = cached{key, s.usualEntry(key) + 1, s.round}
			}
			at = hit.entry
		} else {
			at, kind = s.entryOfMarked(i, up)
			marked = s.nextMark(i + 1)
		}
		way := s.way.between(start, end)
		around, of := &s.sums[up], &s.sums[at]
		around.ns, around.way = around.ns-ns, around.way-way
		of.calls, of.ns, of.way = of.calls+1, of.ns+ns, of.way+way
		if kind == CPU {
			above[depth+1] = at
			i++
			continue
		}
		s.list[at-1].Squares += float64(ns) * float64(ns)
		i = th.Next(i)
	}
}

// gaps returns the waits of a thread that are no calls: idle time before a call, in which the
// thread waited for something to do, as the recording knows.
func (d *side) gaps(thread int) (list []int) {
	ws, th := &d.waits.Waits, d.trace.Threads[thread]
	from, to := ws.OnThread(thread)
	for w := from; w < to; w++ {
		if ws.Start[w] < th.Start(int(ws.Call[w])) {
			list = append(list, w)
		}
	}
	return list
}

// bookIdle books the time up to a moment in which no call is open.
func (s *sweep) bookIdle(to int64) {
	for s.idle < to {
		if ws := &s.waits.Waits; len(s.gaps) > 0 && ws.Start[s.gaps[0]] < to {
			w := s.gaps[0]
			s.gaps = s.gaps[1:]
			s.bookUpTo(ws.Start[w], &idlePart)
			part := s.gapPart(w)
			s.sums[s.entryOf(part, 0)+1].calls++
			s.bookUpTo(min(to, ws.End[w]), &part)
			continue
		}
		s.bookUpTo(to, &idlePart)
	}
}

// bookUpTo books idle time up to a moment as a part.
func (s *sweep) bookUpTo(to int64, p *Part) {
	if ns := to - s.idle; ns > 0 {
		at := s.entryOf(*p, 0)
		s.sums[at+1].ns += ns
		s.sums[at+1].way += s.way.between(s.idle, to)
		s.list[at].Squares += float64(ns) * float64(ns)
		s.idle = to
	}
}

// gapPart returns what a gap belongs to: a wait of the call that ended it.
func (s *sweep) gapPart(w int) Part {
	fn := s.ids[s.th.Fn[s.waits.Waits.Call[w]]]
	p := Part{Kind: Wait, Function: fn, Caller: None}
	p.Object, p.Releaser = s.waited(w)
	return p
}

var idlePart = Part{Kind: Idle, Function: None, Caller: None, Object: -1, Releaser: -1}

// usualEntry returns the entry of calls of a function by parts of an entry, which are a key of
// entries.callees, if they are not marked as blocking.
func (s *sweep) usualEntry(key uint64) int32 {
	k := s.callees.Of(key)
	if int(k) == len(s.calleeAt) {
		fn := uint32(key)
		part, scope := s.calledBy(int32(key>>32), s.kinds[fn], s.ids[fn])
		s.calleeAt = append(s.calleeAt, s.entryOf(part, scope))
	}
	return s.calleeAt[k]
}

// calledBy returns the part and the scope of calls of a function by parts of an entry, given plus
// 1, without an object.
func (s *sweep) calledBy(up int32, kind Kind, fn uint32) (p Part, scope int32) {
	p = Part{Kind: kind, Function: fn, Caller: None, Object: -1, Releaser: -1}
	if up > 0 {
		from := &s.list[up-1]
		p.Caller, scope = from.part.Function, from.scope
	}
	return p, s.scopes.below(scope, fn)
}

// nextMark returns the first call from i on that is marked as blocking, or one after all.
func (s *sweep) nextMark(i int) int {
	for len(s.blocks) > 0 && int(s.blocks[0].Call) < i {
		s.blocks = s.blocks[1:]
	}
	if len(s.blocks) == 0 {
		return math.MaxInt
	}
	return int(s.blocks[0].Call)
}

// entryOfMarked returns the entry, plus 1, of call i, and what the call is. It may be marked as
// blocking, unless the marks are of calls before it, in which nobody looked. up is the entry of the
// call around, plus 1.
func (s *sweep) entryOfMarked(i int, up int32) (int32, Kind) {
	fn := s.th.Fn[i]
	kind := s.kinds[fn]
	if s.nextMark(i) == i {
		kind = s.markedKind(kind, i)
	}
	p, scope := s.calledBy(up, kind, s.ids[fn])
	if kind == Wait {
		p.Object, p.Releaser = s.waitedIn(int32(i))
	}
	return s.entryOf(p, scope) + 1, kind
}

// markedKind returns what call i is by its marks, which are the next, or else by its function.
func (s *sweep) markedKind(kind Kind, i int) Kind {
	for k := 0; k < len(s.blocks) && int(s.blocks[k].Call) == i; k++ {
		switch s.blocks[k].Kind {
		case trace.Wait:
			return Wait
		case trace.IO:
			kind = IO
		}
	}
	return kind
}

// waitedIn returns what the wait that is call i is for, and the pair of the thread that ended it.
// Calls are asked for in order.
func (s *sweep) waitedIn(i int32) (object, releaser int32) {
	ws := &s.waits.Waits
	for s.wait < s.lastWait && (ws.Call[s.wait] < i || ws.Call[s.wait] == i && ws.Idle[s.wait]) {
		s.wait++
	}
	if s.wait == s.lastWait || ws.Call[s.wait] != i {
		return -1, -1
	}
	return s.waited(s.wait)
}

// waited returns the same of a wait, by its index.
func (d *side) waited(w int) (object, releaser int32) {
	object, releaser = -1, -1
	if o := d.waits.Object(w); o != trace.NoObject {
		object = d.objects[o]
	}
	if by := d.waits.Waits.By[w].Thread; by >= 0 {
		releaser = int32(d.pair.Of(d.Side, int(by)))
	}
	return object, releaser
}

func (s *sweep) entryOf(p Part, scope int32) int32 {
	at := s.numberOf(&p, scope)
	if int(at) == len(s.list) {
		s.list, s.sums = append(s.list, entry{part: p, scope: scope}), append(s.sums, sum{})
	}
	return at
}

func beginsWith(name string, any []string) bool {
	for _, head := range any {
		if strings.HasPrefix(name, head) {
			return true
		}
	}
	return false
}
