package finding

import (
	"math/bits"
	"slices"
	"sync"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// Totals of both whole sides, from which all quantities of findings come.
//
// An alignment says where two runs differ and why, never by how much: which of several equal calls
// it leaves without a partner is arbitrary. So a finding gives the number of calls, the self time
// and the time with callees of a function over all its calls on each side, or over all that one
// function makes. For example, if B's loop body calls Layout from another place, 3 calls have no
// partner, but what is told is that Layout runs 293 times instead of 3.
//
// The totals go through all threads of a side, also those that the other side does not have; only
// threads that hold sums are left out. States that the system puts a thread into (trace.State,
// trace.Event) call nothing: what they contain is called by the call around them.
//
// Threads are summed up by themselves, several at a time, and then added to their side. All sums
// are of whole numbers, so their order does not matter. What each thread adds to an edge is kept
// until threadmoves.go has looked at it.
//
// Time is linear in the calls; memory is linear in the pairs of caller and callee that occur, on
// each thread.

// total sums up the calls of a function.
type total struct {
	calls   int64
	self    int64  // ns
	inAll   int64  // ns, including callees; calls inside another call of the function do not count
	inEach  int64  // ns, including callees; the sum of all calls
	squares square // Σ of the squares of self times, ns², of states
	waits   int64  // self time of calls that are marked as waiting, ns
	aside   int64  // self time in threads of the language's runtime, ns
	longest int64  // ns, of one call
	lone    int64  // calls in threads that only this side has, but for asynchronous tracks
	threads int32  // in which it is called
	last    int32  // thread, plus 1
	at      Place  // the longest call; of several, the first
}

// square is a sum of squares of whole numbers, which float64 cannot hold exactly.
type square struct{ high, low uint64 }

func (q *square) add(high, low uint64) {
	var carry uint64
	q.low, carry = bits.Add64(q.low, low, 0)
	q.high += high + carry
}

func (q square) float() float64 { return float64(q.high)*(1<<64) + float64(q.low) }

// totals are those of one side.
type totals struct {
	functions []total // by identity
	edges     pair.Numbers
	of        []total  // by edge
	keys      []uint64 // by edge
	inThread  [][]lot  // by thread: its edges, in the order in which they are met
}

// lot is the calls of a function that another makes in one thread.
type lot struct {
	edge  int32
	first int32 // call
	calls int32
}

// sums are the totals of both sides, and the names under which findings tell them.
type sums struct {
	names    []string          // by identity
	same     []uint32          // by identity: that in A, which differs for renamed functions
	newNames map[uint32]string // in B, of renamed functions by identity
	totals   [2]*totals
}

// gatherTotals sums up all calls of both sides.
func (s *study) gatherTotals() error {
	var sides [2]*adder
	for sd := range s.totals {
		s.totals[sd] = &totals{functions: make([]total, len(s.p.Names)),
			inThread: make([][]lot, len(s.p.Trace(pair.Side(sd)).Threads))}
		sides[sd] = newAdder(s, pair.Side(sd))
	}
	threads := [2]int{len(sides[0].to.inThread), len(sides[1].to.inThread)}
	return progress.Spread(s.ctx, threads[0]+threads[1], func(k int) error {
		if k < threads[0] {
			sides[0].addThread(k)
		} else {
			sides[1].addThread(k - threads[0])
		}
		return nil
	})
}

// adder sums up the threads of one side.
type adder struct {
	s      *study
	sd     pair.Side
	tr     *trace.Trace
	ids    []uint32  // identity by function
	states []bool    // by function
	spaces sync.Pool // of *space

	mu sync.Mutex
	to *totals
}

func newAdder(s *study, sd pair.Side) *adder {
	a := &adder{s: s, sd: sd, tr: s.p.Trace(sd), to: s.totals[sd]}
	a.ids, a.states = s.identities(sd), s.rules[sd].states
	a.spaces.New = func() any { return &space{until: make([]int32, len(s.p.Names))} }
	return a
}

// identities returns the identity of each function of a side.
func (s *study) identities(sd pair.Side) []uint32 {
	ids := slices.Clone(s.p.IDs(sd))
	for fn, id := range ids {
		ids[fn] = s.same[id]
	}
	return ids
}

// threadSums sums up one thread. It goes through the calls once and keeps what is around the
// present one by level, so whether a call has callees, or ends its caller, is no case of its own.
type threadSums struct {
	*adder
	*space
	th     *trace.Thread
	thread int
	blocks []trace.Block
}

// space is memory that threads use one after the other.
type space struct {
	until []int32 // by identity: the first call after the outermost one so far; 0 between threads
	edges pair.Numbers
	of    []total // by edge: what few calls add to
	keys  []uint64
	lots  []lot
	calls []edgeCalls // by edge plus 1; the first is for what is around the roots
	above []outer     // by level
	round uint32      // of threads: what older ones left in cache is not valid
	cache [1 << cacheBits]cached
}

// cached is the edge of a key, plus 1. What a call calls is looked up here before it is looked up
// among all edges.
type cached struct {
	key   uint64
	edge  int32
	round uint32
}

// cacheBits is enough for most edges of a program of thousands of functions: 128 KB.
const cacheBits = 13

// edgeCalls is what each call of an edge adds to, as in total.
type edgeCalls struct {
	self, inAll, inEach, longest int64
	calls, at                    int32
}

// outer is the call around those of a level.
type outer struct {
	from uint32 // the function that calls them: its own, or that in which a state is
	edge int32  // by which it is called, plus 1
}

// addThread adds the calls of thread k of the side.
func (a *adder) addThread(k int) {
	th := a.tr.Threads[k]
	if th.Kind == trace.Sums || th.Len() == 0 {
		return
	}
	t := threadSums{adder: a, space: a.spaces.Get().(*space), th: th, thread: k, blocks: th.Blocks}
	defer a.spaces.Put(t.space)
	t.clear()
	t.calls = append(t.calls[:0], edgeCalls{})
	t.above = slices.Grow(t.above[:0], th.MaxDepth()+2)[:th.MaxDepth()+2]
	t.above[0] = outer{from: atRoot}
	t.addCalls()
	for _, key := range t.keys {
		t.until[uint32(key)] = 0
	}
	t.addToSide()
}

// clear forgets the thread before, in no more time than that needs: there may be many short ones.
func (t *space) clear() {
	t.edges.Clear()
	t.of, t.keys, t.lots = t.of[:0], t.keys[:0], t.lots[:0]
	if t.round++; t.round == 0 {
		clear(t.cache[:])
		t.round = 1
	}
}

// addCalls adds all calls of the thread. The time of each is its own, and not its caller's.
func (t *threadSums) addCalls() {
	th, ids, until, above := t.th, t.ids, t.until, t.above
	marked := t.nextMark()
	for i, fn := range th.Fn {
		ns, depth, id := th.Dur(i), th.Depth(i), ids[fn]
		up := above[depth]
		key := pair.KeyOf(up.from, id)
		hit := &t.cache[key*0x9e3779b97f4a7c15>>(64-cacheBits)]
		if hit.key != key || hit.round != t.round {
			*hit = cached{key, t.edgeOf(key, int32(i)) + 1, t.round}
		}
		t.calls[up.edge].self -= ns
		e := &t.calls[hit.edge]
		e.calls++
		e.self += ns
		e.inEach += ns
		if int32(i) >= until[id] {
			until[id] = int32(th.Next(i))
			e.inAll += ns
		}
		if ns > e.longest {
			e.longest, e.at = ns, int32(i)
		}
		above[depth+1] = outer{id, hit.edge}
		if t.states[fn] {
			above[depth+1].from = up.from
			t.of[hit.edge-1].addSquare(t.th.Self(i))
		}
		if int32(i) == marked {
			t.of[hit.edge-1].waits += t.waitTime(int32(i))
			marked = t.nextMark()
		}
	}
}

// edgeOf returns the edge of a key: from a function to another, which call i of the thread makes.
func (t *threadSums) edgeOf(key uint64, i int32) int32 {
	edge := t.edges.Of(key)
	if int(edge) == len(t.of) {
		t.of = append(t.of, total{at: Place{Thread: t.thread}})
		t.calls = append(t.calls, edgeCalls{longest: -1})
		t.keys, t.lots = append(t.keys, key), append(t.lots, lot{first: i})
	}
	return edge
}

// nextMark returns the next call that is marked as blocking, or −1.
func (t *threadSums) nextMark() int32 {
	if len(t.blocks) == 0 {
		return align.None
	}
	return t.blocks[0].Call
}

// waitTime returns the self time of call i if one of its marks, which are the next, says that it
// waits, else 0. It goes past these marks.
func (t *threadSums) waitTime(i int32) (ns int64) {
	for ; len(t.blocks) > 0 && t.blocks[0].Call == i; t.blocks = t.blocks[1:] {
		if t.blocks[0].Kind == trace.Wait {
			ns = t.th.Self(int(i))
		}
	}
	return ns
}

// addSquare adds the square of the self time of a state.
func (t *total) addSquare(self int64) {
	t.squares.add(bits.Mul64(uint64(magnitude(self)), uint64(magnitude(self))))
}

// addToSide adds the sums of the thread to those of the side.
func (t *threadSums) addToSide() {
	t.mu.Lock()
	defer t.mu.Unlock()
	lone := t.s.p.Partner(t.sd, t.thread) < 0 && t.th.Kind != trace.AsyncTrack
	for k := range t.of {
		e, c := &t.of[k], &t.calls[k+1]
		e.calls, e.self, e.inAll, e.inEach = int64(c.calls), c.self, c.inAll, c.inEach
		e.longest, e.at.Call = c.longest, c.at
		if t.th.Kind == trace.Runtime {
			e.aside = e.self
		}
		if lone {
			e.lone = e.calls
		}
		n := t.to.edges.Of(t.keys[k])
		if int(n) == len(t.to.of) {
			t.to.of, t.to.keys = append(t.to.of, total{}), append(t.to.keys, t.keys[k])
		}
		t.to.of[n].merge(e)
		t.to.functions[uint32(t.keys[k])].merge(e)
		t.lots[k].edge, t.lots[k].calls = n, c.calls
	}
	t.to.inThread[t.thread] = slices.Clone(t.lots)
}

// merge adds calls of one thread. The thread's calls are added one edge after the other.
func (t *total) merge(o *total) {
	if o.longest > t.longest || t.calls == 0 || o.longest == t.longest && o.at.before(&t.at) {
		t.longest, t.at = o.longest, o.at
	}
	t.calls += o.calls
	t.self += o.self
	t.inAll += o.inAll
	t.inEach += o.inEach
	t.squares.add(o.squares.high, o.squares.low)
	t.waits += o.waits
	t.aside += o.aside
	t.lone += o.lone
	if thread := int32(o.at.Thread) + 1; t.last != thread {
		t.last = thread
		t.threads++
	}
}

// both returns what both sides have of a function, called by caller or, if that is anywhere, by
// any.
func (s *sums) both(caller, id uint32) (t [2]total) {
	for sd := range t {
		if caller == anywhere {
			t[sd] = s.totals[sd].functions[id]
		} else if e := s.totals[sd].edges.Find(pair.KeyOf(caller, id)); e >= 0 {
			t[sd] = s.totals[sd].of[e]
		}
	}
	return t
}

// change returns by how much B has more calls, and how much more time including callees.
func change(t [2]total) (calls, ns int64) {
	return t[pair.B].calls - t[pair.A].calls, t[pair.B].inAll - t[pair.A].inAll
}

// callerID returns the function that calls call i of a side, atRoot for a root.
func (s *study) callerID(r *align.Result, sd pair.Side, i int32) uint32 {
	states, th := s.rules[sd].states, r.Threads[sd]
	up := th.Parent(int(i))
	for up != align.None && states[th.Fn[up]] {
		up = th.Parent(int(up))
	}
	if up == align.None {
		return atRoot
	}
	return s.identity(r, sd, up)
}
