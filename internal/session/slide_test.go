package session

import (
	"context"
	"math"
	"strings"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// alike returns a settled session with the same small trace on both sides.
func alike(t testing.TB) *Session {
	t.Helper()
	s := New(func() {})
	s.Put(pair.A, "a", small(t, 0))
	s.Put(pair.B, "b", small(t, 0))
	s.Settle(context.Background())
	return s
}

// onA is a call of A's only thread.
func onA(call int32) Target {
	return Target{Side: pair.A, Ref: trace.CallRef{Call: call}, OK: true}
}

func TestAlignPutsTheMatchAcross(t *testing.T) {
	s := alike(t)
	a, b := geom.Span{Start: 250, End: 450}, geom.Span{Start: 200, End: 700}
	s.SetFocus(pair.A, a)
	s.SetFocus(pair.B, b)
	s.Settle(context.Background())
	s.AlignTo(onA(2)) // g starts at 300, a quarter of the way
	s.Settle(context.Background())
	st := s.State()
	if got, want := st.Sides[pair.B].Focus, (geom.Span{Start: 175, End: 675}); got != want {
		t.Errorf("B shows %v, want %v", got, want)
	}
	if st.Sides[pair.A].Focus != a {
		t.Errorf("A shows %v now", st.Sides[pair.A].Focus)
	}
}

// TestClicksGoThroughTheBestMatches: asked again for the same call, the other side slides to the next
// best match, and after the last one to the first. The tooltip lists them in the same order.
func TestClicksGoThroughTheBestMatches(t *testing.T) {
	s := compared(t)
	s.SetStill(true)
	s.SetTau(0)
	target, list := onA(0), []Ranked(nil)
	target.Ref.Thread = int32(s.State().Tracks[pair.A][0])
	for len(list) < 2 || !list[0].Rank.Aligned {
		if target.Ref.Call++; target.Ref.Call > 60 {
			t.Fatal("no call has an aligned match and another")
		}
		s.SetHover(target)
		s.Settle(t.Context())
		list = s.State().Found.Lit.Best
	}
	if list[0].Target != s.state.Partner(target) {
		t.Errorf("the best match is %v, aligned is %v", list[0], s.state.Partner(target))
	}
	for k := range len(list) + 1 {
		s.AlignTo(target)
		s.Settle(t.Context())
		want := list[k%len(list)].Target
		if at := s.slid.list[s.slid.at].Target; at != want {
			t.Errorf("click %d slides to %v, want %v", k+1, at, want)
		}
		if n, _ := s.Notice(); k > 0 && k < len(list) && !strings.Contains(n, s.state.FunctionName(want)) {
			t.Errorf("click %d says %q", k+1, n)
		}
	}
	s.SetTau(1)
	s.Settle(t.Context())
	if s.AlignTo(target); s.slid.at != 0 {
		t.Error("another τ goes on where the last one was")
	}
}

// Where nothing hinders it, what is clicked and its match start at the same share of the width, and
// the match is one.
func TestAlignOnGrownTraces(t *testing.T) {
	s := compared(t)
	s.SetStill(true)
	aligned := 0
	for i := range int32(60) {
		s.ShowAll()
		other := s.State().Sides[pair.B].Whole().Mid()
		s.SetFocus(pair.B, geom.Span{Start: other - 50, End: other + 50})
		s.Settle(context.Background())
		th := s.State().Tracks[pair.A][0]
		target := Target{Side: pair.A, Ref: trace.CallRef{Thread: int32(th), Call: i * 5}, OK: true}
		at := s.State().span(target).Start
		s.SetFocus(pair.A, geom.Span{Start: at - 10, End: at + 30})
		before := s.State()
		s.AlignTo(target)
		s.Settle(context.Background())
		after := s.State()
		f := after.Sides[pair.B].Focus
		if math.Abs(f.Len()-100) > 1e-6 {
			t.Fatalf("B is zoomed to %v", f)
		}
		if f == before.Sides[pair.B].Focus {
			continue
		}
		want := f.Start + f.Len()*share(at, after.Sides[pair.A].Focus)
		if s.startsAt(want) || f.Start < 1e-6 || f.End > after.Sides[pair.B].Whole().End-1e-6 {
			aligned++
			continue
		}
		t.Errorf("nothing starts across from call %d, at %v of %v", i*5, want, f)
	}
	if aligned < 20 {
		t.Errorf("only %d calls were aligned", aligned)
	}
}

// startsAt reports whether a call shown of B starts at the given time.
func (s *Session) startsAt(at float64) bool {
	for _, th := range s.state.Tracks[pair.B] {
		b := s.state.Sides[pair.B].Trace.Threads[th]
		for i := range b.Len() {
			if math.Abs(float64(b.Start(i))-at) < 1e-3 {
				return true
			}
		}
	}
	return false
}

func TestAlignSaysWhyNot(t *testing.T) {
	s := alike(t)
	before := s.State()
	s.SetLock(FromStart, pair.A)
	s.AlignTo(onA(1))
	if n, _ := s.Notice(); !strings.Contains(n, "locked") || len(s.Jobs()) != 0 {
		t.Errorf("locked: %q", n)
	}
	b := trace.NewBuilder("test")
	b.Thread("1", b.Process("p")).Complete(0, 10, b.Function(trace.Function{Name: "else"}))
	other, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	s.Put(pair.B, "b", other)
	s.Settle(context.Background())
	s.AlignTo(onA(1))
	s.Settle(context.Background())
	if n, _ := s.Notice(); n != "No match above τ = 0.20" {
		t.Errorf("without a match: %q", n)
	}
	if s.State().Sides[pair.A].Focus != before.Sides[pair.A].Focus || s.Animating() {
		t.Error("something moves")
	}
	s.AlignTo(Target{})
	s.AlignTo(Target{Side: pair.A, Ref: trace.CallRef{Thread: 0, Call: 2}})
	if len(s.Jobs()) != 0 {
		t.Error("nothing is aligned")
	}
}

func TestFocusGroupShowsBothRoots(t *testing.T) {
	s := compared(t)
	s.SetTau(80)
	s.Settle(context.Background())
	f := s.State().Found
	if len(f.Groups.List) < 3 {
		t.Fatalf("%d groups", len(f.Groups.List))
	}
	s.SetLock(Proportional, pair.A)
	s.FocusGroup(2)
	s.Settle(context.Background())
	st, root := s.State(), f.Groups.List[2].Group
	for side, call := range [2]int{root.A, root.B} {
		calls, shown := f.Graph.Sides[side], st.Sides[side].Focus
		thread, i := calls.At(call)
		start, end := float64(calls.Threads[thread].Start(i)), float64(calls.Threads[thread].End(i))
		most := end - start + max(0.2*(end-start), minFocus) + 1e-6
		if shown.Start > start || shown.End < end || shown.Len() > most {
			t.Errorf("side %d shows %v of [%v, %v]", side, shown, start, end)
		}
	}
	if want := f.target(pair.A, root.A); st.Selected != want || f.index(want) != root.A {
		t.Errorf("selected is %v, want %v", st.Selected, want)
	}
	s.FocusGroup(-1)
	s.FocusGroup(1 << 20)
	if s.Animating() {
		t.Error("a group that is not there is shown")
	}
	s.Back()
	if got := s.State().Sides[pair.A].Focus; got == st.Sides[pair.A].Focus {
		t.Error("the way back is lost")
	}
}

func TestTargetsAreIndicesOfTheScope(t *testing.T) {
	s := compared(t)
	for _, process := range []bool{false, true} {
		s.ShowProcess(process)
		s.Settle(context.Background())
		f := s.State().Found
		for _, side := range []pair.Side{pair.A, pair.B} {
			for i := range f.Graph.Sides[side].Len() {
				target := f.target(side, i)
				if f.index(target) != i {
					t.Fatalf("call %d of %v is %v with index %d", i, side, target, f.index(target))
				}
				if want := f.Graph.Sides[side].Calls.Start(i); s.State().span(target).Start != float64(want) {
					t.Fatalf("%v starts at %v", target, want)
				}
			}
		}
	}
	if f := s.State().Found; f.index(Target{}) != -1 {
		t.Error("no call has an index")
	}
}

// TestGroupListStaysWhileVisiting checks that one can go from group to group, and that moving on by
// other means lists the groups of what is then shown.
func TestGroupListStaysWhileVisiting(t *testing.T) {
	s := compared(t)
	list := s.state.Found.Groups.List
	if len(list) < 2 {
		t.Fatalf("%d groups", len(list))
	}
	for i := range 2 {
		s.FocusGroup(i)
		s.Settle(t.Context())
		if now := s.state.Found.Groups.List; len(now) != len(list) || now[0] != list[0] {
			t.Fatalf("visiting group %d changed the list", i)
		}
	}
	s.Pan(pair.A, 1000)
	s.Settle(t.Context())
	if of := s.state.Found.Groups.Of; of.Focus != s.state.foci() {
		t.Errorf("the list is of %v, shown is %v", of.Focus, s.state.foci())
	}
}

// TestVisitsLeaveOtherListsAlone: while a group of one pair of threads is visited, the groups of all
// threads are looked for all the same, and so are those of the pair afterwards.
func TestVisitsLeaveOtherListsAlone(t *testing.T) {
	s := compared(t)
	s.FocusGroup(1)
	s.Settle(t.Context())
	for range 2 {
		s.ShowProcess(!s.state.Process)
		s.Settle(t.Context())
		if g := &s.state.Found.Groups; len(g.List) == 0 || g.Of.Tau != s.state.Tau {
			t.Errorf("all threads %v: %d groups, of %v", s.state.Process, len(g.List), g.Of)
		}
	}
}
