package session

import (
	"context"
	"math"
	"time"

	"diptych/internal/match"
)

const (
	groupsRest = 120 * time.Millisecond
	mostGroups = 500 // in the list
	barWidth   = 10  // px an interval of the overview
)

// wantGroups asks for the groups of what both sides show, once τ and the foci have come to rest.
func (s *Session) wantGroups() {
	of := GroupsOf{Tau: s.state.Tau, Focus: s.state.foci()}
	if of == s.sought.groups || s.visits(of) {
		return
	}
	s.visited = GroupsOf{}
	wait := groupsRest
	if s.sought.groups == (GroupsOf{}) {
		wait = 0
	}
	s.sought.groups = of
	s.state.amend(func(f *Found) { f.Groups.Busy = true })
	g, bars := s.state.Found.Graph, s.bars
	s.later(groupsSlot, "Looking for groups", wait, func(ctx context.Context, j *Job) func() {
		groups, err := groupsOf(ctx, g, of, bars)
		return func() {
			s.apply(func(st *State) {
				st.amend(func(f *Found) {
					f.Groups.Busy = false
					if !s.failed(err) {
						f.Groups = groups
					}
				})
			})
		}
	})
}

// visits reports whether the sides are on their way to a group that was chosen from the list, or
// there: then the list stays as it is, so that one can go from group to group.
func (s *Session) visits(of GroupsOf) bool {
	to := s.visited
	return to != (GroupsOf{}) && of.Tau == to.Tau && (of.Focus == to.Focus || s.Animating())
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
	list, err := g.TopGroups(ctx, tau, found, all, mostGroups)
	return Groups{List: list, Total: len(found.List), Why: found.Why, Visible: visible, Of: of}, err
}
