package account

import (
	"iter"
	"math"
	"slices"
	"sort"
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
//
// A thread of millions of calls is split in pieces, by several processors. A piece begins with the
// calls around its first call open, which an earlier piece has counted, and what is called in it is
// taken off their time as ever: the sums of all pieces together are those of the thread.

// sweep splits one piece of a thread.
type sweep struct {
	*side
	*space
	th     *trace.Thread
	way    clock
	idle   int64         // ns: all before is booked, where no call is open
	blocks []trace.Block // of calls that have not begun
	gaps   []int         // waits of the thread that lie before their calls, in order of time
	awaits []trace.Await // of calls for their parts, that are not booked

	wait, lastWait int // waits of the thread: the first not before the present call, the end
}

// side is what all sweeps of a side share, and read only.
type side struct {
	pair.Side
	trace   *trace.Trace
	waits   *wait.Analysis
	awaits  [][]trace.Await // by thread; nil if there are none
	ids     []uint32        // identity by function
	what    []what          // by function
	objects []int32         // index into Balance.Objects, by object
	pair    *pair.Pair
	scopes  *scopes
	spaces  *sync.Pool // of *space
	longest func() *longestWaits
	turns   func() *turns
}

// what is what calls of a function are where they are not marked as blocking: their Kind, and
// whether they open a scope.
type what uint8

const opensScope what = 1 << 7

func (w what) kind() Kind { return Kind(w &^ opensScope) }

// piece is a part of a thread's calls.
type piece struct{ from, to int }

func (p piece) calls() int { return p.to - p.from }

// pieceCalls is about how many calls a piece has.
const pieceCalls = 1 << 20

// pieces returns the pieces in which a thread is split. Waits between calls, and of calls for their
// parts, are booked in order of time, so a thread with such is split at once.
func (d *side) pieces(thread int) iter.Seq[piece] {
	n := d.trace.Threads[thread].Len()
	k := max(1, (n+pieceCalls/2)/pieceCalls)
	if k > 1 && len(d.gaps(thread))+len(d.awaitsOf(thread)) > 0 {
		k = 1
	}
	return func(yield func(piece) bool) {
		for i := range k {
			if !yield(piece{n * i / k, n * (i + 1) / k}) {
				return
			}
		}
	}
}

// addUp adds the parts of a piece of a thread to those of the pieces before, and returns how the
// thread spends it.
func (d *side) addUp(to *space, thread int, p piece, way clock) [Kinds]int64 {
	if p.from == p.to {
		return [Kinds]int64{}
	}
	th := d.trace.Threads[thread]
	to.begin(th.MaxDepth()+1, uint32(len(d.ids)))
	s := sweep{side: d, space: to, th: th, way: way, gaps: d.gaps(thread), awaits: d.awaitsOf(thread)}
	s.wait, s.lastWait = d.waits.Waits.OnThread(thread)
	first := s.enter(p.from)
	s.blocks = th.Blocks[sort.Search(len(th.Blocks), func(k int) bool {
		return int(th.Blocks[k].Call) >= first
	}):]
	s.bookCalls(first, p.to)
	return s.ns
}

// enter opens the calls around call i and returns the first call from i on that lies in none that
// owns its callees' time.
func (s *sweep) enter(i int) int {
	th := s.th
	s.idle = th.Start(0)
	if i > 0 {
		s.idle = th.End(rootOf(th, i-1))
	}
	var around []int
	for up := th.Parent(i); up >= 0; up = th.Parent(int(up)) {
		around = append(around, int(up))
	}
	for _, c := range slices.Backward(around) {
		fn := uint32(th.Fn[c])
		if kind := kindOfMarked(s.what[fn].kind(), th.BlocksOf(c)); kind != CPU {
			return th.Next(c)
		}
		depth := th.Depth(c)
		site := s.siteOf(s.above[depth].key(fn))
		s.above[depth+1] = frame{site, s.sums[site].below}
	}
	return i
}

// rootOf returns the root that a call lies in.
func rootOf(th *trace.Thread, i int) int {
	for up := th.Parent(i); up >= 0; up = th.Parent(i) {
		i = int(up)
	}
	return i
}

// bookCalls books the time of calls, and of the gaps before roots.
func (s *sweep) bookCalls(i, to int) {
	for i < to {
		marked := s.nextMark(i)
		if i < marked && len(s.awaits) == 0 {
			i = s.bookUnmarked(i, min(to, marked))
			continue
		}
		start, ns, depth := s.th.Start(i), s.th.Dur(i), s.th.Depth(i)
		s.bookAwaits(start)
		if depth == 0 {
			s.bookIdle(start)
			s.idle = start + ns
			s.ns[CPU] += ns
		}
		up := s.above[depth]
		site, what := s.siteOfMarked(i, up.context)
		s.sums[site].calls++
		s.sums[site].ns += ns
		s.sums[up.site].ns -= ns
		s.bookWay(up.site, site, start, start+ns)
		if what.kind() != CPU {
			i = s.leave(i, site)
			continue
		}
		s.above[depth+1] = frame{site, s.sums[site].below}
		i++
	}
	s.bookAwaits(math.MaxInt64)
}

// bookUnmarked books the time of calls of which none is marked as blocking, but what they call may
// be; it returns the first call that is not booked.
func (s *sweep) bookUnmarked(i, to int) int {
	th, above, cache, sums, wayFrom := s.th, s.above, &s.cache, s.sums, s.way.from
	for i < to {
		fn, start, ns, depth := uint32(th.Fn[i]), th.Start(i), th.Dur(i), th.Depth(i)
		end := start + ns
		if depth == 0 {
			s.bookIdle(start)
			s.idle, sums, wayFrom = end, s.sums, s.way.from
			s.ns[CPU] += ns
		}
		up := &above[depth]
		key := up.key(fn)
		slot := slotOf(key)
		site := cache[slot]
		if int(site) >= len(sums) || sums[site].key != key {
			site = s.lookUp(slot, key)
			sums = s.sums
		}
		of := &sums[site]
		of.calls++
		of.ns += ns
		sums[up.site].ns -= ns
		if end > wayFrom {
			wayFrom = s.bookWay(up.site, site, start, end)
		}
		context := fn + 1
		if of.special {
			if s.list[site].part.Kind != CPU {
				i = s.leave(i, site)
				continue
			}
			context = of.below
		}
		above[depth+1] = frame{site, context}
		i++
	}
	return i
}

// leave returns the first call after one that owns its callees' time. All that a root takes is on
// CPU but for what such calls own.
func (s *sweep) leave(i int, site int32) int {
	ns := s.th.Dur(i)
	s.list[site].squares.addSquareOf(ns)
	s.ns[CPU] -= ns
	s.ns[s.list[site].part.Kind] += ns
	if i+1 < s.th.Len() && s.th.Depth(i+1) <= s.th.Depth(i) {
		return i + 1 // few such calls call anything
	}
	return s.th.Next(i)
}

// bookWay books what of a call's time is on the way, and returns before which time none of what
// follows is.
func (s *sweep) bookWay(up, site int32, start, end int64) int64 {
	way := s.way.between(start, end)
	s.wayNs[up] -= way
	s.wayNs[site] += way
	return s.way.from
}

// gaps returns the waits of a thread that are no calls: idle time before a call, in which the
// thread waited for something to do, as the recording knows.
func (d *side) gaps(thread int) (list []int) {
	ws := &d.waits.Waits
	from, to := ws.OnThread(thread)
	for w := from; w < to; w++ {
		if ws.Idle[w] {
			list = append(list, w)
		}
	}
	return list
}

// bookIdle books the time up to a moment in which no call is open.
func (s *sweep) bookIdle(to int64) {
	for s.idle < to {
		ws := &s.waits.Waits
		if len(s.gaps) == 0 || ws.Start[s.gaps[0]] >= to {
			s.bookUpTo(to, s.siteOfIdle())
			return
		}
		w := s.gaps[0]
		s.gaps = s.gaps[1:]
		if s.idle < ws.Start[w] {
			s.bookUpTo(ws.Start[w], s.siteOfIdle())
		}
		site := s.siteOfGap(w)
		s.sums[site].calls++
		s.bookUpTo(min(to, ws.End[w]), site)
	}
}

// bookUpTo books idle time up to a moment, unless it is booked.
func (s *sweep) bookUpTo(to int64, site int32) {
	if ns := to - s.idle; ns > 0 {
		s.sums[site].ns += ns
		s.ns[s.list[site].part.Kind] += ns
		s.wayNs[site] += s.way.between(s.idle, to)
		s.list[site].squares.addSquareOf(ns)
		s.idle = to
	}
}

// siteOfGap returns what a gap belongs to: a wait of the call that ended it.
func (s *sweep) siteOfGap(w int) int32 {
	object, releaser := s.waited(w)
	return s.siteOfWait(asGap, uint32(s.waits.Waits.Fn[w]), object, releaser)
}

var idlePart = Part{Kind: Idle, Function: None, Caller: None, Object: -1, Releaser: -1}

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

// siteOfMarked returns the site of call i, and what the call is. It may be marked as blocking,
// unless the marks are of calls before it, in which nobody looked.
func (s *sweep) siteOfMarked(i int, context uint32) (int32, what) {
	fn := uint32(s.th.Fn[i])
	is := s.what[fn]
	kind := is.kind()
	if s.nextMark(i) == i {
		kind = kindOfMarked(kind, s.blocks)
	}
	switch {
	case kind == Wait:
		object, releaser := s.waitedIn(int32(i))
		return s.siteOfWait(context, fn, object, releaser), what(kind)
	case kind != is.kind():
		return s.siteOfIO(context, fn), what(kind)
	}
	return s.siteOf(pair.KeyOf(context, fn)), is
}

// kindOfMarked returns what a call is by its marks, which are the first in the list, or else by its
// function.
func kindOfMarked(kind Kind, marks []trace.Block) Kind {
	for k := 0; k < len(marks) && marks[k].Call == marks[0].Call; k++ {
		switch marks[k].Kind {
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
	releaser = -1
	if by := d.waits.Waits.By[w].Thread; by >= 0 {
		releaser = int32(d.pair.Of(d.Side, int(by)))
	}
	return d.objectOf(w), releaser
}

// objectOf returns what a wait is for, or −1.
func (d *side) objectOf(w int) int32 {
	if o := d.waits.Object(w); o != trace.NoObject {
		return d.objects[o]
	}
	return -1
}

func beginsWith(name string, any []string) bool {
	for _, head := range any {
		if strings.HasPrefix(name, head) {
			return true
		}
	}
	return false
}
