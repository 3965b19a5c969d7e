package aligned

import (
	"sort"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/scene/icicle"
	"diptych/internal/trace"
)

// Filter says which nodes matter. The zero value lets all pass.
type Filter struct {
	States States
	Least  int64 // virtual time a node takes at least, ns
}

// States is a set of states; the empty set stands for all.
type States uint8

// Set returns the set of the given states.
func Set(states ...align.State) States {
	s := States(0)
	for _, x := range states {
		s |= 1 << x
	}
	return s
}

// Has reports whether s holds state x.
func (s States) Has(x align.State) bool { return s == 0 || s&(1<<x) != 0 }

// Any reports whether f keeps anything out.
func (f Filter) Any() bool { return f.States != 0 || f.Least > 0 }

// passes reports whether a node of kind k that takes so many ns passes.
func (f Filter) passes(k kind, ns int64) bool { return f.States.Has(stateOf(k)) && ns >= f.Least }

// Differences returns how many differences there are.
func (p *Prepared) Differences() int { return len(p.diffs) }

// Next returns the first difference that f lets pass and that begins after virtual time at, in ns.
func (p *Prepared) Next(at int64, f Filter) (Node, bool) {
	th := p.tree()
	k := sort.Search(len(p.diffs), func(k int) bool { return th.Start(int(p.diffs[k])) > at })
	for ; k < len(p.diffs); k++ {
		if i := int(p.diffs[k]); f.passes(th.Fn[i], p.takes(i)) {
			return p.Node(i), true
		}
	}
	return Node{}, false
}

// Previous returns the last difference that f lets pass and that begins before virtual time at.
func (p *Prepared) Previous(at int64, f Filter) (Node, bool) {
	th := p.tree()
	k := sort.Search(len(p.diffs), func(k int) bool { return th.Start(int(p.diffs[k])) >= at }) - 1
	for ; k >= 0; k-- {
		if i := int(p.diffs[k]); f.passes(th.Fn[i], p.takes(i)) {
			return p.Node(i), true
		}
	}
	return Node{}, false
}

// takes returns the virtual time, ns, that a node's difference is about: the node's duration, or
// the self time of a level that is passed through, since its callees are aligned with the caller's.
func (p *Prepared) takes(i int) int64 {
	th := p.tree()
	if !isPassed(th.Fn[i]) {
		return th.Dur(i)
	}
	n := p.Node(i)
	s := pair.A
	if n.State == align.GapA {
		s = pair.B
	}
	return p.Virtual.Threads[s].Self(n.Calls[s])
}

// First returns the first divergence: the first difference of all in virtual order.
func (p *Prepared) First() (Node, bool) {
	if len(p.diffs) == 0 {
		return Node{}, false
	}
	return p.Node(int(p.diffs[0])), true
}

// What the filter lets pass stays as it is, the rest is pale: in the status and on both sides.

// emphasis returns how calls of a side stand out, by what State says and the filter, or nil.
func (b *builder) emphasis(s pair.Side) func(thread, from, to int) icicle.Emphasis {
	given := b.st.Emphasis[s]
	if !b.st.Filter.Any() {
		return given
	}
	return func(thread, from, to int) icicle.Emphasis {
		e := icicle.Normal
		if given != nil {
			e = given(thread, from, to)
		}
		if e == icicle.Normal && !b.matters(b.nodesOf(s, from, to)) {
			return icicle.Pale
		}
		return e
	}
}

// nodesOf returns the range of nodes around calls [from, to) of a side, and the states its calls
// can have among them.
func (b *builder) nodesOf(s pair.Side, from, to int) (first, last int, on States) {
	first, last = b.p.NodeOf(s, from), b.p.NodeOf(s, to-1)+1
	if s == pair.A {
		return first, last, Set(align.Equal, align.Different, align.GapB)
	}
	return first, last, Set(align.Equal, align.Different, align.GapA)
}

func (b *builder) statusEmphasis(_, from, to int) icicle.Emphasis {
	if b.matters(from, to, 0) {
		return icicle.Normal
	}
	return icicle.Pale
}

// matters reports whether the filter lets any of the nodes [from, to) pass that is in one of the
// given states. For a run it is an estimate: some node has to be in one of the states, and some
// node, perhaps another one, long enough.
func (b *builder) matters(from, to int, on States) bool {
	f, th := b.st.Filter, b.p.tree()
	if to == from+1 {
		return f.passes(th.Fn[from], b.p.takes(from))
	}
	found := false
	for k, n := range b.p.tally.in(from, to) {
		s := stateOf(kind(k))
		found = found || n > 0 && f.States.Has(s) && on.Has(s)
	}
	return found && (f.Least <= 0 || th.NextWide(from, to, float64(f.Least)) < to)
}

// nodeRef returns node i as a call of the status trace.
func nodeRef(i int) trace.CallRef { return trace.CallRef{Call: int32(i)} }
