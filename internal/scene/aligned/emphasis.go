package aligned

import (
	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/scene/icicle"
	"diptych/internal/trace"
)

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

// matters reports whether the filter lets any of the nodes [from, to) in one of the states pass. Of
// a run it asks whether it holds one of the states and, be it another, a node that is long enough.
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
