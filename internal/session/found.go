package session

import (
	"context"
	"errors"
	"math"
	"time"

	"diptych/internal/geom"
	"diptych/internal/match"
	"diptych/internal/pair"
)

// Found is what the match engine found for the threads shown. It comes in steps: first the graph
// and the rows, then repetitions and ladder, then the groups. A Found is never changed, only
// replaced.
type Found struct {
	Graph   *match.Graph
	Rows    *match.Rows // the interface's goroutine alone may ask them
	Ladder  *match.Ladder
	Rung    *match.Rung // the ladder's at State.Tau
	Groups  Groups
	Lit     Lit
	Chosen  *Chosen           // nil until the selected call has been looked at
	Repeats [2]*match.Repeats // by side, nil until they are known
	Cached  bool              // the graph was stored by an earlier run

	of subject
}

// Groups are the groups of matches within what both sides show.
type Groups struct {
	List    []match.Summary // the largest; none until Of says what they are of
	Total   int             // how many there are
	Why     string          // why they are not all, or ""
	Visible bool            // found among visible calls only
	Summed  bool            // the matches of each are summed up
	Busy    bool            // others are being looked for: these are of an earlier τ or focus
	Of      GroupsOf
}

// GroupsOf is what Groups depend on besides the graph.
type GroupsOf struct {
	Tau   int
	Focus [2]geom.Span
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

const (
	// groupsRest is longer than the pause between two steps of a pan or zoom. Up to a million root
	// matches are listed to tell the first of them, which takes longer than to draw what is shown.
	groupsRest = 400 * time.Millisecond
	mostGroups = 500 // in the list
	// sumsSoon is how long a list waits for its sums. Most are summed up before anybody would see
	// that it had none; few groups of very many calls take seconds.
	sumsSoon = 200 * time.Millisecond
	barWidth = 10 // px an interval of the overview
)

// GroupsShown returns what the groups in sight depend on.
func (st *State) GroupsShown() GroupsOf { return GroupsOf{Tau: st.Tau, Focus: st.foci()} }

// GroupsTab is the id of the tab that lists the groups. They are looked for while it is shown.
const GroupsTab = "groups"

// SetTab tells what is shown beside the panes. What only a tab shows is not computed without it.
func (s *Session) SetTab(id string) {
	if id != s.state.Tab {
		s.apply(func(st *State) { st.Tab = id })
	}
}

// wantGroups asks for the groups of what both sides show, once τ and the foci have come to rest.
func wantGroups() Wanted {
	return want[GroupsOf]{slot: groupsSlot,
		key: func(s *Session) (GroupsOf, bool) {
			switch f, of := s.state.Found, s.state.GroupsShown(); {
			case f == nil:
				return of, false
			case s.state.Tab != GroupsTab:
				return GroupsOf{}, true
			default:
				return of, !s.visits(f, of)
			}
		},
		find: func(s *Session, slot string, was, of GroupsOf) {
			f, bars := s.state.Found, s.bars
			busy := func(busy bool) func(st *State) {
				return func(st *State) { st.amend(f.of, func(f *Found) { f.Groups.Busy = busy }) }
			}
			if of == (GroupsOf{}) || of == f.Groups.Of {
				s.cancel(slot)
				busy(false)(&s.state)
				return
			}
			if s.visited.subject == f.of {
				s.visited = visit{}
			}
			wait := groupsRest
			if was == (GroupsOf{}) {
				wait = 0
			}
			busy(true)(&s.state)
			j := s.later(slot, "Looking for groups", wait, func(ctx context.Context, j *Job) func() {
				groups, err := groupsOf(ctx, f.Graph, of, bars)
				if err == nil {
					err = groups.sumSoon(ctx, f.Graph)
				}
				return func() {
					if s.failed(err) {
						s.apply(busy(false))
						return
					}
					s.apply(func(st *State) { st.amend(f.of, func(f *Found) { f.Groups = groups }) })
				}
			})
			j.undo = busy(false)
		}}
}

// sumSoon sums up the groups if that takes no longer than sumsSoon.
func (gs *Groups) sumSoon(ctx context.Context, g *match.Graph) error {
	soon, stop := context.WithTimeout(ctx, sumsSoon)
	defer stop()
	list, err := g.SumUp(soon, match.Hundredths(gs.Of.Tau), gs.List)
	if err == nil {
		gs.List, gs.Summed = list, true
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return ctx.Err()
	}
	return err
}

// wantSums asks for the sums of the groups that are listed without.
func wantSums() Wanted {
	return want[GroupsOf]{slot: sumsSlot,
		key: func(s *Session) (GroupsOf, bool) {
			f := s.state.Found
			if f == nil || f.Groups.Busy || f.Groups.Summed || s.state.Tab != GroupsTab {
				return GroupsOf{}, true
			}
			return f.Groups.Of, true
		},
		find: func(s *Session, slot string, _, of GroupsOf) {
			f := s.state.Found
			s.cancel(slot)
			if of == (GroupsOf{}) {
				return
			}
			s.start(slot, "Summing up groups", func(ctx context.Context, j *Job) func() {
				list, err := f.Graph.SumUp(ctx, match.Hundredths(of.Tau), f.Groups.List)
				return func() {
					if !s.failed(err) {
						s.apply(func(st *State) {
							st.amend(f.of, func(f *Found) { f.Groups.List, f.Groups.Summed = list, true })
						})
					}
				}
			})
		}}
}

// visit is what choosing a group from the list of a subject has led to.
type visit struct {
	subject subject
	to      GroupsOf
}

// visits reports whether the sides are on their way to a group that was chosen from what was found,
// or there: then the list stays as it is, so that one can go from group to group.
func (s *Session) visits(f *Found, of GroupsOf) bool {
	v, listed := s.visited, f.Groups.Of != (GroupsOf{})
	return listed && v.subject == f.of && of.Tau == v.to.Tau &&
		(of.Focus == v.to.Focus || s.Animating())
}

// groupsOf finds the groups of matches within both foci; where there are too many, among the calls
// that are at least a pixel wide, and where there are none of those, what was found until then.
func groupsOf(ctx context.Context, g *match.Graph, of GroupsOf, bars [2]int) (Groups, error) {
	tau := match.Hundredths(of.Tau)
	var all, wide [2]match.Window
	for side, f := range of.Focus {
		all[side] = match.Window{From: int64(math.Floor(f.Start)), To: int64(math.Ceil(f.End))}
		wide[side] = all[side]
		wide[side].Least = int64(math.Ceil(f.Len() / float64(bars[side]*barWidth)))
	}
	found, err := g.GroupsIn(ctx, tau, all, match.Budget{})
	if err != nil {
		return Groups{}, err
	}
	visible := false
	if found.Why != "" {
		seen, err := g.GroupsIn(ctx, tau, wide, match.Budget{})
		if err != nil {
			return Groups{}, err
		}
		if visible = len(seen.List) > 0; visible {
			found = seen
		}
	}
	list, err := g.TopGroups(ctx, found, all, mostGroups)
	return Groups{List: list, Total: len(found.List), Why: found.Why, Visible: visible, Of: of}, err
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

// wantHovered asks which bars hold matches of the calls below the hovered one.
func wantHovered() Wanted {
	return want[hoveredOf]{slot: hoveredSlot,
		key: func(s *Session) (hoveredOf, bool) {
			st := &s.state
			f := st.Found
			if f == nil || f.Ladder == nil {
				return hoveredOf{}, false
			}
			if f.index(st.Hover) < 0 {
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
