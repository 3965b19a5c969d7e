package session

import (
	"context"
	"strings"
	"testing"

	"diptych/internal/align"
	"diptych/internal/geom"
	"diptych/internal/pair"
)

// callOf returns a call as a target.
func callOf(side pair.Side, thread, call int) Target {
	t := Target{Side: side, OK: true}
	t.Ref.Thread, t.Ref.Call = int32(thread), int32(call)
	return t
}

// strangers returns two roots of the threads shown that the alignment does not pair, and that may
// be paired: the first of each side's that has another partner.
func strangers(t *testing.T, s *Session) (a, b Target) {
	t.Helper()
	r := s.State().Aligned.Results[s.State().Current]
	var roots [2][]int
	for side, th := range r.Threads {
		th.Children(-1, func(i int) bool {
			roots[side] = append(roots[side], i)
			return true
		})
	}
	for _, i := range roots[pair.A] {
		for _, j := range roots[pair.B] {
			if r.Partner[pair.A][i] != int32(j) {
				return callOf(pair.A, r.Indices[pair.A], i), callOf(pair.B, r.Indices[pair.B], j)
			}
		}
	}
	t.Fatal("all roots are paired with all")
	return a, b
}

func settled(s *Session) { s.Settle(context.Background()) }

// TestAnchorIsAStep checks that an anchor pairs its calls, and that the history goes back to the
// alignment without it and forth again.
func TestAnchorIsAStep(t *testing.T) {
	s := compared(t)
	s.SetView(Alignment)
	settled(s)
	s.SetFocus(pair.A, geom.Span{Start: 10, End: 1000})
	a, b := strangers(t, s)
	s.Anchor(b, a)
	if st := s.State(); st.Shown() == nil {
		t.Error("the old alignment goes before the new one is there")
	} else if x, ok := st.AnchorOf(a); !ok || st.Holding(x) != Pending {
		t.Errorf("at once: an anchor %v, holding %v", ok, st.Holding(x))
	}
	settled(s)
	x, ok := s.State().AnchorOf(b)
	if !ok || x != anchorOf(a, b) || s.State().Holding(x) != Held || s.State().Partner(a) != b {
		t.Errorf("anchor %+v holds %v: %v", x, s.State().Holding(x), s.State().Partner(a))
	}
	if now := s.State().Shown(); now.Partner[pair.A][a.Ref.Call] != b.Ref.Call {
		t.Error("the alignment that is shown is the old one")
	}
	s.Back()
	settled(s)
	if s.State().Anchors.Len() != 0 || s.State().Partner(a) == b {
		t.Error("the step back keeps the anchor")
	}
	if text, _ := s.Notice(); text != "With no anchors" {
		t.Errorf("the notice is %q", text)
	}
	s.Forward()
	settled(s)
	if s.State().Anchors.Len() != 1 || s.State().Partner(a) != b {
		t.Error("the step forth does not bring it back")
	}
	virtual := s.State().Virtual
	s.SetFocus(pair.A, geom.Span{Start: 100, End: 200})
	s.Back()
	settled(s)
	if got := s.State().Virtual; got != virtual {
		t.Errorf("a step back shows %v of virtual time instead of %v", got, virtual)
	}
	s.RemoveAnchor(x)
	settled(s)
	if s.State().Anchors != nil || s.State().Partner(a) == b {
		t.Error("the anchor stays")
	}
}

// TestAnchorsTakeEachOthersCalls checks that a call has one anchor, and that one that would cross
// another is left out and told of.
func TestAnchorsTakeEachOthersCalls(t *testing.T) {
	s := compared(t)
	a, b := strangers(t, s)
	s.Anchor(a, b)
	other := b
	other.Ref.Call = 0
	if other == b {
		other.Ref.Call = int32(s.State().Sides[pair.B].Trace.Threads[b.Ref.Thread].Size(0))
	}
	s.Anchor(a, other)
	if all := s.State().Anchors.All(); len(all) != 1 || all[0] != anchorOf(a, other) {
		t.Errorf("anchors are %+v", all)
	}
	last := func(side pair.Side) Target {
		th := s.State().Sides[side].Trace.Threads[0]
		i := th.Len() - 1
		for th.Parent(i) >= 0 {
			i = int(th.Parent(i))
		}
		return callOf(side, 0, i)
	}
	s.RemoveAnchors()
	s.Anchor(callOf(pair.A, 0, 0), last(pair.B))
	s.Anchor(last(pair.A), callOf(pair.B, 0, 0))
	settled(s)
	all := s.State().Anchors.All()
	if len(all) != 2 || s.State().Holding(all[0]) != Held || s.State().Holding(all[1]) != LeftOut {
		t.Fatalf("%d anchors, not one that holds and one that is left out", len(all))
	}
	if text, _ := s.Notice(); !strings.HasPrefix(text, "Left out") {
		t.Errorf("the notice is %q", text)
	}
	s.RemoveAnchor(all[0])
	settled(s)
	if s.State().Holding(all[1]) != Held {
		t.Error("what crossed it is still left out")
	}
}

// TestAnchorPairsThreads checks that an anchor makes a pair of its threads in the same step, and
// that other pairs take along the anchors of their own.
func TestAnchorPairsThreads(t *testing.T) {
	s := compared(t)
	first := s.State().Pair
	s.Anchor(callOf(pair.A, 1, 0), callOf(pair.B, 1, 0))
	settled(s)
	s.Anchor(callOf(pair.A, 0, 0), callOf(pair.B, 1, 0)) // takes the call of the first
	settled(s)
	st := s.State()
	if st.Anchors.Len() != 1 || st.Pair.Partner(pair.A, 0) != 1 || st.Pair.Partner(pair.A, 1) != -1 {
		t.Fatalf("%d anchors with threads %v", st.Anchors.Len(), st.Pair.Threads)
	}
	if st.Tracks[pair.A][0] != 0 || st.Tracks[pair.B][0] != 1 {
		t.Error("the new pair is not shown")
	}
	if st.Holding(st.Anchors.All()[0]) != Held {
		t.Error("it does not hold")
	}
	s.Repair(0, 0)
	if text, _ := s.Notice(); s.State().Anchors != nil || !strings.HasPrefix(text, "1 anchor dropped") {
		t.Errorf("%d anchors are left; the notice is %q", s.State().Anchors.Len(), text)
	}
	s.Back()
	s.Back()
	s.Back()
	settled(s)
	if s.State().Pair != first || s.State().Anchors != nil || s.State().Aligned.Pair != first {
		t.Error("three steps back do not lead to the first pairing")
	}
}

// TestAnchorsFollowTheTraces checks that anchors change sides with their traces and go with them.
func TestAnchorsFollowTheTraces(t *testing.T) {
	s := compared(t)
	a, b := strangers(t, s)
	s.Anchor(a, b)
	settled(s)
	s.Swap()
	settled(s)
	all := s.State().Anchors.All()
	if len(all) != 1 || all[0].Calls != [2]int32{b.Ref.Call, a.Ref.Call} ||
		s.State().Holding(all[0]) != Held {
		t.Errorf("swapped: %+v", all)
	}
	s.Put(pair.B, "b", grown(t, 3, 300))
	settled(s)
	if s.State().Anchors != nil {
		t.Error("anchors outlive their trace")
	}
}

// TestAlignHere checks what one press does, by what is selected and marked.
func TestAlignHere(t *testing.T) {
	s := compared(t)
	a, b := strangers(t, s)
	s.AlignHere()
	if s.State().Mark.OK {
		t.Error("nothing was marked")
	}
	s.Select(a)
	s.AlignHere()
	if s.State().Mark != a {
		t.Fatal("the call is not marked")
	}
	s.AlignHere()
	if s.State().Mark.OK {
		t.Error("a second press does not unmark it")
	}
	s.AlignHere()
	s.Select(Target{}) // what is marked stays without a selection
	s.Select(b)
	if s.State().Mate() != a {
		t.Fatal("the marked call is no mate")
	}
	s.AlignHere()
	if st := s.State(); st.Anchors.Len() != 1 || st.Mark.OK || st.Mate().OK {
		t.Errorf("%d anchors, mark %v", st.Anchors.Len(), st.Mark)
	}

	settled(s)
	s.Select(a)
	if s.State().Mate().OK {
		t.Error("a call that has been aligned by hand is offered again")
	}

	s.RemoveAnchors()
	settled(s)
	s.Select(Target{})
	s.Select(a)
	s.Select(b)
	s.SelectRelative(CallAfter) // adjusts the choice
	s.AlignHere()
	if st := s.State(); st.Anchors.Len() != 1 || anchorOf(a, st.Selected) != st.Anchors.All()[0] {
		t.Error("two selected calls do not become an anchor")
	}

	s.RemoveAnchors()
	settled(s)
	partner := s.State().Partner(a)
	for i := int32(0); !partner.OK; i++ {
		a.Ref.Call = i
		partner = s.State().Partner(a)
	}
	s.Select(partner)
	s.Select(a)
	s.AlignHere()
	if s.State().Mark != a {
		t.Error("partners selected after each other are no choice of two calls")
	}
}

// TestMirroredAnchors checks that exchanging sides twice changes nothing.
func TestMirroredAnchors(t *testing.T) {
	x := align.Anchor{Threads: pair.ThreadPair{A: 1, B: 2}, Calls: [2]int32{3, 4}}
	m := (*Anchors)(nil).with(x).mirrored()
	want := align.Anchor{Threads: pair.ThreadPair{A: 2, B: 1}, Calls: [2]int32{4, 3}}
	if m.All()[0] != want {
		t.Errorf("mirrored is %+v", m.All()[0])
	}
	if m.mirrored().All()[0] != x {
		t.Error("mirrored twice is another")
	}
}
