package session

import (
	"slices"
	"strings"
	"testing"

	"diptych/internal/account/explain"
	"diptych/internal/align"
	"diptych/internal/align/finding"
	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// locked is a run of two threads of which the second waits so long for the first.
func locked(t *testing.T, ns int64) *trace.Trace {
	b := trace.NewBuilder("locked")
	fn := func(name string) trace.FuncID { return b.Function(trace.Function{Name: name}) }
	m, other := b.Object("m"), b.Object("other")
	first := b.Thread("first", -1)
	first.Complete(0, 20e6, fn("job"))
	first.Block(first.Complete(20e6, 20e6, fn("pthread_mutex_unlock")), trace.Release, m)
	second := b.Thread("second", -1)
	second.Block(second.Complete(0, ns, fn("pthread_mutex_lock")), trace.Wait, m)
	second.Complete(ns, ns+20e6, fn("job"))
	second.Block(second.Complete(ns+20e6, ns+21e6, fn("pthread_mutex_lock")), trace.Wait, other)
	return testtrace.Build(t, b)
}

// TestDifferenceIsThatOfTheReport holds that the session finds what a report of the same pair does,
// also when the sides are exchanged.
func TestDifferenceIsThatOfTheReport(t *testing.T) {
	s := New(func() {})
	sides := [2]*trace.Trace{locked(t, 0), locked(t, 20e6)}
	for side, tr := range sides {
		s.Put(pair.Side(side), "locked", tr)
	}
	if s.State().Difference() != nil {
		t.Error("a difference is told before it is known")
	}
	for range 2 {
		s.Settle(t.Context())
		p := pair.New(sides[pair.A], sides[pair.B], pair.Rules{})
		rs, err := align.All(t.Context(), p, p.Threads, align.Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := explain.Compare(t.Context(), p, rs, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := s.State().Difference()
		if got == nil || !slices.Equal(texts(got), texts(want)) || !slices.Equal(got.Opening(), want.Opening()) {
			t.Fatalf("the session tells %+v, a report %q", got, texts(want))
		}
		s.Swap()
		if s.State().Difference() != nil {
			t.Error("what was told of other sides is still told")
		}
		sides[0], sides[1] = sides[1], sides[0]
	}
}

func texts(d *explain.Difference) (list []string) {
	for i := range d.Findings {
		elapsed, work := d.Owns(&d.Findings[i])
		list = append(list, strings.Join([]string{d.Findings[i].Text, elapsed, work}, "|"))
	}
	return list
}

// TestGoToAWait holds that a finding about waiting leads to the longest wait for its object, in the
// view of threads, and that this is one step of the history.
func TestGoToAWait(t *testing.T) {
	s := New(func() {})
	s.Put(pair.A, "a", locked(t, 0))
	s.Put(pair.B, "b", locked(t, 20e6))
	s.Settle(t.Context())
	list := s.State().Difference().Findings
	i := slices.IndexFunc(list, func(f explain.Finding) bool { return f.Kind == "wait" })
	if i < 0 || !Places(&list[i]) {
		t.Fatalf("no finding about waiting in %+v", list)
	}
	s.GoTo(&list[i])
	s.Settle(t.Context())
	st := s.State()
	if st.View != Threads || !st.Selected.OK || st.Selected.Side != pair.B {
		t.Fatalf("%s shows %+v", st.View, st.Selected)
	}
	if th, c := st.Call(st.Selected); th.Dur(c) != 20e6 {
		t.Errorf("the wait that is selected takes %d ns", th.Dur(c))
	}
	s.Back()
	if s.State().View != Matches {
		t.Error("a step back leads to", s.State().View)
	}
}

// TestGoToPlacesOnDifferentThreads holds that a finding whose examples are on threads that are no pair
// shows the one on the side with more calls, and of the other side what its partner thread does there.
func TestGoToPlacesOnDifferentThreads(t *testing.T) {
	s := New(func() {})
	ranks := func(late int64, sends int) *trace.Trace {
		b := trace.NewBuilder("ranks")
		step := b.Function(trace.Function{Name: "step"})
		send := b.Function(trace.Function{Name: "send"})
		for rank := range int64(2) {
			th := b.Thread([]string{"zero", "one"}[rank], -1)
			at := rank * late
			for range 20 {
				th.Complete(at, at+1e6, step)
				at += 1e6
			}
			for range sends {
				th.Complete(at, at+1e6, send)
				at += 1e6
			}
		}
		return testtrace.Build(t, b)
	}
	s.Put(pair.A, "a", ranks(200e6, 1))
	s.Put(pair.B, "b", ranks(500e6, 3))
	s.Settle(t.Context())
	f := &explain.Finding{Kind: "repeat", Function: "send", Calls: [2]int64{2, 6}, DeltaNs: 4e6,
		At: [2]*finding.Place{{Thread: 0, Call: 20}, {Thread: 1, Call: 22}}}
	s.GoTo(f)
	s.Settle(t.Context())
	st := s.State()
	if want := (Target{Side: pair.B, Ref: trace.CallRef{Thread: 1, Call: 22}, OK: true}); st.Selected != want ||
		!slices.Equal(st.Tracks[pair.A], []int{1}) || !slices.Equal(st.Tracks[pair.B], []int{1}) {
		t.Fatalf("%+v is selected, of threads %v", st.Selected, st.Tracks)
	}
	// B's third send lies 22 ms after rank 1 began, which in A is at 200 ms.
	if a := st.Sides[pair.A].Focus; !a.Contains(220.5e6) {
		t.Errorf("A shows %v, where its thread does nothing", a)
	}
	slower := *f
	slower.Kind = "slower" // both sides make the call, but one pair of threads has one of the two
	if s.GoTo(&slower); s.State().Selected != st.Selected {
		t.Errorf("%+v is selected of a finding on threads that are no pair", s.State().Selected)
	}
	slower.At[pair.A] = &finding.Place{Thread: 1, Call: 20}
	if s.GoTo(&slower); s.State().Selected.Side != pair.A {
		t.Errorf("%+v is selected of a finding on threads that are a pair", s.State().Selected)
	}
	s.ShowProcess(true)
	s.GoTo(f)
	if sel := s.State().Selected; sel.Side != pair.B || sel.Ref.Call != 22 {
		t.Errorf("of all threads %+v is selected, not the call that A lacks", sel)
	}
	f.Kind, f.At[pair.A].Call = "slower", 3 // both sides make the call, so each shows its own
	s.GoTo(f)
	if sel := s.State().Selected; sel.Side != pair.A || sel.Ref.Call != 3 {
		t.Errorf("of all threads %+v is selected", sel)
	}
	if a, b := s.State().Sides[pair.A].Focus, s.State().Sides[pair.B].Focus; a.Len() != b.Len() ||
		a.Len() > 25e6 || !a.Contains(3.5e6) || !b.Contains(522.5e6) {
		t.Errorf("A shows %v, B %v", a, b)
	}
	if sought := s.Sought(); !sought[pair.A].OK || !sought[pair.B].OK || s.Sought() != [2]Target{} {
		t.Errorf("views are to scroll to %v", sought)
	}
}

// TestExplainingIsCancelled holds that the job can be cancelled, and that nothing is told then.
func TestExplainingIsCancelled(t *testing.T) {
	s := New(func() {})
	s.Put(pair.A, "a", locked(t, 0))
	s.Put(pair.B, "b", locked(t, 20e6))
	drainUntil(t, s, func() bool { return s.job(difference.Slot) != nil })
	s.Cancel(s.job(difference.Slot))
	s.Settle(t.Context())
	if s.State().Difference() != nil {
		t.Error("what was cancelled is told")
	}
}
