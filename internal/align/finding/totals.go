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
	async   int64  // ns, including callees, in asynchronous tracks
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
	of        paged[total] // by edge
	keys      []uint64     // by edge
	inThread  [][]lot      // by thread: its edges
}

// paged is values by number, in pages: there can be a hundred thousand, and none moves when another
// is added.
type paged[T any] []*[onPage]T

const onPage = 512

func (p paged[T]) at(n int) *T { return &p[n/onPage][n%onPage] }

// add adds value n, where n are there.
func (p *paged[T]) add(n int) {
	if n%onPage == 0 {
		*p = append(*p, new([onPage]T))
	}
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
	threads  [2]*int           // that alone are summed up: those of a sample type; nil for all
	totals   [2]*totals
	counted  []countedEdge // in the order of callees, and of callers; see gatherCounts
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

// merge adds calls. In how many threads they are, enter counts.
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
	t.async += o.async
	t.lone += o.lone
}

// enter counts a thread in which there are such calls, once. All that is added of it comes
// together.
func (t *total) enter(thread int) {
	if of := int32(thread) + 1; t.last != of {
		t.last = of
		t.threads++
	}
}

// sumFunctions adds up edges by the function that is called.
func (t *totals) sumFunctions() {
	for n, key := range t.keys {
		t.functions[uint32(key)].merge(t.of.at(n))
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
