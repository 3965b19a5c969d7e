package session

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// checkPanes holds what is true of the panes after any change.
func checkPanes(t interface{ Fatalf(string, ...any) }, s *Session) {
	st := s.State()
	ids := st.Layout.Panes()
	if len(ids) == 0 || len(ids) > MostPanes || len(ids) != len(st.panes) {
		t.Fatalf("the layout has panes %v, the state %d", ids, len(st.panes))
	}
	if st.ID != st.Active || !slices.Contains(ids, st.Active) {
		t.Fatalf("seen from pane %d, active is %d of %v", st.ID, st.Active, ids)
	}
	for _, id := range ids {
		p := st.From(id)
		if p.ID != id {
			t.Fatalf("pane %d cannot be entered", id)
		}
		if p.Found != nil && p.Found.of != p.subject() {
			t.Fatalf("pane %d shows what was found for other threads", id)
		}
	}
}

// checkCompared holds what is true of the panes once nothing is under way: what a view compares is
// there, whichever way led to it.
func checkCompared(t interface{ Fatalf(string, ...any) }, s *Session) {
	st := s.State()
	for _, id := range st.Layout.Panes() {
		p := st.From(id)
		if p.subject() == (subject{}) || p.kinds[p.View].Unmatched {
			continue
		}
		if f := p.Found; f == nil || f.both() && f.Ladder == nil {
			t.Fatalf("pane %d shows %s and nothing was found for it", id, p.View)
		}
	}
}

// TestPanesStayWhole does to the panes whatever can be done, in any order.
func TestPanesStayWhole(t *testing.T) {
	testtrace.Checks(t, 10) // each of which computes and compares again and again
	rapid.Check(t, func(t *rapid.T) {
		s := New(func() {})
		s.Put(pair.A, "a", grown2(1))
		s.Put(pair.B, "b", grown2(2))
		s.Settle(context.Background())
		view := rapid.SampledFrom([]View{Matches, Alignment, Threads, "other"})
		t.Repeat(map[string]func(*rapid.T){
			"split":    func(t *rapid.T) { s.SplitPane(view.Draw(t, "view"), rapid.Bool().Draw(t, "down")) },
			"close":    func(t *rapid.T) { s.ClosePane() },
			"only":     func(t *rapid.T) { s.OnlyPane() },
			"exchange": func(t *rapid.T) { s.ExchangePanes() },
			"step":     func(t *rapid.T) { s.StepPane(rapid.SampledFrom([]int{-1, 1}).Draw(t, "by")) },
			"view":     func(t *rapid.T) { s.SetView(view.Draw(t, "view")) },
			"threads":  func(t *rapid.T) { s.StepPair(1) },
			"process":  func(t *rapid.T) { s.ShowProcess(rapid.Bool().Draw(t, "all")) },
			"resize":   func(t *rapid.T) { s.ResizePanes(0, rapid.Float32Range(-1, 2).Draw(t, "share")) },
			"swap":     func(t *rapid.T) { s.Swap() },
			"back":     func(t *rapid.T) { s.Back() },
			"forward":  func(t *rapid.T) { s.Forward() },
			"within": func(t *rapid.T) {
				ids := s.State().Layout.Panes()
				s.In(rapid.SampledFrom(ids).Draw(t, "pane"), func() {
					switch rapid.IntRange(0, 3).Draw(t, "what") {
					case 0:
						s.Activate(s.State().ID)
					case 1:
						s.Activate(s.State().ID)
						s.ClosePane()
					case 2:
						s.SetView(view.Draw(t, "view"))
					case 3:
						s.StepPair(1)
					}
				})
			},
			"settle": func(t *rapid.T) {
				s.Settle(context.Background())
				checkCompared(t, s)
			},
			"": func(t *rapid.T) { checkPanes(t, s) },
		})
	})
}

// TestPanesExchange: the active pane changes places with the next one, the last with the first, and
// one alone stays as it is.
func TestPanesExchange(t *testing.T) {
	s := New(func() {})
	rev := s.State().Rev
	if s.ExchangePanes(); s.State().Rev != rev {
		t.Error("a pane alone is exchanged")
	}
	s.ShowPanes(&Split{Share: .5, Parts: [2]*Split{{Pane: 0}, {Pane: 1}}}, []View{Matches, Alignment})
	for _, want := range [][]PaneID{{1, 0}, {0, 1}} {
		s.ExchangePanes()
		if got := s.State().Layout.Panes(); !slices.Equal(got, want) {
			t.Errorf("the panes are %v, not %v", got, want)
		}
	}
}

// TestFourPanes moves the divider of each of two stacks of panes, and closes panes: the one before
// becomes active, of the first the one behind it.
func TestFourPanes(t *testing.T) {
	s := New(func() {})
	stack := func(first PaneID) *Split {
		return &Split{Share: .5, Parts: [2]*Split{{Pane: first}, {Pane: first + 1}}}
	}
	s.ShowPanes(&Split{Share: .5, Parts: [2]*Split{stack(0), stack(2)}},
		[]View{Matches, Alignment, Threads, Matches})
	s.ResizePanes(1, .3)
	s.ResizePanes(2, .7)
	if l := s.State().Layout; l.Share != .5 || l.Parts[0].Share != .3 || l.Parts[1].Share != .7 {
		t.Errorf("the shares are %v, %v and %v", l.Share, l.Parts[0].Share, l.Parts[1].Share)
	}
	for _, c := range [][2]PaneID{{3, 2}, {0, 1}} {
		s.Activate(c[0])
		if s.ClosePane(); s.State().Active != c[1] {
			t.Errorf("after pane %d, pane %d is active, not %d", c[0], s.State().Active, c[1])
		}
	}
}

// TestBothSidesAreBusyAtFirst: a thread of many calls that its partner in the other trace lacks is
// not the one that is shown first.
func TestBothSidesAreBusyAtFirst(t *testing.T) {
	run := func(calls map[string]int) *trace.Trace {
		b := trace.NewBuilder("test")
		fn, process := b.Function(trace.Function{Name: "f"}), b.Process("p")
		for _, id := range []string{"1", "2", "3"} {
			th := b.Thread(id, process)
			for i := range int64(calls[id]) {
				th.Begin(2*i, fn)
				th.End(2*i + 1)
			}
		}
		tr, err := b.Build(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	s := New(func() {})
	s.Put(pair.A, "a", run(map[string]int{"1": 3, "2": 40, "3": 30}))
	s.Put(pair.B, "b", run(map[string]int{"1": 400, "2": 41, "3": 30}))
	s.Settle(context.Background())
	st := s.State()
	if th := st.Sides[pair.A].Trace.Threads[st.Pair.Threads[st.Current].On(pair.A)]; th.ID != "2" {
		t.Errorf("thread %s is shown", th.ID)
	}
}

// TestPanesShareTimeAndNotThreads: what is brushed and which time is seen is one for all panes; which
// threads they show is not.
func TestPanesShareTimeAndNotThreads(t *testing.T) {
	s := compared(t)
	first := s.State().Active
	s.SplitPane(Matches, false)
	second := s.State().Active
	s.StepPair(1)
	s.Settle(context.Background())
	st := s.State()
	a, b := st.From(first), st.From(second)
	if a.Current == b.Current {
		t.Error("both panes show the same threads")
	}
	if a.Found == nil || b.Found == nil || a.Found == b.Found || a.Found.Ladder == nil || b.Found.Ladder == nil {
		t.Errorf("found are %p and %p", a.Found, b.Found)
	}
	s.SetFocus(pair.A, geom.Span{Start: 10, End: 500})
	s.SetHover(Target{Side: pair.A, OK: true})
	for _, id := range []PaneID{first, second} {
		p := s.State().From(id)
		if p.Sides[pair.A].Focus != s.State().Sides[pair.A].Focus || !p.Hover.OK {
			t.Error("panes do not share time and hover")
		}
	}
	s.In(first, func() { s.Scroll(pair.A, 7) })
	if st := s.State(); st.Scroll[pair.A] != 0 || st.From(first).Scroll[pair.A] != 7 {
		t.Error("acting in a pane acts in another one")
	}
}

// TestPanesWithTheSameThreadsShareWhatIsFound: nothing is computed twice.
func TestPanesWithTheSameThreadsShareWhatIsFound(t *testing.T) {
	s := compared(t)
	first := s.State().Active
	s.SplitPane(Matches, true)
	if n := len(s.Jobs()); n != 0 {
		t.Errorf("%d jobs run for a second pane of the same", n)
	}
	if st := s.State(); st.Found == nil || st.Found != st.From(first).Found {
		t.Error("the panes do not share what was found")
	}
}

// TestHistoryKnowsTheLayout: splitting and closing are steps to walk back and forth.
func TestHistoryKnowsTheLayout(t *testing.T) {
	s := compared(t)
	s.SplitPane(Alignment, false)
	s.Settle(context.Background())
	s.SplitPane(Threads, true)
	s.Settle(context.Background())
	three := s.State().Layout
	s.OnlyPane()
	if n := len(s.State().Layout.Panes()); n != 1 {
		t.Fatalf("%d panes", n)
	}
	s.Back()
	checkPanes(t, s)
	if st := s.State(); st.Layout != three || st.View != Threads {
		t.Errorf("back at %v in %s", st.Layout.Panes(), st.View)
	}
	s.Back()
	s.Back()
	checkPanes(t, s)
	if st := s.State(); len(st.Layout.Panes()) != 1 || st.View != Matches {
		t.Errorf("back at %v in %s", st.Layout.Panes(), st.View)
	}
	s.Forward()
	s.Settle(context.Background())
	if st := s.State(); len(st.Layout.Panes()) != 2 || st.Shown() == nil {
		t.Errorf("forward at %v, laid out %v", st.Layout.Panes(), st.Shown())
	}
}

// TestBackKeepsWhatWasFound: the way back and forth compares nothing anew, since what was found for
// the threads that are shown does not depend on the view.
func TestBackKeepsWhatWasFound(t *testing.T) {
	s := compared(t)
	s.SetView(Alignment)
	s.Settle(context.Background())
	g := s.State().Found.Graph
	for range 2 {
		s.Back()
		checkCompared(t, s)
		s.Forward()
		checkCompared(t, s)
	}
	if s.State().Found.Graph != g {
		t.Error("compared anew")
	}
}

// kept is what a view made up for tests keeps.
type kept struct {
	n       int
	renewed *pair.Pair
}

func (k *kept) Renew(_, p *pair.Pair) Own { return &kept{k.n, p} }
func (k *kept) SameStep(other Own) bool   { return true }
func (k *kept) Save(*State) any           { return k.n }
func (k *kept) Open(_ *State, from Kept) (Own, int, error) {
	now := &kept{}
	return now, 0, from.Into(&now.n)
}

// TestNothingIsUnderThePointerInANewView: the view that was left cannot say any more that the pointer
// has left its call, and not every view has calls.
func TestNothingIsUnderThePointerInANewView(t *testing.T) {
	s := compared(t)
	s.SetHover(s.first())
	s.SetView("own")
	if h := s.State().Hover; h.OK {
		t.Errorf("under the pointer is %+v", h)
	}
}

// TestViewsKeepTheirOwn: what a view keeps is fresh in a new pane, is found again on the way back, is
// renewed with the pairing, and ends with the traces.
func TestViewsKeepTheirOwn(t *testing.T) {
	s := compared(t)
	s.Register(Kind{View: "own", Fresh: func() Own { return &kept{} }})
	n := func() int { return s.State().OwnOf("own").(*kept).n }
	s.SetView("own")
	if n() != 0 {
		t.Error("not fresh")
	}
	s.SetOwn("own", &kept{n: 1})
	s.history.last = s.now().Add(-stepTime * 2)
	s.SetOwn("own", &kept{n: 2})
	s.Back()
	if n() != 1 {
		t.Errorf("back at %d", n())
	}
	s.Forward()
	if n() != 2 {
		t.Errorf("forward at %d", n())
	}
	s.Swap()
	s.Settle(context.Background())
	if k := s.State().OwnOf("own").(*kept); k.n != 2 || k.renewed != s.State().Pair {
		t.Errorf("after swapping the sides it is %+v", k)
	}
	s.Close()
	if n() != 0 || s.State().View != "own" {
		t.Error("closing the traces does not end it, or changes the view")
	}
}

// TestResultsFollowTheirKeys: a view's want is found for its key, and again when the key changes.
func TestResultsFollowTheirKeys(t *testing.T) {
	asked := 0
	double := &Result[int, int]{Slot: "double", Label: "Doubling",
		Key: func(st *State) (int, bool) { return st.Tau, st.Any() },
		Find: func(_ context.Context, tau int, _ progress.Func) (int, error) {
			asked++
			return 2 * tau, nil
		}}
	s := compared(t)
	s.Register(Kind{View: "double", Wants: []Wanted{double.Wanted()}})
	if _, ok := double.Of(s.State()); ok || asked != 0 {
		t.Error("found although no pane shows the view")
	}
	s.SetView("double")
	s.Settle(context.Background())
	for _, tau := range []int{30, 30, 40} {
		s.SetTau(tau)
		if r, ok := double.Of(s.State()); ok && r != 2*tau {
			t.Errorf("a result of another key is shown: %d", r)
		}
		s.Settle(context.Background())
		if r, ok := double.Of(s.State()); !ok || r != 2*tau {
			t.Errorf("at %d found %d, %v", tau, r, ok)
		}
	}
	if asked != 3 {
		t.Errorf("looked for %d times", asked)
	}
}
