package account

import (
	"strings"

	"diptych/internal/pair"
	"diptych/internal/trace"
	"diptych/internal/wait"
)

// One thread is split by going through its calls once, in pre-order, with a stack of those that
// are open. Between two borders of calls the time belongs to the innermost open call, or is idle
// time if none is open. A call that owns its callees' time is not looked into.

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
	side   *side
	th     *trace.Thread
	thread int32
	way    []stretch // of the elapsed time, on this thread, in order of time

	now    int64
	frames []frame
	blocks []trace.Block // of calls that have not begun
	gaps   []int         // waits of the thread that lie before their calls, in order of time
	entries
	list []entry

	wait, lastWait int // waits of the thread: the first not before the present call, the end

	// What has been looked up: the number of an entry and of a function that such a part calls, and
	// by that number the entry of the callee. They know all that a callee's entry depends on,
	// unless the callee is marked as blocking.
	callees pair.Numbers
	entryAt []int32
}

// frame is an open call.
type frame struct {
	next  int32 // the first call after its subtree
	entry int32
	end   int64 // ns

	// The callee's function and entry that were looked up last: callees often repeat.
	lastFn    trace.FuncID
	lastEntry int32
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
}

// split returns the parts of a thread.
func (d *side) split(thread int, way []stretch) []entry {
	th := d.trace.Threads[thread]
	s := sweep{side: d, th: th, thread: int32(thread), way: way, blocks: th.Blocks}
	if th.Len() == 0 {
		return nil
	}
	s.now, s.gaps = th.Start(0), d.gaps(thread)
	s.wait, s.lastWait = d.waits.Waits.OnThread(thread)
	for i := 0; i < th.Len(); {
		s.leave(int32(i))
		s.book(th.Start(i))
		if s.enter(i) {
			i = th.Next(i)
		} else {
			i++
		}
	}
	s.leave(int32(th.Len()))
	return s.list
}

// leave closes the calls whose subtrees end before call i.
func (s *sweep) leave(i int32) {
	n := len(s.frames)
	for ; n > 0 && s.frames[n-1].next <= i; n-- {
		if f := &s.frames[n-1]; f.end > s.now {
			s.add(f.entry, f.end)
		}
	}
	s.frames = s.frames[:n]
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

// book adds the time up to a moment to the innermost open call, or to idle time.
func (s *sweep) book(to int64) {
	if n := len(s.frames); n > 0 {
		s.add(s.frames[n-1].entry, to)
		return
	}
	for s.now < to {
		if ws := &s.side.waits.Waits; len(s.gaps) > 0 && ws.Start[s.gaps[0]] < to {
			w := s.gaps[0]
			s.gaps = s.gaps[1:]
			s.addIdle(ws.Start[w])
			at := s.entryOf(s.gapPart(w), 0)
			s.list[at].Calls++
			s.add(at, min(to, ws.End[w]))
			continue
		}
		s.addIdle(to)
	}
}

func (s *sweep) addIdle(to int64) {
	if to > s.now {
		s.add(s.entryOf(idlePart, 0), to)
	}
}

// gapPart returns what a gap belongs to: a wait of the call that ended it.
func (s *sweep) gapPart(w int) Part {
	fn := s.side.ids[s.th.Fn[s.side.waits.Waits.Call[w]]]
	p := Part{Kind: Wait, Function: fn, Caller: None}
	p.Object, p.Releaser = s.side.waited(w)
	return p
}

// add adds the time up to a moment to an entry.
func (s *sweep) add(at int32, to int64) {
	if to <= s.now {
		return
	}
	e := &s.list[at]
	d := to - s.now
	e.Ns += d
	e.Squares += float64(d) * float64(d)
	if len(s.way) > 0 && s.way[0].from <= s.now && to <= s.way[0].to {
		e.WayNs += d // most of all
	} else {
		e.WayNs += s.onWay(to)
	}
	s.now = to
}

// onWay returns how much of the time up to a moment is on the way, ns.
func (s *sweep) onWay(to int64) (ns int64) {
	for len(s.way) > 0 && s.way[0].to <= s.now {
		s.way = s.way[1:]
	}
	for _, w := range s.way {
		if w.from >= to {
			break
		}
		ns += min(to, w.to) - max(s.now, w.from)
	}
	return ns
}

var idlePart = Part{Kind: Idle, Function: None, Caller: None, Object: -1, Releaser: -1}

// enter opens call i, and reports whether it owns the time of its callees.
func (s *sweep) enter(i int) (owns bool) {
	fn := s.th.Fn[i]
	f := frame{next: int32(s.th.Next(i)), end: s.th.End(i), lastEntry: -1}
	kind, usual := s.kindOf(i)
	if up := s.innermost(); up != nil && usual && up.lastEntry >= 0 && up.lastFn == fn {
		f.entry = up.lastEntry
	} else if usual {
		if f.entry = s.usualEntry(up, fn); up != nil {
			up.lastFn, up.lastEntry = fn, f.entry
		}
	} else {
		f.entry = s.entryOf(s.partOf(i, kind, up))
	}
	s.list[f.entry].Calls++
	s.frames = append(s.frames, f)
	return kind != CPU
}

// innermost returns the innermost open call, nil if there is none.
func (s *sweep) innermost() *frame {
	if n := len(s.frames); n > 0 {
		return &s.frames[n-1]
	}
	return nil
}

// usualEntry returns the entry of a call that is not marked as blocking, made by the call up.
func (s *sweep) usualEntry(up *frame, fn trace.FuncID) int32 {
	from := None
	if up != nil {
		from = uint32(up.entry)
	}
	k := s.callees.Of(pair.KeyOf(from, uint32(fn)))
	if int(k) == len(s.entryAt) {
		part, scope := s.calledBy(up, s.side.kinds[fn], s.side.ids[fn])
		s.entryAt = append(s.entryAt, s.entryOf(part, scope))
	}
	return s.entryAt[k]
}

// calledBy returns the part and the scope of calls of a function by the call up, without an object.
func (s *sweep) calledBy(up *frame, kind Kind, fn uint32) (p Part, scope int32) {
	p = Part{Kind: kind, Function: fn, Caller: None, Object: -1, Releaser: -1}
	if up != nil {
		from := &s.list[up.entry]
		p.Caller, scope = from.part.Function, from.scope
	}
	return p, s.side.scopes.below(scope, fn)
}

// partOf returns the part and the scope of call i.
func (s *sweep) partOf(i int, kind Kind, up *frame) (p Part, scope int32) {
	p, scope = s.calledBy(up, kind, s.side.ids[s.th.Fn[i]])
	if kind == Wait {
		p.Object, p.Releaser = s.waitedIn(int32(i))
	}
	return p, scope
}

// kindOf returns what call i is, and whether all calls of its function are that unless they are
// marked. Calls are asked for in order.
func (s *sweep) kindOf(i int) (kind Kind, usual bool) {
	kind = s.side.kinds[s.th.Fn[i]]
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
	ws := &s.side.waits.Waits
	for s.wait < s.lastWait && (ws.Call[s.wait] < i || ws.Call[s.wait] == i && ws.Idle[s.wait]) {
		s.wait++
	}
	if s.wait == s.lastWait || ws.Call[s.wait] != i {
		return -1, -1
	}
	return s.side.waited(s.wait)
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
