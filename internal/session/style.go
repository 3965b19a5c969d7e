package session

import (
	"diptych/internal/pair"
	"diptych/internal/scene/links"
)

// Style is how matches are drawn. Shares are from 0 to 1.
type Style struct {
	Lambda   float32 // λ: thickness of a tube's middle, as a share of its ends'
	Band     float32 // height of the band free of bends, as a share of the pane's
	Strength float32 // of the bundling: 0 straight, 1 along the control tree
	Shape    links.Shape
	Colour   links.Colour

	Similarity  bool // shown by opacity and highlights
	All         bool // every match rather than each call's best
	Frames      bool // also matches of calls that fill the view
	Original    bool // Holten's bundling, for comparison
	Relative    bool // shifts as shares of each trace's duration rather than ns
	Hidden      bool // no matches at all
	ColourBlind bool // a scheme that does not rest on red and green
}

// usualStyle is the style to start with.
var usualStyle = Style{
	Lambda: 0.35, Band: 0.40, Strength: 0.85, Shape: links.Tubes, Colour: links.TimeShift,
}

// TubeColour returns what the colours of matches say: what was chosen, but nothing about time
// shifts where there is no time.
func (s *State) TubeColour() links.Colour {
	if s.Style.Colour == links.TimeShift && s.Profile() {
		return links.Plain
	}
	return s.Style.Colour
}

// Thresholds of similarity, in hundredths.
const (
	usualTau = 20 // match.DefaultTau
	mostTau  = 99
)

// SetTau chooses the threshold of similarity, in hundredths.
func (s *Session) SetTau(h int) {
	h = min(max(h, 0), mostTau)
	if h == s.state.Tau {
		return
	}
	s.apply(func(st *State) {
		st.Tau = h
		st.eachPane(func() {
			if st.Found != nil {
				st.amend(st.Found.of, func(f *Found) { f.atTau(h) })
			}
		})
	})
}

// SetStyle changes how matches are drawn.
func (s *Session) SetStyle(f func(*Style)) {
	style := s.state.Style
	f(&style)
	for _, share := range []*float32{&style.Lambda, &style.Band, &style.Strength} {
		*share = min(max(*share, 0), 1)
	}
	if style != s.state.Style {
		s.apply(func(st *State) { st.Style = style })
	}
}

// SetViewpoint chooses the side whose view of the matches colours show.
func (s *Session) SetViewpoint(side pair.Side) {
	if side != s.state.Viewpoint {
		s.apply(func(st *State) { st.Viewpoint = side })
	}
}
