package ui

import (
	"math"
	"time"

	"diptych/internal/match"
	"diptych/internal/scene/links"
	"diptych/internal/session"
	"diptych/internal/ui/words"
)

// How many matches are drawn while the view moves and once it rests (DESIGN §11 Matches).
const (
	movingBudget  = 2_000
	restingBudget = 20_000
)

// LinkState translates a session's snapshot for the matches between the two sides; the headless
// renderer uses it too.
func LinkState(st *session.State) links.State {
	style := &st.Style
	ls := links.State{
		Tau:    match.Hundredths(st.Tau),
		Budget: restingBudget,
		All:    style.All, Frames: style.Frames, Relative: style.Relative,
		Colour: style.Colour, Similarity: style.Similarity, Viewpoint: int(st.Viewpoint),
		Lambda: style.Lambda, Band: style.Band, Strength: style.Strength, Original: style.Original,
	}
	ls.Morph, ls.Spine = style.Shape.Shares()
	if st.Found == nil || style.Hidden || !st.Both() {
		return ls
	}
	ls.Rows = st.Found.Rows
	ls.Marked = brush(st.Selected)
	return ls
}

func brush(t session.Target) []links.Brush {
	if !t.OK {
		return nil
	}
	return []links.Brush{{Side: int(t.Side), Ref: t.Ref}}
}

// shapeShift moves the form of the tubes smoothly from one shape to another.
type shapeShift struct {
	morph, spine float32 // as drawn
	from         [2]float32
	to           [2]float32
	since        time.Time
	known        bool
}

// shifting is how long a change of shape takes.
const shifting = 180 * time.Millisecond

// at returns the form at time now and whether it is still changing.
func (s *shapeShift) at(now time.Time, shape links.Shape, still bool) (morph, spine float32, moving bool) {
	m, p := shape.Shares()
	to := [2]float32{m, p}
	switch {
	case !s.known || still:
		*s = shapeShift{morph: m, spine: p, to: to, known: true}
	case s.to != to:
		s.from, s.to, s.since = [2]float32{s.morph, s.spine}, to, now
	}
	t := min(float32(now.Sub(s.since))/float32(shifting), 1)
	if t < 0 || s.since.IsZero() {
		t = 1
	}
	ease := 1 - float32(math.Pow(float64(1-t), 3))
	s.morph = s.from[0] + (s.to[0]-s.from[0])*ease
	s.spine = s.from[1] + (s.to[1]-s.from[1])*ease
	return s.morph, s.spine, t < 1
}

// tally says how many of the matches between visible calls are drawn, and how many there are in the
// whole of what is compared: the number that match --json gives as pairs.
func (m *mainPane) tally(s *session.Session, st *session.State) string {
	switch {
	case st.Found == nil && s.Comparing():
		return "comparing…"
	case st.Found == nil:
		return "not compared"
	case m.view == nil || m.view.Links == nil || st.Style.Hidden:
		return ""
	}
	l := m.view.Links
	return words.MatchCount(l.Drawn, l.Visible, st.Found.Rung)
}
