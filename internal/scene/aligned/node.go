package aligned

import (
	"sort"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

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
		Start: th.Start[i], End: th.End[i]}
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
