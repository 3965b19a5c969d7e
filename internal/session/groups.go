package session

import (
	"context"
	"errors"
	"math"
	"time"

	"diptych/internal/geom"
	"diptych/internal/match"
)

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
