package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"diptych/internal/pair"
	"diptych/internal/scene/links"
	"diptych/internal/session"
)

// matchSettings are the keys of --set that say which matches are shown and how.
var matchSettings = map[string]setting{
	"tau": {"threshold of similarity, 0 to 0.99 in hundredths", setTau, true},
	"lambda": {"thickness of a tube's middle, as a share of its ends'",
		share(func(st *session.Style, v float32) { st.Lambda = v }), true},
	"band": {"share of the height where nothing bends, such as 0.4 or 40%",
		share(func(st *session.Style, v float32) { st.Band = v }), true},
	"bundling": {"strength of the bundling, 0 (straight) to 1",
		share(func(st *session.Style, v float32) { st.Strength = v }), true},
	"shape": {"tubes, lines, both or none: how matches are drawn", choices{
		"tubes": drawn(links.Tubes),
		"lines": drawn(links.Lines),
		"both":  drawn(links.Both),
		"none":  styled(func(st *session.Style) { st.Hidden = true }),
	}.apply, true},
	"colour": {"shift, trace-a, trace-b or plain: what the colours of matches show", choices{
		"shift":   styled(func(st *session.Style) { st.Colour = links.TimeShift }),
		"trace-a": tracewise(pair.A),
		"trace-b": tracewise(pair.B),
		"plain":   styled(func(st *session.Style) { st.Colour = links.Plain }),
	}.apply, true},
	"similarity": {"on or off: whether matches show how similar they are",
		either("on", "off", func(st *session.Style, on bool) { st.Similarity = on }), true},
	"matches": {"best or all: each call's most similar matches or all of them",
		either("all", "best", func(st *session.Style, all bool) { st.All = all }), true},
	"frames": {"on or off: whether calls that fill the view are matched too",
		either("on", "off", func(st *session.Style, on bool) { st.Frames = on }), true},
	"layout": {"bundled or original: hierarchical edge bundling as first published",
		either("original", "bundled", func(st *session.Style, on bool) { st.Original = on }), true},
	"relative": {"on or off: shifts as shares of each trace's duration rather than in ns",
		either("on", "off", func(st *session.Style, on bool) { st.Relative = on }), true},
	"scheme": {"usual or colour-blind: the colours of shifts",
		either("colour-blind", "usual", func(st *session.Style, on bool) { st.ColourBlind = on }), true},
	"motion": {"on or off: whether views slide to where they are sent", choices{
		"on":  func(s *session.Session) { s.SetStill(false) },
		"off": func(s *session.Session) { s.SetStill(true) },
	}.apply, true},
	"hover": {"A:TID:INDEX, the call under the pointer, by pre-order index", setHover, false},
}

// styled makes a choice of a change of style.
func styled(set func(*session.Style)) func(*session.Session) {
	return func(s *session.Session) { s.SetStyle(set) }
}

func drawn(as links.Shape) func(*session.Session) {
	return styled(func(st *session.Style) { st.Shape, st.Hidden = as, false })
}

func tracewise(side pair.Side) func(*session.Session) {
	return func(s *session.Session) {
		s.SetStyle(func(st *session.Style) { st.Colour = links.TraceCentric })
		s.SetViewpoint(side)
	}
}

// either makes a setting of a switch, by what its two positions are called.
func either(on, off string, set func(*session.Style, bool)) func(*session.Session, string) error {
	return choices{
		on:  styled(func(st *session.Style) { set(st, true) }),
		off: styled(func(st *session.Style) { set(st, false) }),
	}.apply
}

// share makes a setting of a number from 0 to 1, which may be given in percent.
func share(set func(*session.Style, float32)) func(*session.Session, string) error {
	return func(s *session.Session, v string) error {
		n, err := parseShare(v)
		if err == nil {
			s.SetStyle(func(st *session.Style) { set(st, float32(n)) })
		}
		return err
	}
}

func parseShare(v string) (float64, error) {
	text, percent := strings.CutSuffix(v, "%")
	n, err := strconv.ParseFloat(text, 64)
	if percent {
		n /= 100
	}
	if err != nil || !(n >= 0 && n <= 1) {
		return 0, fmt.Errorf("want a number from 0 to 1, or 0%% to 100%%")
	}
	return n, nil
}

func setTau(s *session.Session, v string) error {
	n, err := strconv.ParseFloat(v, 64)
	hundredths := math.Round(n * 100)
	if err != nil || !(hundredths >= 0 && hundredths < 100) || math.Abs(n*100-hundredths) > 1e-6 {
		return fmt.Errorf("want 0 to 0.99 in hundredths")
	}
	s.SetTau(int(hundredths))
	return nil
}

func setHover(s *session.Session, v string) error {
	t, err := callNamed(s, v)
	if err == nil {
		s.SetHover(t)
	}
	return err
}
