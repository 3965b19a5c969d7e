package session

import (
	"context"

	"diptych/internal/pair"
	"diptych/internal/trace"
	"diptych/internal/wait"
)

// Waits is who waits on whom in what is open (DESIGN §7). It comes in steps, and is never changed,
// only replaced.
type Waits struct {
	Sides    [2]*wait.Analysis // by side; nil until it is known
	Paths    [2]*wait.Path     // the critical paths
	Compared *wait.Comparison  // of both sides; nil until they have been compared
}

// Slots of the jobs.
const (
	waitsSlot        = "waits" // and the side
	compareWaitsSlot = "compare waits"
)

// soughtWaits is what was last asked of the analysis of waits.
type soughtWaits struct {
	sides    [2]*trace.Trace
	compared *pair.Pair
}

// wantWaits asks who waits on whom, once the view of threads has been shown, and compares the sides.
func (s *Session) wantWaits() {
	known := s.state.Waits
	for k := range s.state.Sides {
		side, tr := pair.Side(k), s.state.Sides[k].Trace
		asked := &s.sought.waits.sides[k]
		if *asked != nil && *asked != tr {
			s.cancel(waitsSlot + side.String())
			*asked = nil
			s.state.setWaits(side, nil, nil)
		}
		if s.state.View != Threads || tr == nil || *asked != nil {
			continue
		}
		*asked = tr
		if a, path := known.of(tr); a != nil {
			s.state.setWaits(side, a, path) // the sides were exchanged
		} else {
			s.findWaits(side, tr)
		}
	}
	s.wantComparedWaits()
}

func (s *Session) wantComparedWaits() {
	w, p, asked := s.state.Waits, s.state.Pair, &s.sought.waits.compared
	if w == nil || w.Sides[pair.A] == nil || w.Sides[pair.B] == nil || p == nil {
		p = nil
	}
	if *asked == p {
		return
	}
	*asked = p
	s.cancel(compareWaitsSlot)
	if p != nil {
		s.compareWaits(w.Sides, p)
	}
}

// findWaits analyses one side.
func (s *Session) findWaits(side pair.Side, tr *trace.Trace) {
	label := "Finding who waits on whom in " + side.String()
	s.start(waitsSlot+side.String(), label, func(ctx context.Context, j *Job) func() {
		a, err := wait.Find(ctx, tr, j.report)
		var path *wait.Path
		if err == nil {
			path, err = a.CriticalPath(ctx)
		}
		return func() {
			if s.failed(err) {
				return
			}
			s.apply(func(st *State) {
				if st.setWaits(side, a, path); !st.Both() {
					st.focusWaits()
				}
			})
			s.history.amend(s.state.viewpoint())
		}
	})
}

// compareWaits lays the waits of both sides next to each other.
func (s *Session) compareWaits(sides [2]*wait.Analysis, p *pair.Pair) {
	s.start(compareWaitsSlot, "Comparing waits", func(ctx context.Context, j *Job) func() {
		c, err := wait.Compare(ctx, sides[pair.A], sides[pair.B], p)
		return func() {
			if s.failed(err) {
				return
			}
			s.apply(func(st *State) {
				if st.Waits != nil && st.Waits.Sides == sides {
					w := *st.Waits
					w.Compared = c
					st.Waits = &w
					st.focusWaits()
				}
			})
			s.history.amend(s.state.viewpoint())
		}
	})
}

// of returns what is known of a trace, or nil.
func (w *Waits) of(tr *trace.Trace) (*wait.Analysis, *wait.Path) {
	if w != nil {
		for k, a := range w.Sides {
			if a != nil && a.Trace == tr {
				return a, w.Paths[k]
			}
		}
	}
	return nil, nil
}

// setWaits replaces what is known of a side; a comparison goes with it.
func (st *State) setWaits(side pair.Side, a *wait.Analysis, path *wait.Path) {
	w := Waits{}
	if st.Waits != nil {
		w.Sides, w.Paths = st.Waits.Sides, st.Waits.Paths
	}
	w.Sides[side], w.Paths[side] = a, path
	st.Waits = &w
}

// WaitsOf returns the analysis of a side, or nil.
func (st *State) WaitsOf(side pair.Side) *wait.Analysis {
	if st.Waits == nil {
		return nil
	}
	return st.Waits.Sides[side]
}

// ComparedWaits returns the comparison of the sides' waits as their threads are paired now, or nil.
func (st *State) ComparedWaits() *wait.Comparison {
	if st.Waits == nil || st.Waits.Compared == nil || st.Waits.Compared.Pair != st.Pair {
		return nil
	}
	return st.Waits.Compared
}
