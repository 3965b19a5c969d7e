package aligned

import (
	"diptych/internal/align"
	"diptych/internal/pair"
)

// merger gathers the columns of the merged tree node by node in virtual order.
type merger struct {
	v          *align.Virtual
	start, end []int64
	fn         []kind
	parent     []int32
	calls      [2][]int32
	diffs      []int32
	still      []int64 // by difference

	next [2]int32 // by side: calls that have been passed
	open []opened // nodes that may have further callees, outermost first
}

// opened is a pair (or a gap) and how far each side has come in it.
type opened struct {
	node int
	at   [2]int64 // real time reached
	end  [2]int64 // real time at which the calls end
	last [2]int32 // the index after each side's callees
	gap  bool
}

func newMerger(v *align.Virtual, n int) *merger {
	m := &merger{v: v, start: make([]int64, 0, n), end: make([]int64, 0, n),
		fn: make([]kind, 0, n), parent: make([]int32, 0, n)}
	all := opened{node: -1}
	for s, th := range v.Threads {
		m.calls[s] = make([]int32, 0, n)
		all.at[s], all.end[s] = th.Span()
		all.last[s] = int32(th.Len())
	}
	m.open = append(m.open, all)
	return m
}

// one returns a call of a node: that of A, if there is one.
func (m *merger) one(n align.Node) (pair.Side, int32) {
	if n.A != align.None {
		return pair.A, n.A
	}
	return pair.B, n.B
}

// add appends a node.
func (m *merger) add(n align.Node, k kind) {
	for m.open[len(m.open)-1].node != n.Parent {
		m.open = m.open[:len(m.open)-1]
	}
	s, call := m.one(n)
	top, within := &m.open[len(m.open)-1], opened{node: len(m.fn)}
	switch {
	case top.gap:
		within.gap = true
	case n.A == align.None || n.B == align.None:
		within.gap = true
		m.differ(m.wait(top, s, call))
	default:
		if n.State == align.Different {
			m.differ(0)
		}
		m.pair(top, &within, [2]int32{n.A, n.B})
	}
	m.open = append(m.open, within)
	m.start, m.end = append(m.start, m.v.Start[s][call]), append(m.end, m.v.End[s][call])
	m.fn, m.parent = append(m.fn, k), append(m.parent, int32(n.Parent))
	for s, call := range [2]int32{n.A, n.B} {
		m.calls[s] = append(m.calls[s], m.next[s])
		if call != align.None {
			m.next[s]++
		}
	}
}

// differ notes that the node to be added is a difference, and where a side waits meanwhile.
func (m *merger) differ(still int64) {
	m.diffs, m.still = append(m.diffs, int32(len(m.fn))), append(m.still, still)
}

// pair passes two calls in top and opens them.
func (m *merger) pair(top, within *opened, calls [2]int32) {
	for s, call := range calls {
		th := m.v.Threads[s]
		top.at[s] = th.End[call]
		within.at[s], within.end[s] = th.Start[call], th.End[call]
		within.last[s] = int32(th.Next(int(call)))
	}
}

// wait passes call of side s, which has no partner, in top, and returns where the other side waits
// meanwhile: its self time goes along with that before the call as far as it reaches
// (align.Virtual).
func (m *merger) wait(top *opened, s pair.Side, call int32) int64 {
	th, o := m.v.Threads[s], s.Other()
	left := top.end[o] - top.at[o]
	if m.next[o] < top.last[o] {
		left = m.v.Threads[o].Start[m.next[o]] - top.at[o]
	}
	top.at[o] += min(left, th.Start[call]-top.at[s])
	top.at[s] = th.End[call]
	return top.at[o]
}
