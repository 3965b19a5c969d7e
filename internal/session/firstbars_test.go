package session

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"diptych/internal/match"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/testtrace"
)

// unhurried is a store whose ladders wait until they are let go.
type unhurried struct {
	Results
	let chan struct{}
}

func (u *unhurried) Ladder(ctx context.Context, g *match.Graph, bars [2]int, p progress.Func) (
	*match.Ladder, bool, error) {
	select {
	case <-u.let:
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
	return u.Results.Ladder(ctx, g, bars, p)
}

// sampling returns a session for which every pair is large, and how to let its ladders go.
func sampling(t testing.TB) (s *Session, let func()) {
	t.Helper()
	s = New(func() {})
	u := &unhurried{s.Store, make(chan struct{})}
	s.Store, s.sizes = u, sizes{}
	s.SetBars([2]int{12, 9})
	calls := testtrace.Sized(800, 2000)
	s.Put(pair.A, "a", grown(t, 1, calls))
	s.Put(pair.B, "b", grown(t, 2, calls))
	return s, func() { close(u.let) }
}

// next applies results until there is another sample than from, and returns it.
func (s *Session) next(t *testing.T, from *match.Sample) *match.Sample {
	t.Helper()
	of := func() *match.Sample { return s.state.sampleOf(s.state.subject()) }
	drainUntil(t, s, func() bool { return of() != from })
	return of()
}

// checkSampled holds what is shown against the sample: its bars, and nothing that is not exact.
func (s *Session) checkSampled(t *testing.T, sample *match.Sample) {
	t.Helper()
	st := s.State()
	bars, from := st.Bars()
	if from != sample || !reflect.DeepEqual(bars[pair.B], sample.Sides[pair.B].Bars) || len(bars[pair.A]) != s.bars[pair.A] {
		t.Fatalf("the bars are of sample %p, want %p", from, sample)
	}
	if f := st.Found; f != nil && (f.Ladder != nil || f.Rung != nil || len(f.Groups.List) > 0) {
		t.Fatal("something is exact beside a sample")
	}
	if bars, from := st.Final().Bars(); bars[0] != nil || from != nil {
		t.Fatal("what is known for now only counts as final")
	}
}

// checkEnd holds that the exact result takes the place of the samples, and is the same as without
// them.
func (s *Session) checkEnd(t *testing.T) {
	t.Helper()
	drainUntil(t, s, func() bool { return s.state.Found != nil && s.state.Found.Rung != nil })
	s.Settle(context.Background())
	s.checkFound(t)
	st := s.State()
	if _, from := st.Bars(); from != nil || len(st.samples) > 0 {
		t.Error("a sample stays beside the ladder")
	}
	plain := New(func() {})
	plain.SetBars(s.bars)
	for side := range st.Sides {
		plain.Put(pair.Side(side), "", st.Sides[side].Trace)
	}
	plain.SetTau(st.Tau)
	plain.ShowProcess(st.Process)
	plain.Settle(context.Background())
	if !reflect.DeepEqual(plain.State().Found.Ladder, st.Found.Ladder) {
		t.Error("the ladder is another than without samples")
	}
}

func TestFirstBarsAreRefinedUntilTheLadderIsThere(t *testing.T) {
	s, let := sampling(t)
	var sample *match.Sample
	for sample == nil || !sample.Complete() {
		was := sample
		sample = s.next(t, was)
		if s.checkSampled(t, sample); !sample.Whole() || was != nil && sample.Share() < was.Share() {
			t.Fatalf("%v of the calls after %v", sample.Share(), was.Share())
		}
	}
	s.SetHover(s.first())
	if s.job(sampleSlot+s.inquiries[0].in.name) != nil {
		t.Error("a complete sample is refined")
	}
	let()
	s.checkEnd(t)
}

// TestLeadThreadsComeFirst: where all threads are compared, a pair of threads is there before all
// of them are.
func TestLeadThreadsComeFirst(t *testing.T) {
	s, let := sampling(t)
	s.ShowProcess(true)
	sample := s.next(t, nil)
	if s.checkSampled(t, sample); sample.Whole() || s.State().Found != nil {
		t.Fatalf("the first sample has all threads: %v", sample.Graph().Scope)
	}
	for !sample.Whole() {
		sample = s.next(t, sample)
		s.checkSampled(t, sample)
	}
	let()
	s.checkEnd(t)
}

// TestSampleFollowsTau: bars of another τ are never shown.
func TestSampleFollowsTau(t *testing.T) {
	s, let := sampling(t)
	first := s.next(t, nil)
	s.SetTau(55)
	if bars, from := s.State().Bars(); bars[0] != nil || from != nil {
		t.Error("the bars of another τ are shown")
	}
	second := s.next(t, first)
	for second.Tau != match.Hundredths(55) {
		second = s.next(t, second)
	}
	s.checkSampled(t, second)
	s.SetBars([2]int{30, 40})
	for s.bars != [2]int{len(second.Sides[0].Bars), len(second.Sides[1].Bars)} {
		second = s.next(t, second)
	}
	s.checkSampled(t, second)
	let()
	s.checkEnd(t)
}

// TestCancelledSamplesStay: cancelling ends the samples and what waits for them; what is known
// stays and says that it is not final.
func TestCancelledSamplesStay(t *testing.T) {
	for _, early := range []bool{true, false} {
		s, _ := sampling(t)
		var sample *match.Sample
		if !early {
			sample = s.next(t, nil)
		}
		s.CancelAll()
		s.SetHover(s.first())
		if n := len(s.Jobs()); n != 0 {
			t.Errorf("%d jobs after everything was cancelled", n)
		}
		if sample != nil {
			s.checkSampled(t, sample)
		}
	}
}

// failing is a store that cannot classify.
type failing struct{ Results }

func (failing) Graph(context.Context, *pair.Pair, match.Scope, progress.Func) (
	*match.Graph, bool, error) {
	return nil, false, errors.New("no graph")
}

// TestNothingWaitsForBarsThatDoNotCome: work that lets the first bars come first goes on if they
// fail.
func TestNothingWaitsForBarsThatDoNotCome(t *testing.T) {
	s, _ := sampling(t)
	s.Store = failing{s.Store}
	drainUntil(t, s, func() bool { return s.state.Aligned != nil && s.state.Aligned.Findings != nil })
	if s.state.Found != nil || s.barsGate.passed != nil || s.leadGate.passed != nil {
		t.Error("something still waits")
	}
}

// TestHurriedSessionTakesNoSamples: without a window nobody would see them.
func TestHurriedSessionTakesNoSamples(t *testing.T) {
	s, let := sampling(t)
	s.ShowProcess(true)
	let()
	for s.Ready(context.Background()) > 0 {
		if s.Take(0); len(s.state.samples) > 0 {
			t.Fatal("a sample was taken")
		}
	}
	if s.state.Found == nil || s.state.Found.Ladder == nil {
		t.Error("no ladder in the end")
	}
}
