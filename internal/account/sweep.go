package account

import (
	"math"
	"strings"
	"sync"

	"diptych/internal/pair"
	"diptych/internal/trace"
	"diptych/internal/wait"
)

// One thread is split by going through its calls once, in pre-order, with a stack of those that
// are open. A call's own time is its duration less that of its callees; between roots it is idle
// time. A call that owns its callees' time is not looked into.
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

	callees pair.Numbers // number of an entry, function that such a part calls
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
	th   *trace.Thread
	way  clock
	idle int64 // since when no call is open, if none is

	frames []frame       // of calls on CPU; the first is what is around the roots
	blocks []trace.Block // of calls that have not begun
	gaps   []int         // waits of the thread that lie before their calls, in order of time
	*entries
	list []entry

	wait, lastWait int // waits of the thread: the first not before the present call, the end

	// By number in entries.callees, the entry of the callee. An entry and a function are all that
	// it depends on, unless the callee is marked as blocking.
	calleeAt []int32
	guesses  []guess // by entry
	root     known   // the first of the roots
}

// frame is an open call.
type frame struct {
	next  int32 // the first call after its subtree
	entry int32 // −1 around the roots
	last  int32 // the entry of the last callee so far, or −1
	end   int64 // ns
	own   int64 // its time less that of the callees so far, ns
	way   int64 // of what is over, the part on the way, less what the clock showed where it resumed
}

// guess is what came next when it was last asked: the first callee of a part, and the callee after
// another. A program repeats itself, so mostly the same comes next again.
type guess struct{ first, after known }

// known is the entry of a callee, plus 1, by the entry that calls it and the function. The zero
// value knows nothing.
type known struct {
	by    int32
	fn    trace.FuncID
	entry int32
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
	numbers *sync.Pool // of *entries, of sweeps that are over
}

// split returns the parts of a thread.
func (d *side) split(thread int, way []stretch) []entry {
	th := d.trace.Threads[thread]
	if th.Len() == 0 {
		return nil
	}
	s := sweep{side: d, th: th, way: newClock(way), blocks: th.Blocks, idle: th.Start[0],
		gaps: d.gaps(thread), entries: d.numbers.Get().(*entries)}
	defer d.numbers.Put(s.entries)
	s.entries.clear()
	s.wait, s.lastWait = d.waits.Waits.OnThread(thread)
	s.frames = append(s.frames, frame{next: math.MaxInt32, entry: -1, last: -1})
	starts, ends := th.Start, th.End[:th.Len()]
	for i := 0; i < len(starts); {
		s.leave(int32(i))
		if len(s.frames) == 1 {
			s.bookIdle(starts[i])
			s.idle = ends[i]
		}
		i += s.enter(i, starts[i], ends[i])
	}
	s.leave(int32(th.Len()))
	return s.list
}

// enter opens call i, or books it if it owns the time of its callees or has none. It returns how
// many calls are done with.
func (s *sweep) enter(i int, start, end int64) int {
	size := int(s.th.Size[i])
	at, kind := s.entryOfCall(i)
	e, up, from := &s.list[at], &s.frames[len(s.frames)-1], s.way.at(start)
	e.Calls++
	up.last, up.own, up.way = at, up.own-(end-start), up.way+from
	if kind == CPU && size > 1 {
		s.frames = append(s.frames, frame{next: int32(i + size), entry: at, last: -1, end: end,
			own: end - start, way: -from})
		return 1
	}
	to := s.way.at(end)
	up.way -= to
	e.addStretch(end-start, to-from)
	return size
}

// leave closes the calls whose subtrees end before call i.
func (s *sweep) leave(i int32) {
	n := len(s.frames) - 1
	for ; s.frames[n].next <= i; n-- {
		f, to := &s.frames[n], s.way.at(s.frames[n].end)
		e := &s.list[f.entry]
		e.Ns += f.own
		e.WayNs += f.way + to
		s.frames[n-1].way -= to
	}
	s.frames = s.frames[:n+1]
}

// addStretch adds an uninterrupted stretch of time, of which a part is on the way.
func (e *entry) addStretch(ns, way int64) {
	e.Ns += ns
	e.WayNs += way
	if e.part.Kind != CPU {
		e.Squares += float64(ns) * float64(ns)
	}
}

// gaps returns the waits of a thread that are no calls: idle time before a call, in which the
// thread waited for something to do, as the recording knows.
func (d *side) gaps(thread int) (list []int) {
	ws, th := &d.waits.Waits, d.trace.Threads[thread]
	from, to := ws.OnThread(thread)
	for w := from; w < to; w++ {
		if ws.Start[w] < th.Start[ws.Call[w]] {
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
			s.list[s.entryOf(part, 0)].Calls++
			s.bookUpTo(min(to, ws.End[w]), &part)
			continue
		}
		s.bookUpTo(to, &idlePart)
	}
}

// bookUpTo books idle time up to a moment as a part.
func (s *sweep) bookUpTo(to int64, p *Part) {
	if to > s.idle {
		from := s.way.at(s.idle)
		s.list[s.entryOf(*p, 0)].addStretch(to-s.idle, s.way.at(to)-from)
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

// entryOfCall returns the entry of call i and what the call is. Calls are asked for in order.
func (s *sweep) entryOfCall(i int) (int32, Kind) {
	up, fn := &s.frames[len(s.frames)-1], s.th.Fn[i]
	if kind, usual := s.kindOf(i); !usual {
		return s.entryOf(s.partOf(i, kind, up)), kind
	}
	guess := s.guessAfter(up)
	if guess.by != up.entry+1 || guess.fn != fn || guess.entry == 0 {
		at := s.usualEntry(up, fn)
		guess = s.guessAfter(up) // usualEntry may have moved it
		*guess = known{up.entry + 1, fn, at + 1}
	}
	return guess.entry - 1, s.kinds[fn]
}

// guessAfter returns the guess of what comes next in an open call.
func (s *sweep) guessAfter(up *frame) *known {
	switch {
	case up.last >= 0:
		return &s.guesses[up.last].after
	case up.entry >= 0:
		return &s.guesses[up.entry].first
	}
	return &s.root
}

// usualEntry returns the entry of a call that is not marked as blocking, made by the call up.
func (s *sweep) usualEntry(up *frame, fn trace.FuncID) int32 {
	k := s.callees.Of(pair.KeyOf(uint32(up.entry), uint32(fn)))
	if int(k) == len(s.calleeAt) {
		part, scope := s.calledBy(up, s.kinds[fn], s.ids[fn])
		s.calleeAt = append(s.calleeAt, s.entryOf(part, scope))
	}
	return s.calleeAt[k]
}

// calledBy returns the part and the scope of calls of a function by the call up, without an object.
func (s *sweep) calledBy(up *frame, kind Kind, fn uint32) (p Part, scope int32) {
	p = Part{Kind: kind, Function: fn, Caller: None, Object: -1, Releaser: -1}
	if up.entry >= 0 {
		from := &s.list[up.entry]
		p.Caller, scope = from.part.Function, from.scope
	}
	return p, s.scopes.below(scope, fn)
}

// partOf returns the part and the scope of call i.
func (s *sweep) partOf(i int, kind Kind, up *frame) (p Part, scope int32) {
	p, scope = s.calledBy(up, kind, s.ids[s.th.Fn[i]])
	if kind == Wait {
		p.Object, p.Releaser = s.waitedIn(int32(i))
	}
	return p, scope
}

// kindOf returns what call i is, and whether all calls of its function are that unless they are
// marked. Calls are asked for in order.
func (s *sweep) kindOf(i int) (kind Kind, usual bool) {
	kind = s.kinds[s.th.Fn[i]]
	if len(s.blocks) == 0 || int(s.blocks[0].Call) > i {
		return kind, true
	}
	for len(s.blocks) > 0 && int(s.blocks[0].Call) < i {
		s.blocks = s.blocks[1:]
	}
	for k := 0; k < len(s.blocks) && int(s.blocks[k].Call) == i; k++ {
		switch s.blocks[k].Kind {
		case trace.Wait:
			return Wait, false
		case trace.IO:
			kind = IO
		}
	}
	return kind, false
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
		s.list = append(s.list, entry{part: p, scope: scope})
		s.guesses = append(s.guesses, guess{})
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
