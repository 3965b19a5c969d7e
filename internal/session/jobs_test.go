package session

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"diptych/internal/pair"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// TestAPanicInAJobIsAFault: the session goes on, and keeps the stack for the Problems.
func TestAPanicInAJobIsAFault(t *testing.T) {
	s := opened(t)
	s.start("test", "Trying", func(context.Context, *Job) func() { panic("what a pity") })
	s.Settle(context.Background())
	st := s.State()
	if len(st.Faults) != 1 || st.Faults[0].Label != "Trying" || st.Faults[0].Why != "what a pity" ||
		!strings.Contains(st.Faults[0].Stack, "TestAPanicInAJobIsAFault") {
		t.Errorf("faults are %+v", st.Faults)
	}
	if notice, _ := s.Notice(); !strings.Contains(notice, "Trying") {
		t.Errorf("the notice is %q", notice)
	}
	s.DismissFaults()
	if len(s.State().Faults) != 0 || len(s.Jobs()) != 0 {
		t.Error("it cannot be dismissed")
	}
}

// TestSwapLosesNoWork: counts that were being made are made, and a trace that was being loaded goes to
// the side that takes its place.
func TestSwapLosesNoWork(t *testing.T) {
	s := New(func() {})
	a, b := small(t, 0), small(t, 500)
	s.Put(pair.A, "a", a)
	s.Put(pair.B, "b", b)
	path := filepath.Join("../../testdata/chrome", "go-build-warm.json.gz")
	s.Open(pair.B, path, input.Options{})
	s.Swap()
	s.Settle(context.Background())
	st := s.State()
	if st.Sides[pair.B].Trace != a || st.Sides[pair.A].Path != path {
		t.Fatalf("A shows %s, B shows %s", st.Sides[pair.A].Path, st.Sides[pair.B].Path)
	}
	for side := range st.Sides {
		if st.Sides[side].Stats == nil {
			t.Errorf("the calls of %s are not counted", pair.Side(side))
		}
	}
	if st.Pair == nil || st.Pair.B != a {
		t.Error("the sides are not paired")
	}
}

// TestUnitsAreNotMixed: a profile in bytes is not compared with a trace in ns, and the state says why.
func TestUnitsAreNotMixed(t *testing.T) {
	s := New(func() {})
	s.Put(pair.A, "a", small(t, 0))
	bytes := *small(t, 0)
	bytes.Unit = trace.Unit("bytes")
	s.Put(pair.B, "b", &bytes)
	s.Settle(context.Background())
	if st := s.State(); st.Pair != nil || st.Apart == nil || st.Found != nil {
		t.Errorf("pair %v, apart %v", st.Pair, st.Apart)
	}
	before := s.State().Rev
	if s.Repair(0, 0); s.State().Pair != nil || s.State().Rev != before {
		t.Error("threads of sides that are not compared are paired by hand")
	}
	s.Put(pair.B, "b", small(t, 0))
	s.Settle(context.Background())
	if st := s.State(); st.Pair == nil || st.Apart != nil {
		t.Errorf("pair %v, apart %v", st.Pair, st.Apart)
	}
}

// TestChosenHitSurvivesTheCounts: counts that arrive sort the hits anew; the chosen one stays chosen.
func TestChosenHitSurvivesTheCounts(t *testing.T) {
	s := New(func() {})
	s.Put(pair.A, "a", small(t, 0))
	s.Find("")
	s.Choose(1) // f and g have no counts yet, so they are sorted by name
	name := s.State().Search.Hits[1].Name
	s.Settle(context.Background())
	se := s.State().Search
	if se.Hit < 0 || se.Hits[se.Hit].Name != name || se.Chosen[pair.A] == nil {
		t.Errorf("chosen is hit %d of %+v, want %q", se.Hit, se.Hits, name)
	}
}

// TestEveryChangeRaisesRev: what asks the engine anew is a change as well.
func TestEveryChangeRaisesRev(t *testing.T) {
	s := compared(t)
	for name, change := range map[string]func(){
		"compare": s.Compare,
		"bars":    func() { s.SetBars([2]int{33, 44}) },
	} {
		before := s.State().Rev
		if change(); s.State().Rev == before {
			t.Errorf("%s does not raise it", name)
		}
	}
}

// TestReadyHoldsResultsBack: a test can take them in any order.
func TestReadyHoldsResultsBack(t *testing.T) {
	s := New(func() {})
	s.Put(pair.A, "a", grown2(1))
	s.Put(pair.B, "b", grown2(2))
	for s.Ready(context.Background()) > 0 {
		s.Take(s.Ready(context.Background()) - 1)
	}
	if st := s.State(); st.Found == nil || st.Found.Ladder == nil || st.Aligned == nil || st.Aligned.Findings == nil {
		t.Error("something was never found")
	}
}

// TestEnd: the jobs that run hear of the end, and none begins after it.
func TestEnd(t *testing.T) {
	s := New(func() {})
	begun, heard := make(chan struct{}), make(chan struct{})
	s.start("test", "Waiting", func(ctx context.Context, _ *Job) func() {
		close(begun)
		<-ctx.Done()
		close(heard)
		return func() {}
	})
	<-begun
	s.End()
	<-heard
	s.start("test", "Beginning", func(context.Context, *Job) func() {
		t.Error("a job began")
		return func() {}
	})
	time.Sleep(10 * time.Millisecond)
}

// TestWastedWorkIsTold holds that the end of long work which was cancelled is told, and that of short
// work is not; and a trace that cannot be loaded.
func TestWastedWorkIsTold(t *testing.T) {
	told := make(chan bool, 1)
	s := New(func() {})
	s.Wasted = func() { told <- true }
	cancelled := func(began time.Time) {
		begun, ended := make(chan bool), make(chan bool)
		j := s.start("work", "Working", func(ctx context.Context, j *Job) func() {
			close(begun)
			<-ctx.Done()
			j.Started = began
			close(ended)
			return nil
		})
		<-begun
		s.Cancel(j)
		<-ended
	}
	cancelled(time.Now().Add(-longWork))
	<-told
	cancelled(time.Now().Add(time.Hour))
	s.Open(pair.A, "missing.json", input.Options{})
	s.Settle(context.Background())
	<-told
	if len(told) > 0 {
		t.Error("short work is told")
	}
}
