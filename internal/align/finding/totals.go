package finding

import (
	"math/bits"
	"slices"
	"sync"

	"diptych/internal/align"
	"diptych/internal/pair"
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
// each thread, and for each thread that is gone through 8 bytes a call.

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

// adder sums up the threads of one side.
type adder struct {
	s      *study
	sd     pair.Side
	tr     *trace.Trace
	ids    []uint32 // identity by function
	states []bool   // by function
	any    bool     // there are states

	mu sync.Mutex
	to *totals
}

func newAdder(s *study, sd pair.Side) *adder {
	to := &totals{functions: make([]total, len(s.p.Names)),
		inThread: make([][]lot, len(s.p.Trace(sd).Threads))}
	s.totals[sd] = to
	return &adder{s: s, sd: sd, tr: s.p.Trace(sd), ids: s.identities(sd), states: s.rules[sd].states,
		any: s.rules[sd].any, to: to}
}

// identities returns the identity of each function of a side.
func (s *study) identities(sd pair.Side) []uint32 {
	ids := slices.Clone(s.p.IDs(sd))
	for fn, id := range ids {
		ids[fn] = s.same[id]
	}
	return ids
}

// identity returns the identity of call i of side sd. A renamed function has the identity of its
// name in A.
func (s *study) identity(r *align.Result, sd pair.Side, i int32) uint32 {
	return s.same[r.ID(sd, int(i))]
}

// threadSums sums up one thread. The calls are gone through once, in stretches, with what is around
// the present one by level. Of each stretch first the edges are found, by which each call and its
// caller are called, and then times are added to them: the processor does several such simple steps
// at a time.
type threadSums struct {
	*adder
	*space
	th     *trace.Thread
	thread int
	blocks []trace.Block
	self   *durations // of each call
	edge   []int32    // of the calls of the present stretch
}

// space is memory that threads use one after the other.
type space struct {
	until []int32 // by identity: the first call after the outermost one so far; 0 between threads
	edges pair.Numbers
	of    []total // by edge: what few calls add to
	keys  []uint64
	lots  []lot
	calls []edgeCalls           // by edge
	above []outer               // by level
	named [stretch]int32        // edges of a stretch of which nobody keeps them
	up    [stretch]int32        // edges of the callers of a stretch's calls, −1 for none
	long  []int32               // calls that last longer than 32 bits hold
	cache [1 << cacheBits]int32 // edges, where a key is looked up before it is among all edges
}

// outer is the call around those of a level.
type outer struct {
	from uint32 // the function that calls them: its own, or that in which a state is
	edge int32  // by which it is called, −1 around roots
}

const (
	// cacheBits is enough for most edges of a program of thousands of functions: 32 KB.
	cacheBits = 13
	// stretch is so few calls that what is known of them stays in the nearest cache.
	stretch = 512
)

// edgeCalls is what each call of an edge adds to.
type edgeCalls struct {
	ns, below int64 // including callees, and of the callees only
	nested    int64 // of calls inside another call of the function
	longest   int64
	calls, at int32
	id        uint32 // of the function
}

// addThread adds the calls of thread k of a side. It sets self to the self time of each call, and
// by, if it is not nil, to the edge of each: lots says what number the side has for it.
func (a *adder) addThread(k int, p *space, self *durations, by []int32) {
	th := a.tr.Threads[k]
	t := threadSums{adder: a, space: p, th: th, thread: k, blocks: th.Blocks, self: self}
	t.clear()
	for from := 0; from < th.Len(); from += stretch {
		to := min(from+stretch, th.Len())
		if t.edge = t.named[:to-from]; by != nil {
			t.edge = by[from:to]
		}
		t.nameEdges(from, to)
		t.addCalls(from, to)
		t.addBlocks(from, to)
		if a.any {
			t.addStates(from, to)
		}
	}
	for _, i := range t.long {
		self.set(i, th.Self(int(i)))
	}
	for _, key := range t.keys {
		t.until[uint32(key)] = 0
	}
	if th.Kind != trace.Sums {
		t.addToSide()
	}
}

// clear forgets the thread before, in no more time than that needs: there may be many short ones.
func (t *threadSums) clear() {
	t.edges.Clear()
	t.of, t.keys, t.lots, t.calls, t.long = t.of[:0], t.keys[:0], t.lots[:0], t.calls[:0], t.long[:0]
	t.self.reset(t.th.Len())
	t.above = resized(t.above, t.th.MaxDepth()+2)
	t.above[0] = outer{atRoot, -1}
}

// nameEdges finds the edges of calls [from, to), and of their callers. What a state contains is
// called by the call around it.
func (t *threadSums) nameEdges(from, to int) {
	th, ids, above, keys := t.th, t.ids, t.above, t.keys
	edges, ups := t.edge, t.up[:to-from]
	for k, fn := range th.Fn[from:to] {
		depth, id := th.Depth(from+k), ids[fn]
		up := above[depth]
		key := pair.KeyOf(up.from, id)
		slot := key * 0x9e3779b97f4a7c15 >> (64 - cacheBits)
		edge := t.cache[slot]
		if int(edge) >= len(keys) || keys[edge] != key {
			edge = t.lookUp(slot, key, int32(from+k))
			keys = t.keys
		}
		edges[k], ups[k] = edge, up.edge
		above[depth+1] = outer{id, edge}
		if t.any && t.states[fn] {
			above[depth+1].from = up.from
		}
	}
}

// lookUp returns the edge of a key that is not in its slot of the cache, where it is from now on.
// What was there moves to the slot beside, in which the key may have been.
func (t *threadSums) lookUp(slot, key uint64, i int32) int32 {
	edge := t.cache[slot^1]
	if int(edge) >= len(t.keys) || t.keys[edge] != key {
		edge = t.edgeOf(key, i)
	}
	t.cache[slot], t.cache[slot^1] = edge, t.cache[slot]
	return edge
}

// edgeOf returns the edge of a key: from a function to another, which call i of the thread makes.
func (t *threadSums) edgeOf(key uint64, i int32) int32 {
	edge := t.edges.Of(key)
	if int(edge) == len(t.of) {
		t.of = append(t.of, total{at: Place{Thread: t.thread}})
		t.calls = append(t.calls, edgeCalls{longest: -1, id: uint32(key)})
		t.keys, t.lots = append(t.keys, key), append(t.lots, lot{first: i})
	}
	return edge
}

// addCalls adds calls [from, to), whose edges are known. The time of each is its own, and not its
// caller's. Differences of 32 bits are right if the result fits, whatever they pass through; the
// self times of calls that last longer are found elsewise.
func (t *threadSums) addCalls(from, to int) {
	th, calls, until, self := t.th, t.calls, t.until, t.self.ns[:to]
	ups := t.up[:to-from]
	for k, edge := range t.edge {
		i := from + k
		ns := th.Dur(i)
		self[i] = uint32(ns)
		if up := ups[k]; up >= 0 {
			self[th.Parent(i)] -= uint32(ns)
			calls[up].below += ns
		}
		if uint64(ns) >= tooLong {
			t.long = append(t.long, int32(i))
		}
		e := &calls[edge]
		e.calls++
		e.ns += ns
		if last := &until[e.id]; int32(i) >= *last {
			*last = int32(th.Next(i))
		} else {
			e.nested += ns
		}
		if ns > e.longest {
			e.longest, e.at = ns, int32(i)
		}
	}
}

// addBlocks adds the self time of those of calls [from, to) that a mark says wait.
func (t *threadSums) addBlocks(from, to int) {
	for ; len(t.blocks) > 0 && int(t.blocks[0].Call) < to; t.blocks = t.blocks[1:] {
		if b := t.blocks[0]; b.Kind == trace.Wait {
			t.of[t.edge[int(b.Call)-from]].waits += t.th.Self(int(b.Call))
		}
	}
}

// addStates adds the squares of the self times of those of calls [from, to) that are states.
func (t *threadSums) addStates(from, to int) {
	for k, fn := range t.th.Fn[from:to] {
		if t.states[fn] {
			t.of[t.edge[k]].addSquare(t.th.Self(from + k))
		}
	}
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
		e, c := &t.of[k], &t.calls[k]
		e.calls, e.self, e.inAll, e.inEach = int64(c.calls), c.ns-c.below, c.ns-c.nested, c.ns
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
// any. Nothing of it changes once all threads have been summed up.
func (s *sums) both(caller, id uint32) (t [2]*total) {
	for sd, of := range s.totals {
		if caller == anywhere {
			t[sd] = &of.functions[id]
		} else {
			t[sd] = of.ofEdge(pair.KeyOf(caller, id))
		}
	}
	return t
}

// change returns by how much B has more calls, and how much more time including callees.
func change(t [2]*total) (calls, ns int64) {
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
