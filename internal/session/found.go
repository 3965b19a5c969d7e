package session

import (
	"context"
	"time"

	"diptych/internal/geom"
	"diptych/internal/match"
	"diptych/internal/pair"
)

// Found is what the match engine found for the threads shown. It comes in steps: first the
// graph, then repetitions and ladder, then the groups. A Found is never changed, only replaced.
type Found struct {
	Graph   *match.Graph
	Ladder  *match.Ladder
	Rung    *match.Rung // the ladder's at State.Tau
	Groups  Groups
	Lit     Lit
	Chosen  *Chosen           // nil until the selected call has been looked at
	Repeats [2]*match.Repeats // by side, nil until they are known
	Cached  bool              // the graph was stored by an earlier run

	of subject
}

// Lit says which bars hold matches of the calls below the hovered one, and which matches of that
// one are the best.
type Lit struct {
	Of   Target
	Bars [2][]bool // by side and interval
	Best []Ranked
}

// Chosen is what the selected call matches.
type Chosen struct {
	Of   Target
	Tau  int
	Sums match.Call
	Best []Ranked // the best first
}

// foci returns what both sides show.
func (st *State) foci() [2]geom.Span {
	return [2]geom.Span{st.Sides[pair.A].Focus, st.Sides[pair.B].Focus}
}

func (st *State) setFoci(foci [2]geom.Span) {
	for side := range st.Sides {
		st.Sides[side].Focus = foci[side]
	}
}

// both reports whether there are calls on both sides, so that there may be matches.
func (f *Found) both() bool {
	return f.Graph.Sides[pair.A].Len() > 0 && f.Graph.Sides[pair.B].Len() > 0
}

// Repeated reports whether repetitions are known on either side.
func (f *Found) Repeated() bool {
	for _, r := range f.Repeats {
		if r != nil && r.Len() > 0 {
			return true
		}
	}
	return false
}

// atTau climbs to τ, which is in hundredths.
func (f *Found) atTau(h int) {
	if f.Ladder != nil {
		f.Rung = f.Ladder.At(h)
	}
}

// foundOf returns what some pane shows as found for a subject, or nil.
func (st *State) foundOf(of subject) *Found {
	if st.Found != nil && st.Found.of == of {
		return st.Found
	}
	for i := range st.panes {
		if f := st.panes[i].Found; f != nil && f.of == of && st.panes[i].ID != st.ID {
			return f
		}
	}
	return nil
}

// found returns what is found for all that the panes show.
func (st *State) found() map[subject]*Found {
	all := map[subject]*Found{}
	st.eachPane(func() {
		if f := st.Found; f != nil {
			all[f.of] = f
		}
	})
	return all
}

// amend replaces what was found for a subject by a changed copy, in all panes that show it.
func (st *State) amend(of subject, change func(*Found)) {
	was := st.foundOf(of)
	if was == nil {
		return
	}
	now := *was
	change(&now)
	st.eachPane(func() {
		if st.Found == was {
			st.Found = &now
		}
	})
}

// leave ends an inquiry about something that is not shown any longer. What was found for the
// subject that was left last is kept, since one often goes there and back: from one thread to all,
// or to the next pair of threads. What depends on the pointer or on the foci is not kept.
func (s *Session) leave(q *inquiry) {
	if q.found == nil || q.of.pair != s.state.Pair {
		s.forget(q)
		return
	}
	for _, slot := range append(subjectSlots, slideSlot) {
		in := slot + q.in.name
		known := q.found.Ladder != nil && (slot == barsSlot || slot == distancesSlot)
		if !known || s.job(in) != nil {
			s.ask(in) // the others look first whether they are known
		}
	}
	s.state.setSample(q.of, nil)
	s.forget(&s.left)
	s.left = *q
}

// forget drops an inquiry with all that was found.
func (s *Session) forget(q *inquiry) {
	if q.of == (subject{}) {
		return
	}
	for _, slot := range append(subjectSlots, slideSlot) {
		s.ask(slot + q.in.name)
	}
	s.state.setSample(q.of, nil)
	*q = inquiry{}
}

// foundAt returns at τ, which is in hundredths, what was found before the subject was left.
func (q *inquiry) foundAt(tau int) *Found {
	f := *q.found
	f.Groups, f.Lit, f.Chosen = Groups{}, Lit{}, nil
	if tau != q.tau {
		f.atTau(tau)
	}
	return &f
}

// index returns the pre-order index in the graph's scope of the call t, or −1.
func (f *Found) index(t Target) int {
	if !t.OK {
		return -1
	}
	if f.Graph.Scope.Process {
		return f.Graph.Sides[t.Side].First[t.Ref.Thread] + int(t.Ref.Call)
	}
	if f.Graph.Scope.Threads.On(t.Side) != int(t.Ref.Thread) {
		return -1
	}
	return int(t.Ref.Call)
}

// target returns the call with index i on a side of the graph.
func (f *Found) target(side pair.Side, i int) Target {
	thread, call := f.Graph.Sides[side].At(i)
	if !f.Graph.Scope.Process {
		thread = f.Graph.Scope.Threads.On(side)
	}
	t := Target{Side: side, OK: true}
	t.Ref.Thread, t.Ref.Call = int32(thread), int32(call)
	return t
}

// hoverRest is how long the pointer rests on a call before its matches are looked for.
const hoverRest = 40 * time.Millisecond

// hoveredOf is what Lit depends on.
type hoveredOf struct {
	call    Target
	tau     int
	ladder  *match.Ladder
	aligned pairing
}

// wantHovered asks which bars hold matches of the calls below the hovered one, and which of its
// matches are best. Only Matches tells the latter, and only Matches and Alignment have bars.
func wantHovered() Wanted {
	return want[hoveredOf]{slot: hoveredSlot,
		key: func(s *Session) (hoveredOf, bool) {
			st := &s.state
			f := st.Found
			if f == nil || f.Ladder == nil {
				return hoveredOf{}, false
			}
			if f.index(st.Hover) < 0 || !st.Shows(Matches) && !st.Shows(Alignment) {
				return hoveredOf{}, true
			}
			return hoveredOf{st.Hover, st.Tau, f.Ladder, st.alignedFor()}, true
		},
		find: func(s *Session, slot string, _, of hoveredOf) {
			f := s.state.Found
			if of == (hoveredOf{}) {
				s.cancel(slot)
				s.state.amend(f.of, func(f *Found) { f.Lit = Lit{} })
				return
			}
			i, st := f.index(of.call), s.State()
			s.later(slot, "Looking for matches", hoverRest, func(ctx context.Context, j *Job) func() {
				bars, err := f.Graph.HoverIntervals(ctx, match.Hundredths(of.tau), of.call.Side, i, f.Ladder.Intervals)
				var best []Ranked
				if err == nil {
					best, err = st.best(ctx, of.call)
				}
				return func() {
					if s.failed(err) {
						return
					}
					s.apply(func(st *State) { st.amend(f.of, func(f *Found) { f.Lit = Lit{of.call, bars, best} }) })
				}
			})
		}}
}

// chosenOf is what Chosen depends on.
type chosenOf struct {
	call    Target
	tau     int
	graph   *match.Graph
	aligned pairing
}

// wantChosen asks what the selected call matches.
func wantChosen() Wanted {
	return want[chosenOf]{slot: chosenSlot,
		key: func(s *Session) (chosenOf, bool) {
			st := &s.state
			f := st.Found
			if f == nil || !f.both() {
				return chosenOf{}, false
			}
			if f.index(st.Selected) < 0 {
				return chosenOf{}, true
			}
			return chosenOf{st.Selected, st.Tau, f.Graph, st.alignedFor()}, true
		},
		find: func(s *Session, slot string, _, of chosenOf) {
			f := s.state.Found
			if of == (chosenOf{}) {
				s.cancel(slot)
				s.state.amend(f.of, func(f *Found) { f.Chosen = nil })
				return
			}
			side, tau, i := of.call.Side, match.Hundredths(of.tau), f.index(of.call)
			st := s.State()
			s.start(slot, "Looking for the match", func(ctx context.Context, j *Job) func() {
				c := &Chosen{Of: of.call, Tau: of.tau, Sums: f.Graph.Call(tau, side, i)}
				var err error
				c.Best, err = st.best(ctx, of.call)
				return func() {
					if !s.failed(err) {
						s.apply(func(st *State) { st.amend(f.of, func(f *Found) { f.Chosen = c }) })
					}
				}
			})
		}}
}
