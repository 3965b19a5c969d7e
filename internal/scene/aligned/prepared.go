package aligned

import (
	"context"
	"sort"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// kind is a state together with whether the call is found moved: what a row of the status shows.
// Kinds are the functions of the merged tree, so a picture of it needs no other column.
type kind = trace.FuncID

const (
	movedA kind = iota + kind(align.GapB) + 1 // only in B here, in A elsewhere
	movedB
	passedA // only in B, and its callees aligned as its caller's
	passedB // only in A
	kinds
)

// kindNames are by kind.
var kindNames = [kinds]string{"equal", "different", "only in B", "only in A", "moved, here in B",
	"moved, here in A", "a level only in B", "a level only in A"}

// stateOf returns the state without regard to moves.
func stateOf(k kind) align.State {
	switch k {
	case movedA, passedA:
		return align.GapA
	case movedB, passedB:
		return align.GapB
	}
	return align.State(k)
}

// Samples is how many samples of a timeline a Prepared should have: dissimilarity, smooth over a
// tenth of the length, is read off between them at any zoom.
const Samples = 4096

// Prepared is an alignment laid out so that drawing it costs what is visible: both threads on
// virtual time, and the merged tree of both, which has the nodes of align.Result.Walk as its calls
// and kinds as its functions. It takes about 45 bytes a node and one a call, is immutable, and
// must be made outside the frame.
type Prepared struct {
	Virtual  *align.Virtual
	Timeline *align.Timeline
	Moves    []align.Move

	// Sides are the two traces with the aligned thread on virtual time, under its own index; nil
	// where the pair has no thread.
	Sides [2]*trace.Trace
	// Status is a trace whose one thread is the merged tree.
	Status *trace.Trace

	calls [2][]int32 // by side and node: how many calls of the side come before it
	tally tally
	from  [2]int64 // by side: the thread's first start
	to    [2]int64 // and its last end

	// diffs are the nodes that are not equal and not part of a gap that begins further out, in
	// order: what one would step through. A call that has another function, and what differs below
	// it, are both.
	diffs []int32
	still []int64 // by difference: of a gap, the real time at which the other side waits
}

// Prepare lays v out for drawing. Timeline t should have Samples samples; moves are what
// v.Moved returns, and may be nil.
func Prepare(ctx context.Context, v *align.Virtual, t *align.Timeline, moves []align.Move) (
	*Prepared, error) {
	p := &Prepared{Virtual: v, Timeline: t, Moves: moves}
	for s, th := range v.Threads {
		p.from[s], p.to[s] = th.Span()
	}
	g, ctx := progress.NewGroup(ctx)
	for s := range p.Sides {
		g.Go(func() error {
			p.Sides[s] = onVirtualTime(v, pair.Side(s))
			return ctx.Err()
		})
	}
	g.Go(func() error { return p.merge(ctx) })
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return p, nil
}

// onVirtualTime returns a side's trace with the aligned thread's calls at their virtual times.
func onVirtualTime(v *align.Virtual, s pair.Side) *trace.Trace {
	k := v.Indices[s]
	if k < 0 {
		return nil
	}
	tr := *v.Pair.Trace(s)
	tr.Threads = append([]*trace.Thread(nil), tr.Threads...)
	tr.Threads[k] = tr.Threads[k].Retimed(v.Start[s], v.End[s])
	tr.Duration = v.Length
	return &tr
}

// checkEvery is how many nodes are merged between two looks at whether to go on.
const checkEvery = 1 << 16

// merge builds the merged tree and what is looked up in it.
func (p *Prepared) merge(ctx context.Context) error {
	v := p.Virtual
	m := newMerger(v, p.nodes())
	moved := p.moved()
	for node := range v.Walk {
		if len(m.fn)%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		k := kind(node.State)
		switch s, call := m.one(node); {
		case v.Passed[s].Has(call):
			k += passedA - kind(align.GapA)
		case moved[s] != nil && moved[s][call]:
			k += movedA - kind(align.GapA)
		}
		m.addNode(node, k)
	}
	th := trace.FromColumns("status", m.start, m.end, m.fn, m.parent)
	p.Status = &trace.Trace{Unit: v.Pair.Unit(), Duration: v.Length,
		Threads: []*trace.Thread{th}}
	for _, name := range kindNames {
		p.Status.Functions = append(p.Status.Functions, trace.Function{Name: name})
	}
	p.calls, p.diffs, p.still = m.calls, m.diffs, m.still
	p.tally = newTally(m.fn)
	return nil
}

// nodes returns how many nodes the walk has.
func (p *Prepared) nodes() int {
	n := len(p.Virtual.Partner[pair.B])
	for _, j := range p.Virtual.Partner[pair.A] {
		if j == align.None {
			n++
		}
	}
	return n
}

// moved returns by side and call whether it is in a moved subtree; nil for a side that has none.
func (p *Prepared) moved() (in [2][]bool) {
	if len(p.Moves) == 0 {
		return in
	}
	for s := range in {
		in[s] = make([]bool, len(p.Virtual.Partner[s]))
	}
	for _, m := range p.Moves {
		for k := range int32(m.Size) {
			in[pair.A][m.A+k], in[pair.B][m.B+k] = true, true
		}
	}
	return in
}

// hasMoved and isPassed tell kinds that share a state.
func hasMoved(k kind) bool { return k == movedA || k == movedB }

func isPassed(k kind) bool { return k == passedA || k == passedB }

// tree returns the merged tree.
func (p *Prepared) tree() *trace.Thread { return p.Status.Threads[0] }

// Node is one node of the merged tree: a pair of calls, or a call without a partner.
type Node struct {
	Index      int // in virtual order
	State      align.State
	Moved      bool
	Passed     bool   // its callees are aligned as its caller's
	Calls      [2]int // by side, pre-order index in the aligned thread; −1 where it is missing
	Start, End int64  // virtual time, ns
}

// Len returns the number of nodes.
func (p *Prepared) Len() int { return p.tree().Len() }

// Node returns node i.
func (p *Prepared) Node(i int) Node {
	th := p.tree()
	k := th.Fn[i]
	n := Node{Index: i, State: stateOf(k), Moved: hasMoved(k), Passed: isPassed(k),
		Start: th.Start(i), End: th.End(i)}
	for s := range n.Calls {
		n.Calls[s] = int(p.calls[s][i])
	}
	switch n.State {
	case align.GapA:
		n.Calls[pair.A] = -1
	case align.GapB:
		n.Calls[pair.B] = -1
	}
	return n
}

// NodeOf returns the number of the node that a side's call is in. Cost is logarithmic: on each side
// the calls come in their own order.
func (p *Prepared) NodeOf(s pair.Side, call int) int {
	before := p.calls[s]
	return sort.Search(len(before), func(i int) bool { return int(before[i]) > call }) - 1
}

// Ref returns the call of n on a side in the side's own trace, and whether there is one.
func (p *Prepared) Ref(n Node, s pair.Side) (trace.CallRef, bool) {
	return trace.CallRef{Thread: int32(p.Virtual.Indices[s]), Call: int32(n.Calls[s])},
		n.Calls[s] >= 0
}

// holds reports whether a call of a side's trace is one of the aligned thread's.
func (p *Prepared) holds(s pair.Side, ref trace.CallRef) bool {
	return int(ref.Thread) == p.Virtual.Indices[s] && ref.Call >= 0 &&
		int(ref.Call) < len(p.Virtual.Partner[s])
}

// Twin returns the other side's call that stands for a side's call: its partner, or what it was
// moved to or from; or −1.
func (p *Prepared) Twin(s pair.Side, call int) int {
	if j := p.Virtual.Partner[s][call]; j != align.None {
		return int(j)
	}
	for _, m := range p.Moves {
		from, to := int(m.A), int(m.B)
		if s == pair.B {
			from, to = to, from
		}
		if call >= from && call < from+int(m.Size) {
			return to + call - from
		}
	}
	return -1
}

// tally counts kinds in any range of nodes: a count before every block of nodes, and the nodes at
// both ends one by one. It takes under half a byte a node.
type tally struct {
	of     []kind // by node
	before []counts
}

// counts are by kind.
type counts [kinds]uint32

const tallyBlock = 64

func newTally(of []kind) tally {
	t := tally{of: of, before: make([]counts, 0, len(of)/tallyBlock+1)}
	var sum counts
	for i, k := range of {
		if i%tallyBlock == 0 {
			t.before = append(t.before, sum)
		}
		sum[k]++
	}
	return t
}

// in counts the nodes in [from, to).
func (t *tally) in(from, to int) counts {
	c := t.upTo(to)
	for k, n := range t.upTo(from) {
		c[k] -= n
	}
	return c
}

// upTo counts the nodes before i.
func (t *tally) upTo(i int) counts {
	if i == 0 || len(t.of) == 0 {
		return counts{}
	}
	block := min(i/tallyBlock, len(t.before)-1)
	c := t.before[block]
	for _, k := range t.of[block*tallyBlock : i] {
		c[k]++
	}
	return c
}
