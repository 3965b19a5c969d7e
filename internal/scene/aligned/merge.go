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

	next  [2]int32 // by side: calls that have been passed
	open  []opened // nodes that may have further callees, outermost first
	pairs []reached
}

// opened is a pair, a gap, or a call that is passed through.
type opened struct {
	node int
	gap  bool
	pair int  // index into pairs of its own, or of the pair around a call that is passed through
	own  bool // it is its own
}

// reached is how far each side has come in a pair.
type reached struct {
	at   [2]int64 // real time reached
	end  [2]int64 // real time at which the calls end
	last [2]int32 // the index after each side's callees
}

func newMerger(v *align.Virtual, n int) *merger {
	m := &merger{v: v, start: make([]int64, 0, n), end: make([]int64, 0, n),
		fn: make([]kind, 0, n), parent: make([]int32, 0, n)}
	all := reached{}
	for s, th := range v.Threads {
		m.calls[s] = make([]int32, 0, n)
		all.at[s], all.end[s] = th.Span()
		all.last[s] = int32(th.Len())
	}
	m.open, m.pairs = append(m.open, opened{node: -1, own: true}), append(m.pairs, all)
	return m
}

// one returns a call of a node: that of A, if there is one.
func (m *merger) one(n align.Node) (pair.Side, int32) {
	if n.A != align.None {
		return pair.A, n.A
	}
	return pair.B, n.B
}

// addNode appends a node.
func (m *merger) addNode(n align.Node, k kind) {
	for m.open[len(m.open)-1].node != n.Parent {
		m.close()
	}
	s, call := m.one(n)
	top, within := m.open[len(m.open)-1], opened{node: len(m.fn)}
	start, end := m.v.Start[s][call], m.v.End[s][call]
	switch {
	case top.gap:
		within.gap = true
	case isPassed(k):
		within.pair = top.pair
		if top.node >= 0 {
			end = min(end, m.end[top.node]) // where such levels of both sides overlap in part
		}
		m.differ(0)
	case n.A == align.None || n.B == align.None:
		within.gap = true
		m.differ(m.wait(&m.pairs[top.pair], s, call))
	default:
		if n.State == align.Different {
			m.differ(0)
		}
		within.pair, within.own = m.pair(top.pair, [2]int32{n.A, n.B}), true
	}
	m.open = append(m.open, within)
	m.start, m.end = append(m.start, start), append(m.end, end)
	m.fn, m.parent = append(m.fn, k), append(m.parent, int32(n.Parent))
	for s, call := range [2]int32{n.A, n.B} {
		m.calls[s] = append(m.calls[s], m.next[s])
		if call != align.None {
			m.next[s]++
		}
	}
}

// close closes the innermost node.
func (m *merger) close() {
	last := len(m.open) - 1
	if m.open[last].own {
		m.pairs = m.pairs[:len(m.pairs)-1]
	}
	m.open = m.open[:last]
}

// differ notes that the node to be added is a difference, and where a side waits meanwhile.
func (m *merger) differ(still int64) {
	m.diffs, m.still = append(m.diffs, int32(len(m.fn))), append(m.still, still)
}

// pair passes two calls in the pair around them and returns the index of their own progress.
func (m *merger) pair(around int, calls [2]int32) int {
	within := reached{}
	for s, call := range calls {
		th := m.v.Threads[s]
		m.pairs[around].at[s] = th.End(int(call))
		within.at[s], within.end[s] = th.Start(int(call)), th.End(int(call))
		within.last[s] = int32(th.Next(int(call)))
	}
	m.pairs = append(m.pairs, within)
	return len(m.pairs) - 1
}

// wait passes call of side s, which has no partner, in the pair around it, and returns where the
// other side waits meanwhile: its self time goes along with that before the call as far as it
// reaches (align.Virtual).
func (m *merger) wait(around *reached, s pair.Side, call int32) int64 {
	th, o := m.v.Threads[s], s.Other()
	left := around.end[o] - around.at[o]
	if m.next[o] < around.last[o] {
		next := m.v.Passed[o].First(m.next[o])
		left = m.v.Threads[o].Start(int(next)) - around.at[o]
	}
	around.at[o] += min(left, th.Start(int(call))-around.at[s])
	around.at[s] = th.End(int(call))
	return around.at[o]
}
