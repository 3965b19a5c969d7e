package structure

import (
	"cmp"
	"slices"
	"strings"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Metric is a quantity of nodes.
type Metric uint8

const (
	ByCalls Metric = iota
	ByTotal
	BySelf
	ByDepth
	ByFirst
)

// Value returns a metric of a node on one side; ok is false if no call of that side is mapped
// under the node, or if nobody has counted how often it was called although that was counted of
// others: it began before the recording did.
func (t *Tree) Value(m Metric, s pair.Side, node int) (v int64, ok bool) {
	if t.Sums[s] == nil || t.Sums[s][node].Calls == 0 {
		return 0, false
	}
	if m == ByCalls && t.Counted {
		v = t.Sums[s][node].Counted
		return v, v > 0
	}
	return t.Sums[s][node].value(m), true
}

func (m *Sum) value(by Metric) int64 {
	switch by {
	case ByCalls:
		return m.Calls
	case ByTotal:
		return m.Total
	case BySelf:
		return m.Self
	case ByDepth:
		return int64(m.MaxDepth)
	}
	return m.First
}

// Change returns a metric's B − A. A side without calls counts as 0, except that there is no change
// of the first start and of the depth unless both sides have calls, and none at all if neither has.
func (t *Tree) Change(m Metric, node int) (v int64, ok bool) {
	a, inA := t.Value(m, pair.A, node)
	b, inB := t.Value(m, pair.B, node)
	if m == ByDepth || m == ByFirst {
		ok = inA && inB
	} else {
		ok = inA || inB
	}
	if !ok {
		return 0, false
	}
	return b - a, true
}

// Gamma returns γ: the number of calls mapped under a node on both sides. One of a profile stands
// for all that were made from one stack.
func (t *Tree) Gamma(node int) (calls int64) {
	for s := range t.Sums {
		if t.Sums[s] != nil {
			calls += t.Sums[s][node].Calls
		}
	}
	return calls
}

// both returns a metric's sum over both sides.
func (t *Tree) both(m Metric, node int) int64 {
	a, _ := t.Value(m, pair.A, node)
	b, _ := t.Value(m, pair.B, node)
	return a + b
}

// orderByGamma sorts the children of each node.
func (t *Tree) orderByGamma() {
	t.from = make([]int32, len(t.Nodes)+1)
	t.busiest = make([]int32, 0, len(t.Nodes))
	gamma := make([]int64, len(t.Nodes))
	for i := range gamma {
		gamma[i] = t.Gamma(i)
	}
	for i := range t.Nodes {
		t.from[i] = int32(len(t.busiest))
		for c := range t.childSeq(i) {
			t.busiest = append(t.busiest, int32(c))
		}
		slices.SortFunc(t.busiest[t.from[i]:], func(x, y int32) int {
			return cmp.Or(cmp.Compare(gamma[y], gamma[x]), cmp.Compare(x, y))
		})
	}
	t.from[len(t.Nodes)] = int32(len(t.busiest))
}

// Mover is a package and by how much its own self time changed from A to B.
type Mover struct {
	Node int
	ByNs int64
}

// Movers returns the packages of a pair whose self time changed most, the largest change first, at
// most n. Code in a package below another counts only for the lower one. A tree of one trace has no
// movers.
// States of the scheduler and events, which are under names in parentheses, are no packages.
// Threads that do not run count only on sides that have no others: in a track of asynchronous
// spans, many of which are open at once, nothing executes.
func (t *Tree) Movers(n int) []Mover {
	if t.Sums[pair.A] == nil || t.Sums[pair.B] == nil {
		return nil
	}
	runs := [2]bool{runs(t.Pair.A), runs(t.Pair.B)}
	own := map[int]int64{}
	for i := range t.Nodes {
		if t.Nodes[i].Kind == Function {
			own[t.PackageOf(i)] += t.executed(pair.B, i, runs) - t.executed(pair.A, i, runs)
		}
	}
	var all []Mover
	for node, d := range own {
		if d != 0 && node > 0 && !strings.HasPrefix(t.Nodes[node].Name, "(") {
			all = append(all, Mover{node, d})
		}
	}
	slices.SortFunc(all, func(x, y Mover) int {
		return cmp.Or(cmp.Compare(max(y.ByNs, -y.ByNs), max(x.ByNs, -x.ByNs)), cmp.Compare(x.Node, y.Node))
	})
	return all[:min(n, len(all))]
}

// runs reports whether any thread of a trace executes.
func runs(tr *trace.Trace) bool { return slices.ContainsFunc(tr.Threads, (*trace.Thread).Runs) }

// executed returns the self time of a function on one side, in threads that run if it has any.
func (t *Tree) executed(s pair.Side, node int, runs [2]bool) int64 {
	m := &t.Sums[s][node]
	if runs[s] {
		return m.Self - m.Aside
	}
	return m.Self
}
