package aligned

import (
	"context"

	"golang.org/x/sync/errgroup"

	"diptych/internal/align"
	"diptych/internal/pair"
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
	g, ctx := errgroup.WithContext(ctx)
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
		m.add(node, k)
	}
	th := trace.FromColumns("status", m.start, m.end, m.fn, m.parent)
	p.Status = &trace.Trace{Unit: trace.Nanoseconds, Duration: v.Length, Threads: []*trace.Thread{th}}
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
