package ui

import (
	"image"
	"os"
	"path/filepath"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/scene/links"
	"diptych/internal/session"
	"diptych/internal/traceio/text"
)

// constructed returns a session with a pair that stands for one of TraceDiff's figures.
func constructed(t *testing.T, name string) *session.Session {
	t.Helper()
	s := session.New(func() {})
	s.Whole = true
	for _, side := range []pair.Side{pair.A, pair.B} {
		file := name + [2]string{"-a.txt", "-b.txt"}[side]
		path := filepath.Join(testdata, "tracediff", file)
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		tr, err := text.Parse(path, f)
		if err != nil {
			t.Fatal(err)
		}
		s.Put(side, path, tr)
	}
	s.Settle(t.Context())
	return s
}

// figures are the situations that TraceDiff's figures show, by the figure's number.
var figures = []struct {
	name, pair string
	style      func(st *session.Style)
	height     int
}{
	{"3a-original", "undulation", func(st *session.Style) {
		st.Original, st.Shape = true, links.Lines
	}, 420},
	{"3c-bundled", "undulation", func(st *session.Style) { st.Shape = links.Lines }, 420},
	{"4b-original-low", "undulation", func(st *session.Style) { st.Original = true }, 260},
	{"4d-bundled-low", "undulation", func(st *session.Style) {}, 260},
	{"5b-lines", "nesting", func(st *session.Style) { st.Shape = links.Lines }, 420},
	{"5c-tubes", "nesting", func(st *session.Style) {}, 420},
	{"5d-both", "nesting", func(st *session.Style) { st.Shape = links.Both }, 420},
	{"6-replication", "replication", func(st *session.Style) {}, 420},
	{"7-permutation", "permutation", func(st *session.Style) {}, 420},
	{"8-outliers", "outliers", func(st *session.Style) { st.Colour = links.TraceCentric }, 420},
	{"9-strength", "strength", func(st *session.Style) { st.Similarity = true }, 420},
	{"10c-thin", "nesting", func(st *session.Style) { st.Lambda = .05 }, 420},
	{"10d-thick", "nesting", func(st *session.Style) { st.Lambda = .7 }, 420},
}

func TestFigureGoldens(t *testing.T) {
	for _, f := range figures {
		t.Run(f.name, func(t *testing.T) {
			s := constructed(t, f.pair)
			s.SetStyle(f.style)
			s.Settle(t.Context())
			golden(t, "figure-"+f.name, snapshot(t, single(t, s, "matches"), image.Pt(640, f.height), 1))
		})
	}
}

// TestFigure2 shows bars of both sides, and those lit that hold matches of the call pointed at.
func TestFigure2(t *testing.T) {
	s := opened(t, pairs["queue"]...)
	st := s.State()
	th := st.Tracks[pair.A][0]
	s.SetHover(session.Target{Side: pair.A, Ref: refOf(th, 1), OK: true})
	s.Settle(t.Context())
	golden(t, "figure-2-overview", snapshot(t, single(t, s, "overview"), image.Pt(640, 220), 1))
}
