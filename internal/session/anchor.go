package session

import (
	"slices"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/plural"
)

// Anchors are the pairs of calls that were aligned by hand, in the order in which they were made.
// They are never changed, only replaced; nil holds none.
type Anchors struct{ list []align.Anchor }

// All lists the anchors, the first made first.
func (a *Anchors) All() []align.Anchor {
	if a == nil {
		return nil
	}
	return a.list
}

// Len returns how many anchors there are.
func (a *Anchors) Len() int { return len(a.All()) }

// with adds x in place of those that hold one of its calls.
func (a *Anchors) with(x align.Anchor) *Anchors {
	kept := a.keep(func(y align.Anchor) bool { return !shareCall(x, y) })
	return &Anchors{append(slices.Clone(kept.All()), x)}
}

// keep returns the anchors that are good; a itself if all are.
func (a *Anchors) keep(good func(align.Anchor) bool) *Anchors {
	var kept []align.Anchor
	for _, x := range a.All() {
		if good(x) {
			kept = append(kept, x)
		}
	}
	switch len(kept) {
	case a.Len():
		return a
	case 0:
		return nil
	}
	return &Anchors{kept}
}

// mirrored returns the anchors with A and B exchanged.
func (a *Anchors) mirrored() *Anchors {
	if a.Len() == 0 {
		return nil
	}
	m := &Anchors{slices.Clone(a.list)}
	for i, x := range m.list {
		m.list[i] = align.Anchor{Threads: pair.ThreadPair{A: x.Threads.B, B: x.Threads.A},
			Calls: [2]int32{x.Calls[pair.B], x.Calls[pair.A]}}
	}
	return m
}

// shareCall reports whether one of the calls of x is one of those of y.
func shareCall(x, y align.Anchor) bool {
	for _, side := range []pair.Side{pair.A, pair.B} {
		if AnchorEnd(x, side) == AnchorEnd(y, side) {
			return true
		}
	}
	return false
}

// AnchorEnd returns the call of an anchor on a side.
func AnchorEnd(x align.Anchor, side pair.Side) Target {
	t := Target{Side: side, OK: true}
	t.Ref.Thread, t.Ref.Call = int32(x.Threads.On(side)), x.Calls[side]
	return t
}

// anchorOf pairs two calls that lie on different sides.
func anchorOf(x, y Target) align.Anchor {
	if x.Side == pair.B {
		x, y = y, x
	}
	return align.Anchor{
		Threads: pair.ThreadPair{A: int(x.Ref.Thread), B: int(y.Ref.Thread)},
		Calls:   [2]int32{x.Ref.Call, y.Ref.Call},
	}
}

// AnchorOf returns the anchor that holds a call, and whether there is one.
func (st *State) AnchorOf(t Target) (align.Anchor, bool) {
	for _, x := range st.Anchors.All() {
		if t.OK && AnchorEnd(x, t.Side) == t {
			return x, true
		}
	}
	return align.Anchor{}, false
}

// Holding says what became of an anchor.
type Holding uint8

const (
	Pending Holding = iota // the alignment that is shown was made without it
	Held
	LeftOut // it would cross one made earlier
)

// Holding returns what became of an anchor.
func (st *State) Holding(x align.Anchor) Holding {
	a := st.Aligned
	switch {
	case a == nil || a.pairing() != st.pairing():
		return Pending
	case st.Partner(AnchorEnd(x, pair.A)) == AnchorEnd(x, pair.B):
		return Held
	}
	return LeftOut
}

// Partner returns the call that the alignment pairs a call with, if it is known and has one.
func (st *State) Partner(t Target) Target {
	a := st.Aligned
	if a == nil || a.Pair != st.Pair || !t.OK {
		return Target{}
	}
	k := a.Pair.Of(t.Side, int(t.Ref.Thread))
	if k >= len(a.Results) || a.Results[k].Indices[t.Side] != int(t.Ref.Thread) {
		return Target{}
	}
	r := a.Results[k]
	j := r.Partner[t.Side][t.Ref.Call]
	if j == align.None {
		return Target{}
	}
	u := Target{Side: t.Side.Other(), OK: true}
	u.Ref.Thread, u.Ref.Call = int32(r.Indices[u.Side]), j
	return u
}

// Anchor pairs two calls of different sides by hand, and their threads where they are not: one step
// of the history. The alignment follows.
func (s *Session) Anchor(x, y Target) {
	if x.Side == y.Side || !x.OK || !y.OK || s.state.Pair == nil {
		return
	}
	a, p, dropped := anchorOf(x, y), s.state.Pair, 0
	repaired := p.Partner(pair.A, a.Threads.A) != a.Threads.B
	if repaired {
		p = p.Repair(a.Threads.A, a.Threads.B)
	}
	s.change(func(st *State) {
		if repaired {
			dropped = st.repair(p, p.Of(pair.A, a.Threads.A))
		}
		st.Anchors = st.Anchors.with(a)
		st.Mark, st.Before = Target{}, Target{}
	})
	if text := "Aligned by hand: " + s.state.AnchorName(a); repaired {
		s.Say(text + "; their threads are now a pair" + alsoDropped(dropped))
	} else {
		s.Say(text)
	}
}

// AnchorName names both calls of an anchor.
func (st *State) AnchorName(x align.Anchor) string {
	return st.FunctionName(AnchorEnd(x, pair.A)) + " in A with " +
		st.FunctionName(AnchorEnd(x, pair.B)) + " in B"
}

// FunctionName returns what a call calls.
func (st *State) FunctionName(t Target) string {
	th, i := st.Call(t)
	return st.Sides[t.Side].Trace.FunctionOf(th, i).Name
}

// RemoveAnchor takes an anchor back.
func (s *Session) RemoveAnchor(x align.Anchor) {
	s.change(func(st *State) {
		st.Anchors = st.Anchors.keep(func(y align.Anchor) bool { return y != x })
	})
}

// RemoveAnchors takes all anchors back.
func (s *Session) RemoveAnchors() {
	if s.state.Anchors != nil {
		s.change(func(st *State) { st.Anchors = nil })
	}
}

// rebind drops the anchors whose threads are no longer a pair, and returns how many.
func (st *State) rebind() int {
	n := st.Anchors.Len()
	st.Anchors = st.Anchors.keep(func(x align.Anchor) bool {
		return x.Threads.A < len(st.Sides[pair.A].Trace.Threads) &&
			st.Pair.Partner(pair.A, x.Threads.A) == x.Threads.B
	})
	return n - st.Anchors.Len()
}

// tellDropped says that anchors were dropped with the pairs of their threads.
func (s *Session) tellDropped(n int) {
	if n > 0 {
		s.Say(counted(n, "anchor") + " dropped: the threads are no longer a pair")
	}
}

func alsoDropped(n int) string {
	if n == 0 {
		return ""
	}
	return ", and " + counted(n, "anchor") + " dropped whose threads are none any more"
}

// tellLeftOut says which of the anchors cannot hold.
func (s *Session) tellLeftOut() {
	st, n := &s.state, 0
	var first align.Anchor
	for _, x := range st.Anchors.All() {
		if st.Holding(x) == LeftOut {
			if n++; n == 1 {
				first = x
			}
		}
	}
	if n > 0 {
		s.Say("Left out, as it would cross an earlier anchor: " + st.AnchorName(first))
	}
}

// counted writes how many things there are: "no anchors", "1 anchor".
func counted(n int, what string) string {
	if n == 0 {
		return "no " + plural.Noun(n, what)
	}
	return plural.Of(n, what)
}
