package session

import (
	"context"

	"diptych/internal/account/explain"
	"diptych/internal/align/finding"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
	"diptych/internal/wait"
)

// explainedBy is what explains a difference: what the alignment found, and who waits on whom. If
// there are several runs a side, all of them say how sure each finding is.
type explainedBy struct {
	pair  *pair.Pair
	found *finding.Report
	waits [2]*wait.Analysis
	all   *ComparedRuns // nil until they are compared, or if there are none
}

// difference is what makes the difference between both sides, as `diptych diff` tells it.
var difference = Result[explainedBy, *explain.Difference]{
	Slot: "difference", Label: "Accounting for the difference",
	Key: func(st *State) (by explainedBy, ok bool) {
		if !st.compared() || st.Waits == nil {
			return by, false
		}
		by = explainedBy{st.Pair, st.Aligned.Findings, st.Waits.Sides, st.ComparedRuns()}
		for side, w := range by.waits {
			if w == nil || w.Trace != st.Sides[side].Trace {
				return by, false
			}
		}
		return by, true
	},
	Find: func(ctx context.Context, by explainedBy, report progress.Func) (*explain.Difference, error) {
		d, err := explain.Find(ctx, by.pair, by.found, by.waits, report)
		if err == nil && by.all != nil {
			d.Judge(by.all.Comparison)
		}
		return d, err
	},
}

// compared reports whether it is known what the alignment of both sides found.
func (st *State) compared() bool {
	return st.Both() && st.Pair != nil && st.Aligned != nil && st.Aligned.Pair == st.Pair &&
		st.Aligned.Findings != nil
}

// Difference returns what makes the difference between both sides: of the threads as they are
// paired now, and of an earlier alignment of them until that of the present one is known. It is nil
// while there is none.
func (st *State) Difference() *explain.Difference {
	d, ok := difference.Last(st)
	if !ok || d.Balance.Pair != st.Pair {
		return nil
	}
	return d
}

// Places reports whether GoTo has a place to show for a finding.
func Places(f *explain.Finding) bool { return f.At[pair.A] != nil || f.At[pair.B] != nil }

// GoTo shows a finding: it selects its call, on the side that has one, and reveals it on both. If
// calls are made more often, the other side has none there, so what it does instead is shown. Of a
// finding about waiting it shows the longest wait of each side, in the view of threads.
func (s *Session) GoTo(f *explain.Finding) {
	if f.Kind == "wait" && s.showWaitsAt(f) {
		return
	}
	if main := f.MainSide(); f.At[main] != nil && (f.CountsCalls() || s.state.apart(f)) {
		s.showBeside(Target{Side: main, Ref: refOf(f.At[main]), OK: true})
		return
	}
	var calls []Target
	for _, side := range []pair.Side{pair.B, pair.A} {
		if at := f.At[side]; at != nil {
			calls = append(calls, Target{Side: side, Ref: refOf(at), OK: true})
			s.Select(calls[len(calls)-1])
		}
	}
	s.revealAlike(calls)
}

// revealAlike makes calls of different sides visible. Unless all of them can be seen already, both
// sides get one scale, so that a call which takes longer looks longer.
func (s *Session) revealAlike(calls []Target) {
	longest, seen := 0.0, true
	for _, t := range calls {
		s.showThread(t)
		s.seek(t)
		longest = max(longest, s.state.span(t).Len())
	}
	for _, t := range calls {
		f, span := s.state.Sides[t.Side].Focus, s.state.span(t)
		seen = seen && f.Contains(span.Start) && f.Contains(span.End) && longest >= f.Len()*readable
	}
	if seen {
		return
	}
	half := max(longest*4, minFocus)
	for _, t := range calls {
		mid := s.state.span(t).Mid()
		s.SetFocus(t.Side, geom.Span{Start: mid - half, End: mid + half})
	}
}

// apart reports whether the places of a finding are on threads that are no pair, while one pair is
// shown: then only one of the places can be.
func (st *State) apart(f *explain.Finding) bool {
	a, b := f.At[pair.A], f.At[pair.B]
	return a != nil && b != nil && st.Pair != nil && !st.Process && st.View != Threads &&
		st.Pair.Of(pair.A, a.Thread) != st.Pair.Of(pair.B, b.Thread)
}

// showBeside selects and reveals a call, and beside it what the other side does there: after the
// partner of the last call before it that has one. For example, MPI_Isend is called more often in
// B, and the first of these calls is on rank 1, while the longest call in A is on rank 0: what
// rank 1 of A does is shown.
func (s *Session) showBeside(t Target) {
	s.Select(t)
	s.reveal(t, readable)
	if s.state.Lock != Free {
		return // the other side has followed
	}
	for i := t; i.Ref.Call >= 0; i.Ref.Call-- {
		if u := s.state.Partner(i); u.OK {
			start, before, partner := s.state.span(t).Start, s.state.span(i), s.state.span(u)
			there := partner.End
			if before.End > start { // it is a caller
				there = min(partner.Start+start-before.Start, partner.End)
			}
			f := s.state.Sides[t.Side].Focus
			s.seek(u)
			s.SetFocus(u.Side, f.Shift(there-start))
			s.SetFocus(t.Side, f) // which views of the alignment follow
			return
		}
	}
}

// showWaitsAt shows the waits at a finding's places, and reports whether there are any.
func (s *Session) showWaitsAt(f *explain.Finding) bool {
	waits := [2]int{none, none}
	for side, at := range f.At {
		if a := s.state.WaitsOf(pair.Side(side)); a != nil && at != nil {
			if waits[side] = a.Waits.Find(refOf(at)); waits[side] < 0 {
				waits[side] = a.Waits.FindGap(refOf(at))
			}
		}
	}
	if _, ok := s.state.longer(waits); !ok {
		return false
	}
	s.AsOneStep(func() {
		s.SetView(Threads)
		s.ShowWaits(waits)
	})
	return true
}

func refOf(at *finding.Place) trace.CallRef {
	return trace.CallRef{Thread: int32(at.Thread), Call: at.Call}
}
