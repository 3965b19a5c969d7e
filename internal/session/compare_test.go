package session

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"diptych/internal/match"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/store"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

func TestSettledSessionHasFoundEverything(t *testing.T) {
	s := New(func() {})
	for i, file := range []string{"queue-1p3c.data.tar.gz", "queue-2p2c.data.tar.gz"} {
		path := filepath.Join("../../testdata/uftrace", file)
		tr, err := traceio.Load(context.Background(), path, input.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s.Put(pair.Side(i), path, tr)
	}
	s.SetBars([2]int{50, 70})
	s.Settle(context.Background())
	for _, process := range []bool{false, true} {
		was := s.State().Process
		s.ShowProcess(process)
		if was != process && s.State().Found != nil {
			t.Error("what was found for another scope stays")
		}
		s.SetHover(s.first())
		s.Settle(context.Background())
		s.checkFound(t)
	}
}

// first returns the first call shown of A.
func (s *Session) first() Target {
	th := s.state.Tracks[pair.A][0]
	return Target{Side: pair.A, Ref: trace.CallRef{Thread: int32(th)}, OK: true}
}

// checkFound holds what a settled session has found against the match engine.
func (s *Session) checkFound(t *testing.T) {
	t.Helper()
	ctx, st := context.Background(), s.State()
	f, tau := st.Found, match.Hundredths(st.Tau)
	if f == nil || f.Ladder == nil || f.Rung == nil {
		t.Fatalf("found %+v", f)
	}
	if of := st.subject(); f.Graph.Pair != of.pair || f.Graph.Scope != of.scope {
		t.Errorf("compared are %v", f.Graph.Scope)
	}
	r, err := f.Graph.Match(ctx, tau, nil)
	if err != nil {
		t.Fatal(err)
	}
	bars := [2]int{len(f.Rung.Bars[0]), len(f.Rung.Bars[1])}
	if r.Pairs != f.Rung.Pairs || bars != s.bars {
		t.Errorf("%d matches in %v bars, want %d in %v", f.Rung.Pairs, bars, r.Pairs, s.bars)
	}
	if st.Tab == GroupsTab {
		want, err := groupsOf(ctx, f.Graph, st.GroupsShown(), s.bars)
		if err != nil {
			t.Fatal(err)
		}
		if want.List, err = f.Graph.SumUp(ctx, tau, want.List); err != nil {
			t.Fatal(err)
		}
		want.Summed = true
		if d := cmp.Diff(want, f.Groups); d != "" {
			t.Errorf("groups: %s", d)
		}
	}
	lit := [2]int{len(f.Lit.Bars[0]), len(f.Lit.Bars[1])}
	if !st.Hover.OK && lit != [2]int{} || st.Hover.OK && (f.Lit.Of != st.Hover || lit != s.bars) {
		t.Errorf("%v bars are lit for %v", lit, f.Lit.Of)
	}
}

func TestTauMovesTheBarsAtOnceAndTheGroupsLater(t *testing.T) {
	s := compared(t)
	before, began := s.State(), time.Now()
	s.SetTau(63)
	st := s.State()
	if j := s.job(s.slotFor(groupsSlot)); j == nil || j.Started.Sub(began) < 300*time.Millisecond {
		t.Error("groups are looked for between the steps of a gesture")
	}
	if st.Found.Rung != st.Found.Ladder.At(63) || before.Found.Rung.Pairs != st.Found.Ladder.At(20).Pairs {
		t.Error("the bars are not those of the new τ, or the snapshot has changed")
	}
	if !st.Found.Groups.Busy || cmp.Diff(before.Found.Groups.List, st.Found.Groups.List) != "" {
		t.Error("the old groups do not stay meanwhile")
	}
	s.SetTau(64)
	s.SetTau(1000)
	if n := len(s.Jobs()); n != 2 || s.State().Tau != 99 {
		t.Errorf("%d jobs, τ %d", n, s.State().Tau)
	}
	s.Settle(context.Background())
	s.checkFound(t)
}

// TestDistancesComeWhenTauRests checks that they are measured for the τ that is shown, and that the
// ladder's own bars stay as they were.
func TestDistancesComeWhenTauRests(t *testing.T) {
	s := compared(t)
	for _, h := range []int{20, 70} {
		s.SetTau(h)
		s.Settle(context.Background())
		f, measured := s.State().Found, 0
		for side, bars := range f.Rung.Bars {
			for i, b := range bars {
				own := f.Ladder.At(h).Bars[side][i]
				if b.Distance > 0 {
					measured++
				}
				if b.Distance < math.Abs(b.Shift)*(1-1e-9) || own.Distance != 0 || b.Weight != own.Weight {
					t.Fatalf("τ %d: the bar is %+v, the ladder's %+v", h, b, own)
				}
			}
		}
		if measured == 0 {
			t.Errorf("τ %d: no distances", h)
		}
	}
}

func TestFocusRestartsTheGroups(t *testing.T) {
	s := compared(t)
	old := s.State().Found
	for range 30 {
		s.Zoom(pair.A, 1000, 0.9)
	}
	if len(s.Jobs()) != 1 || !s.State().Found.Groups.Busy || s.State().Found.Ladder != old.Ladder {
		t.Errorf("%d jobs", len(s.Jobs()))
	}
	s.Settle(context.Background())
	s.checkFound(t)
	if s.State().Found.Groups.Of == old.Groups.Of {
		t.Error("the groups are of the old focus")
	}
}

// classifier is Results with a Graph of its own.
type classifier struct {
	*store.Store
	graph func(ctx context.Context, p *pair.Pair, of match.Scope) (*match.Graph, error)
}

func (c classifier) Graph(ctx context.Context, p *pair.Pair, of match.Scope, _ progress.Func) (
	*match.Graph, bool, error) {
	g, err := c.graph(ctx, p, of)
	return g, true, err
}

func TestStaleResultsAreDropped(t *testing.T) {
	s := New(func() {})
	release := make(chan struct{})
	var blocked bool
	s.Store = classifier{nil, func(ctx context.Context, p *pair.Pair, of match.Scope) (
		*match.Graph, error) {
		if of.Process && !blocked {
			blocked = true // the first to ask for the process; what it is given comes too late
			<-release
		}
		return match.Classify(context.WithoutCancel(ctx), p, of, nil)
	}}
	s.Put(pair.A, "a", grown(t, 1, 200))
	s.Put(pair.B, "b", grown(t, 2, 200))
	s.Settle(context.Background())
	s.ShowProcess(true)
	s.ShowProcess(false)
	close(release)
	s.Settle(context.Background())
	s.checkFound(t)
	if s.State().Found.Graph.Scope.Process {
		t.Error("the stale comparison won")
	}
}

func TestHoverLightsBars(t *testing.T) {
	s := compared(t)
	s.SetHover(s.first())
	if s.State().Found.Lit.Of.OK {
		t.Error("bars are lit before they are known")
	}
	s.Settle(context.Background())
	s.checkFound(t)
	s.SetHover(Target{})
	if s.State().Found.Lit.Of.OK || len(s.Jobs()) != 0 {
		t.Error("bars stay lit when nothing is hovered")
	}
	foreign := s.first()
	foreign.Ref.Thread = 1 - foreign.Ref.Thread
	s.SetHover(foreign)
	if len(s.Jobs()) != 0 {
		t.Error("a call outside the scope is looked for")
	}
	s.SetView(Threads)
	s.Settle(context.Background())
	s.SetHover(s.first())
	if len(s.Jobs()) != 0 {
		t.Error("bars are looked for that no view shows")
	}
}

func TestBarsFollowTheWidth(t *testing.T) {
	s := compared(t)
	have := func() int { return len(s.State().Found.Rung.Bars[pair.A]) }
	waits := func() bool {
		return s.job(s.slotFor(barsSlot)) != nil && time.Until(s.job(s.slotFor(barsSlot)).Started) > 0
	}
	s.SetBars([2]int{usualBars + 10, usualBars})
	if !waits() {
		t.Error("a little more room is not waited for")
	}
	s.SetBars([2]int{2 * usualBars, usualBars})
	if waits() {
		t.Error("much more room is waited for")
	}
	s.SetBars([2]int{2*usualBars + 2, usualBars})
	drainUntil(t, s, func() bool { return have() == 2*usualBars })
	if !waits() {
		t.Error("the last change is forgotten")
	}
	s.Settle(context.Background())
	s.checkFound(t)
}

func TestFailureIsANotice(t *testing.T) {
	s := New(func() {})
	s.Store = classifier{nil, func(context.Context, *pair.Pair, match.Scope) (*match.Graph, error) {
		return nil, errors.New("out of luck")
	}}
	s.Put(pair.A, "a", small(t, 0))
	s.Put(pair.B, "b", small(t, 0))
	s.Settle(context.Background())
	if n, _ := s.Notice(); n != "out of luck" || s.State().Found != nil {
		t.Errorf("the notice is %q", n)
	}
}

func TestCancelIsQuietAboutWhatFollows(t *testing.T) {
	s := compared(t)
	s.SetTau(50)
	s.Cancel(s.job(s.slotFor(groupsSlot)))
	if s.State().Found.Groups.Busy || s.job(s.slotFor(groupsSlot)) != nil {
		t.Error("still looking for groups")
	}
	s.SetTau(40)
	s.Settle(context.Background())
	s.checkFound(t)
	s.notice = ""
	s.SetTau(30)
	s.Swap()
	if s.State().Found != nil {
		t.Error("what was found for the sides as they were stays")
	}
	s.Settle(context.Background())
	s.checkFound(t)
	s.SetTau(20)
	s.SetStyle(func(st *Style) { st.Band = 7 })
	s.Close()
	if st := s.State(); st.Found != nil || len(s.Jobs()) != 0 || st.Tau != 20 || st.Style.Band != 1 {
		t.Errorf("after closing: τ %d, %+v", st.Tau, st.Style)
	}
	if n, _ := s.Notice(); n != "" {
		t.Errorf("the notice is %q", n)
	}
}

func TestChurnLeavesNoGoroutines(t *testing.T) {
	s := compared(t)
	before := runtime.NumGoroutine()
	for i := range 200 {
		s.SetTau(i % 100)
		s.Pan(pair.A, float64(i))
		hover := s.first()
		hover.Ref.Call = int32(i % 10)
		s.SetHover(hover)
		s.SetBars([2]int{usualBars + i%20, usualBars})
	}
	s.stopAll()
	for range 1000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

func TestOneTraceIsSearchedForRepetitions(t *testing.T) {
	s := New(func() {})
	s.Put(pair.A, "a", grown(t, 1, 300))
	s.Settle(context.Background())
	f := s.State().Found
	if f == nil || f.Repeats[pair.A].Len() == 0 || f.Ladder != nil {
		t.Errorf("found %+v", f)
	}
	s.SetTau(50)
	s.AlignTo(s.first())
	s.FocusGroup(0)
	if len(s.Jobs()) != 0 {
		t.Error("a single trace is compared")
	}
}

// TestCompareAgainAfterCancelling checks that a cancelled comparison can be asked for anew.
func TestCompareAgainAfterCancelling(t *testing.T) {
	s := compared(t)
	s.ShowProcess(true)
	if !s.Comparing() {
		t.Fatal("the other threads are not compared")
	}
	s.CancelAll()
	if s.Comparing() || s.State().Found != nil {
		t.Fatal("cancelling leaves a comparison")
	}
	s.Compare()
	s.Settle(context.Background())
	s.checkFound(t)
}

// TestChosenCallIsLookedAt checks what is told about the selected call.
func TestChosenCallIsLookedAt(t *testing.T) {
	s := compared(t)
	s.Select(s.first())
	s.Settle(context.Background())
	f := s.State().Found
	c := f.Chosen
	if c == nil || c.Of != s.first() {
		t.Fatalf("looked at %+v", c)
	}
	if want := f.Graph.Call(match.Hundredths(20), pair.A, 0); c.Sums != want || want.Matches == 0 {
		t.Errorf("sums are %+v, want %+v", c.Sums, want)
	}
	if len(c.Best) == 0 || c.Best[0].Side != pair.B ||
		c.Best[0].Rank.S != f.Graph.Similarity(0, f.index(c.Best[0].Target)) {
		t.Errorf("the best matches are %+v", c.Best)
	}
	s.Select(Target{})
	s.Settle(context.Background())
	if s.State().Found.Chosen != nil {
		t.Error("something is told about no call")
	}
}
