package session

import (
	"maps"
	"slices"
	"time"

	"diptych/internal/geom"
)

// stepTime is how long moves may follow each other and still be one step of the history.
const stepTime = 600 * time.Millisecond

// maxHistory bounds the number of steps kept.
const maxHistory = 200

// viewpoint is what the history remembers of a state.
type viewpoint struct {
	focus   [2]geom.Span
	pairing pairing
	notes   *Notes
	traces  bothTraces // that the notes belong to
	layout  *Split
	active  PaneID
	panes   []Pane
}

// history is a list of viewpoints with a position in it.
type history struct {
	steps []viewpoint
	at    int
	last  time.Time
}

func (st *State) viewpoint() viewpoint {
	c := *st
	c.store()
	v := viewpoint{focus: st.foci(), pairing: st.pairing(), notes: st.Notes, traces: st.traces(),
		layout: st.Layout, active: st.Active, panes: c.panes}
	for i := range v.panes {
		p := &v.panes[i]
		p.Found = nil // follows from the rest
	}
	return v
}

// equal reports whether two viewpoints show the same.
func (v *viewpoint) equal(w *viewpoint) bool {
	return v.focus == w.focus && v.pairing == w.pairing && v.notes == w.notes &&
		v.layout == w.layout && v.active == w.active && slices.EqualFunc(v.panes, w.panes, Pane.showsAs)
}

// showsAs reports whether two panes show the same.
func (p Pane) showsAs(q Pane) bool {
	return p.ID == q.ID && p.View == q.View && p.Process == q.Process && p.Current == q.Current &&
		p.OpenQuiet == q.OpenQuiet &&
		p.Scroll == q.Scroll && p.Virtual == q.Virtual && maps.Equal(p.own, q.own)
}

// oneStep reports whether v and w may be one step of the history while the user keeps moving: what
// is paired by hand, notes, another layout of panes, and what a view says so of are steps of their
// own.
func (v *viewpoint) oneStep(w *viewpoint) bool {
	return v.pairing == w.pairing && v.notes == w.notes && v.layout == w.layout &&
		slices.EqualFunc(v.panes, w.panes, func(p, q Pane) bool {
			for view, o := range q.own {
				if was := p.own[view]; was != o && (was == nil || !o.SameStep(was)) {
					return false
				}
			}
			return true
		})
}

// record adds v at time now, replacing the newest step while the view is still moving.
func (h *history) record(v viewpoint, now time.Time) {
	if h.at < len(h.steps) && h.steps[h.at].equal(&v) {
		return
	}
	moving := now.Sub(h.last) < stepTime && h.at > 0 && h.at == len(h.steps)-1
	h.last = now
	if moving && h.steps[h.at].oneStep(&v) {
		h.steps[h.at] = v
		return
	}
	if len(h.steps) > 0 {
		h.steps = h.steps[:h.at+1]
	}
	h.steps = append(h.steps, v)
	if len(h.steps) > maxHistory {
		h.steps = h.steps[1:]
	}
	h.at = len(h.steps) - 1
}

// amend makes v what the present step leads to, if it pairs the same: where an alignment shows the
// step is not known before it is there.
func (h *history) amend(v viewpoint) {
	if h.at < len(h.steps) && h.steps[h.at].pairing == v.pairing && h.steps[h.at].layout == v.layout {
		h.steps[h.at] = v
	}
}

// Back returns to the view before; it reports whether there was one.
func (s *Session) Back() bool { return s.walk(-1) }

// Forward undoes Back.
func (s *Session) Forward() bool { return s.walk(+1) }

func (s *Session) walk(step int) bool {
	to := s.history.at + step
	if to < 0 || to >= len(s.history.steps) {
		return false
	}
	s.history.at = to
	s.history.last = time.Time{}
	v, anchors, notes := s.history.steps[to], s.state.Anchors, s.state.Notes
	s.apply(func(st *State) {
		found := st.found()
		st.restore(v.pairing)
		if v.traces == st.traces() {
			st.Notes = v.notes
		}
		st.Layout, st.Active, st.panes = v.layout, v.active, slices.Clone(v.panes)
		for i, p := range st.panes {
			if st.panes[i].Found = nil; p.ID == v.active {
				st.Pane = st.panes[i]
			}
		}
		if st.Pair != v.pairing.pair {
			st.renewOwn(v.pairing.pair, st.Pair)
		}
		st.eachPane(func() {
			scroll := st.Scroll
			st.retrack()
			st.Scroll = scroll
			st.Found = found[st.subject()]
		})
		st.setFoci(v.focus)
	})
	switch {
	case s.state.Anchors != anchors:
		s.Say("With " + counted(s.state.Anchors.Len(), "anchor"))
	case s.state.Notes != notes:
		s.Say("With " + counted(s.state.Notes.Len(), "note"))
	}
	return true
}
