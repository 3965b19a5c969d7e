package session

import (
	"context"
	"errors"
	"time"

	"diptych/internal/match"
	"diptych/internal/progress"
)

// What the match engine finds follows from the state: pursue, which every change ends with,
// compares what was last asked of the engine with what the state wants now and starts what is
// missing. So no command needs to know what depends on it. The steps are jobs of their own:
//
//	compare   pair, scope              →  Graph, Rows, Repeats
//	bars      Graph, numbers of bars   →  Ladder
//	distances Ladder, τ                →  Rung, with the distances of its bars
//	groups    Graph, τ, both foci      →  Groups
//	lit       Ladder, τ, hovered call  →  Lit
//	chosen    Graph, τ, selected call  →  Chosen
//
// What a step needs of an earlier one is in Found, and a new subject cancels them all.

// Slots of the jobs.
const (
	compareSlot = "compare"
	barsSlot    = "bars"
	groupsSlot  = "groups"
	litSlot     = "lit"
	alignSlot   = "align"

	distancesSlot = "distances"
	chosenSlot    = "chosen"
)

const (
	rowsBytes = 64 << 20 // of rows of similarities kept
	usualBars = 160      // in a pane of 1,600 px, until SetBars tells
	barsRest  = 250 * time.Millisecond
)

// sought is what was last asked of the match engine.
type sought struct {
	subject subject
	made    [2]int // bars that the ladder has or is being computed for without delay
	asked   [2]int // bars last asked for
	groups  GroupsOf
	lit     litOf

	distances distancesOf
	chosen    chosenOf

	aligned pairing
	shown   shownOf
	lines   pairing // what the lines were asked for

	waits soughtWaits
}

// pursue starts what the state needs and has not been asked for. It runs after every change.
func (s *Session) pursue() {
	sub := s.state.subject()
	if s.state.View == Threads && sub != s.sought.subject {
		sub = subject{} // the view does not show what would be found: later
	}
	if sub != s.sought.subject {
		for _, slot := range []string{compareSlot, barsSlot, distancesSlot, groupsSlot, litSlot,
			chosenSlot, alignSlot} {
			s.cancel(slot)
		}
		s.state.Found = nil
		was := s.sought
		s.sought = sought{subject: sub, aligned: was.aligned, shown: was.shown, lines: was.lines,
			waits: was.waits}
		s.glide = glide{}
		if sub.pair != nil {
			s.compare(sub)
		}
	}
	s.wantAligned()
	s.wantWaits()
	if f := s.state.Found; f != nil && f.both() {
		s.wantBars()
		s.wantChosen()
		if f.Ladder != nil {
			s.wantDistances()
			s.wantGroups()
			s.wantLit()
		}
	}
}

// Comparing reports whether what is found for the subject is still being sought.
func (s *Session) Comparing() bool { return s.job(compareSlot) != nil || s.job(barsSlot) != nil }

// Compare asks for everything again, as after a cancelled comparison.
func (s *Session) Compare() {
	s.sought = sought{}
	s.pursue()
}

// compare classifies the calls of the subject.
func (s *Session) compare(of subject) {
	results := s.Store
	s.start(compareSlot, "Comparing", func(ctx context.Context, j *Job) func() {
		f, err := find(ctx, results, of, j.report)
		return func() {
			if s.failed(err) {
				return
			}
			s.apply(func(st *State) { st.Found = f })
		}
	})
}

// find returns the first of what is found: all but the ladder and what follows from it.
func find(ctx context.Context, r Results, of subject, p progress.Func) (*Found, error) {
	g, stored, err := r.Graph(ctx, of.pair, of.scope, p)
	if err != nil {
		return nil, err
	}
	f := &Found{Graph: g, Rows: match.NewRows(g, rowsBytes), Cached: stored}
	for side, classes := range g.Sides {
		if f.Repeats[side], err = classes.Repeats(ctx, match.DefaultRho); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// failed reports whether err is not nil and tells the user unless it is a cancellation.
func (s *Session) failed(err error) bool {
	if err != nil && !errors.Is(err, context.Canceled) {
		s.say(err.Error())
	}
	return err != nil
}

// SetBars tells how many intervals of 10 px the overview has room for, by side.
func (s *Session) SetBars(n [2]int) {
	n = [2]int{max(n[0], 1), max(n[1], 1)}
	if n != s.bars {
		s.bars = n
		s.pursue()
	}
}

// wantBars asks for a ladder with as many bars as there is room for: at once if it has none or far
// too few or many, else when the room has stopped changing.
func (s *Session) wantBars() {
	so, wait := &s.sought, time.Duration(0)
	switch {
	case s.bars == so.asked:
		return
	case far(s.bars, so.made):
		so.made = s.bars
	case so.asked == so.made && s.job(barsSlot) != nil:
		return // that one first
	default:
		wait = barsRest
	}
	so.asked = s.bars
	n, g, results := s.bars, s.state.Found.Graph, s.Store
	s.later(barsSlot, "Comparing at every threshold", wait, func(ctx context.Context, j *Job) func() {
		l, _, err := results.Ladder(ctx, g, n, j.report)
		return func() {
			if s.failed(err) {
				return
			}
			s.sought.made = n
			s.apply(func(st *State) {
				st.amend(func(f *Found) {
					f.Ladder = l
					f.atTau(st.Tau)
				})
			})
		}
	})
}

// far reports whether a ladder of have bars is no stand-in for one of want.
func far(want, have [2]int) bool {
	for i := range want {
		if d := want[i] - have[i]; 4*max(d, -d) > have[i] {
			return true
		}
	}
	return false
}
