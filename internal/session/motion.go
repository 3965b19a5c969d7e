package session

import (
	"time"

	"diptych/internal/geom"
	"diptych/internal/pair"
)

const (
	// glideTime is how long the sides take to slide to where they are sent.
	glideTime = 180 * time.Millisecond
	// restTime is how long after the last change of focus or τ a view counts as moving.
	restTime = 150 * time.Millisecond
)

// glide is a movement of the focus. A side that is moved by other means meanwhile drops out of it.
type glide struct {
	moves     [2]bool
	from, now [2]geom.Span // now is what the glide last showed
	to        [2]geom.Span
	began     time.Time // zero until the first frame
}

// glideTo moves the sides whose spans are given to them, smoothly unless nothing is to move.
func (s *Session) glideTo(spans map[pair.Side]geom.Span) {
	var g glide
	for side, span := range spans {
		sd := &s.state.Sides[side]
		g.moves[side] = true
		g.from[side], g.now[side] = sd.Focus, sd.Focus
		g.to[side] = s.state.within(side, span)
	}
	s.glide = g
	if s.state.Still {
		s.arrive()
	}
}

// Animating reports whether something is gliding, so that Animate wants to be called every frame.
func (s *Session) Animating() bool { return s.glide.moves != [2]bool{} }

// Animate moves what is gliding to where it is at time now. It reports whether it has not arrived.
func (s *Session) Animate(now time.Time) bool {
	g := &s.glide
	if !s.Animating() {
		return false
	}
	if g.began.IsZero() {
		g.began = now
	}
	share := float64(now.Sub(g.began)) / float64(glideTime)
	if share >= 1 || s.state.Still {
		s.arrive()
		return false
	}
	rest := (1 - max(share, 0)) * (1 - max(share, 0)) * (1 - max(share, 0)) // cubic ease-out
	s.glideOn(s.apply, func(side pair.Side) geom.Span {
		return geom.Span{
			Start: g.to[side].Start + (g.from[side].Start-g.to[side].Start)*rest,
			End:   g.to[side].End + (g.from[side].End-g.to[side].End)*rest,
		}
	})
	return s.Animating()
}

// arrive ends the glide where it was to lead, as one step of the history.
func (s *Session) arrive() {
	s.glideOn(s.change, func(side pair.Side) geom.Span { return s.glide.to[side] })
	s.glide = glide{}
}

// glideOn shows where the sides that still glide are to be.
func (s *Session) glideOn(step func(func(*State)), at func(pair.Side) geom.Span) {
	g := &s.glide
	for side := range g.moves {
		g.moves[side] = g.moves[side] && g.now[side] == s.state.Sides[side].Focus
	}
	if !s.Animating() {
		return
	}
	step(func(st *State) {
		for side, moves := range g.moves {
			if moves {
				g.now[side] = at(pair.Side(side))
				st.Sides[side].Focus = g.now[side]
			}
		}
	})
}

// SetStill chooses whether nothing moves by itself.
func (s *Session) SetStill(still bool) {
	if still != s.state.Still {
		s.apply(func(st *State) { st.Still = still })
	}
}

// seen is what a view moves with.
type seen struct {
	of    subject
	focus [2]geom.Span
	tau   int
}

// noteMove notes when the focus or τ has changed while the same threads are shown.
func (s *Session) noteMove() {
	st := &s.state
	now := seen{st.subject(), st.foci(), st.Tau}
	if now != s.seen && now.of == s.seen.of {
		s.moved = s.now()
	}
	s.seen = now
}

// Moving reports whether the focus or τ has just changed, so that drawing had better be quick.
func (s *Session) Moving() bool { return s.now().Before(s.RestAt()) }

// RestAt returns when Moving ends, if nothing changes until then.
func (s *Session) RestAt() time.Time { return s.moved.Add(restTime) }
