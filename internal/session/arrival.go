package session

import (
	"context"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// Arrival is what a pair shows first if something outside of its traces leads to it, such as a
// batch that knows when one of its pairs departs from the others.
type Arrival struct {
	Spans [2]geom.Span // ns since the start of each trace; an empty one for Share
	Share geom.Span    // of the duration of each side, in [0,1]; an empty one for what is usual
	Calls [2]CallAt    // B's is selected, or A's if B has none
	Find  string       // what is searched for; "" for nothing
}

// CallAt names a call in a trace that is not loaded yet.
type CallAt struct {
	Thread string // its id; "" for no call
	Index  int    // pre-order index in the thread
}

// OpenAt opens two traces instead of what is open and, once they are paired, shows what there is to
// see. If these very traces are open already, it only shows it, as a step of the history.
func (s *Session) OpenAt(paths [2]string, o input.Options, to Arrival) {
	if s.state.Pair != nil && s.state.Both() && s.state.Sides[pair.A].Path == paths[pair.A] &&
		s.state.Sides[pair.B].Path == paths[pair.B] {
		s.change(func(st *State) { st.arriveAt(&to) })
		s.Find(to.Find)
		return
	}
	s.Close()
	s.arrival = &expected{paths, to}
	for side, path := range paths {
		s.Open(pair.Side(side), path, o)
	}
}

// expected is what is to be shown of a pair that is being opened.
type expected struct {
	paths [2]string
	Arrival
}

// arrived returns what is to be shown of the pair that is open, or nil: another trace may have been
// opened in place of one that could not be loaded.
func (s *Session) arrived() *Arrival {
	to, sides := s.arrival, &s.state.Sides
	if to == nil || !s.state.Both() || sides[pair.A].Path != to.paths[pair.A] ||
		sides[pair.B].Path != to.paths[pair.B] {
		return nil
	}
	return &to.Arrival
}

// arriveAt shows what there is to see in a pair.
func (st *State) arriveAt(to *Arrival) {
	for _, side := range []pair.Side{pair.A, pair.B} {
		if c := to.Calls[side]; c.Thread != "" {
			if t, ok := st.callAt(side, c); ok {
				st.Before, st.Selected = st.Selected, t
			}
		}
	}
	if t := st.Selected; t.OK {
		st.Chosen, st.Process = true, false
		st.Current = st.Pair.Of(t.Side, int(t.Ref.Thread))
		st.retrack()
	}
	for side := range st.Sides {
		span, whole := to.Spans[side], st.Sides[side].Extent()
		if span.Len() <= 0 {
			span = geom.Span{Start: to.Share.Start * whole, End: to.Share.End * whole}
		}
		if span.Len() > 0 {
			st.Sides[side].Focus = st.within(pair.Side(side), span)
			st.eachPane(func() { st.followFocus(pair.Side(side)) })
		}
	}
}

// callAt returns a call that is named, if the side has it.
func (st *State) callAt(side pair.Side, c CallAt) (t Target, ok bool) {
	tr := st.Sides[side].Trace
	if tr == nil {
		return Target{}, false
	}
	k := tr.ThreadByID(c.Thread)
	if k < 0 || c.Index < 0 || c.Index >= tr.Threads[k].Len() {
		return Target{}, false
	}
	ref := trace.CallRef{Thread: int32(k), Call: int32(c.Index)}
	return Target{Side: side, Ref: ref, OK: true}, true
}

// Doing returns the work in a slot that is under way, or nil.
func (s *Session) Doing(slot string) *Job { return s.job(slot) }

// Do has work done in the background that the session itself has no part in, such as reading what
// the window shows instead of a pair. What work returns is called by the interface's goroutine.
// Work in the same slot replaces what was under way there. Closing the traces does not stop it.
func (s *Session) Do(slot, label string, work func(context.Context, progress.Func) (apply func())) {
	j := s.start(slot, label, func(ctx context.Context, j *Job) func() { return work(ctx, j.report) })
	j.apart = true
}
