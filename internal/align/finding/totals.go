package finding

import (
	"math"
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
	depths sync.Pool // []int32, by identity: open calls, all 0

	mu sync.Mutex
	to *totals
}

func newAdder(s *study, sd pair.Side) *adder {
	a := &adder{s: s, sd: sd, tr: s.p.Trace(sd), to: s.totals[sd]}
	a.ids, a.states = s.identities(sd), s.rules[sd].states
	a.depths.New = func() any { return new(make([]int32, len(s.p.Names))) }
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

// threadSums sums up one thread.
type threadSums struct {
	*adder
	th     *trace.Thread
	thread int
	depth  []int32 // by identity: open calls
	edges  pair.Numbers
	of     []total
	keys   []uint64
	lots   []lot
	open   []openCall
	blocks []trace.Block
}

// openCall is a call whose callees are gone through.
type openCall struct {
	next  int32  // the first call after its subtree
	edge  int32  // by which it is called
	from  uint32 // the function that calls its callees: its own, or that in which a state is
	id    uint32
	self  int64 // ns: its duration less that of its callees so far
	state bool
	waits bool

	// The callee's function and edge that were looked up last: callees often repeat.
	lastFn   trace.FuncID
	lastEdge int32
}

// addThread adds the calls of thread k of the side.
func (a *adder) addThread(k int) {
	th := a.tr.Threads[k]
	if th.Kind == trace.Sums || th.Len() == 0 {
		return
	}
	depth := a.depths.Get().(*[]int32)
	t := threadSums{adder: a, th: th, thread: k, depth: *depth, blocks: th.Blocks}
	t.open = append(t.open, openCall{next: math.MaxInt32, edge: -1, from: atRoot, lastEdge: -1})
	for i, fn := range th.Fn {
		for t.open[len(t.open)-1].next <= int32(i) {
			t.close()
		}
		t.enter(int32(i), fn, th.Dur(i), int32(th.Size(i)))
	}
	for len(t.open) > 1 {
		t.close()
	}
	a.depths.Put(depth)
	t.addToSide()
}

// enter counts call i, and opens it.
func (t *threadSums) enter(i int32, fn trace.FuncID, ns int64, size int32) {
	up := &t.open[len(t.open)-1]
	id, state := t.ids[fn], t.states[fn]
	if up.lastEdge < 0 || up.lastFn != fn {
		up.lastFn, up.lastEdge = fn, t.edgeOf(up.from, id, i)
	}
	edge, from := up.lastEdge, up.from
	up.self -= ns
	e := &t.of[edge]
	e.calls++
	e.inEach += ns
	if t.depth[id] == 0 {
		e.inAll += ns
	}
	if ns > e.longest || e.calls == 1 {
		e.longest, e.at.Call = ns, i
	}
	waits := len(t.blocks) > 0 && t.waits(i)
	if size == 1 {
		e.close(ns, state, waits)
		return
	}
	t.depth[id]++
	if !state {
		from = id
	}
	t.open = append(t.open, openCall{next: i + size, edge: edge, from: from, id: id, self: ns,
		state: state, waits: waits, lastEdge: -1})
}

// edgeOf returns the edge from a function to another, which call i of the thread makes.
func (t *threadSums) edgeOf(caller, id uint32, i int32) int32 {
	key := pair.KeyOf(caller, id)
	edge := t.edges.Of(key)
	if int(edge) == len(t.of) {
		t.of = append(t.of, total{at: Place{Thread: t.thread}})
		t.keys, t.lots = append(t.keys, key), append(t.lots, lot{first: i})
	}
	return edge
}

// waits reports whether call i is marked as waiting. Calls are asked for in order.
func (t *threadSums) waits(i int32) (waits bool) {
	for ; len(t.blocks) > 0 && t.blocks[0].Call <= i; t.blocks = t.blocks[1:] {
		waits = waits || t.blocks[0].Call == i && t.blocks[0].Kind == trace.Wait
	}
	return waits
}

// close ends the innermost open call.
func (t *threadSums) close() {
	c := &t.open[len(t.open)-1]
	t.depth[c.id]--
	t.of[c.edge].close(c.self, c.state, c.waits)
	t.open = t.open[:len(t.open)-1]
}

// close adds the self time of a call.
func (t *total) close(self int64, state, waits bool) {
	t.self += self
	if state {
		t.squares.add(bits.Mul64(uint64(magnitude(self)), uint64(magnitude(self))))
	}
	if waits {
		t.waits += self
	}
}

// addToSide adds the sums of the thread to those of the side.
func (t *threadSums) addToSide() {
	t.mu.Lock()
	defer t.mu.Unlock()
	lone := t.s.p.Partner(t.sd, t.thread) < 0 && t.th.Kind != trace.AsyncTrack
	for k := range t.of {
		e := &t.of[k]
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
		t.lots[k].edge, t.lots[k].calls = n, int32(e.calls)
	}
	t.to.inThread[t.thread] = slices.Clip(t.lots)
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
	tr, th := s.p.Trace(sd), r.Threads[sd]
	up := th.Parent(int(i))
	for up != align.None && byNature(tr.Functions[th.Fn[up]].Kind) {
		up = th.Parent(int(up))
	}
	if up == align.None {
		return atRoot
	}
	return s.identity(r, sd, up)
}
