package ui

import (
	"image"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene/icicle"
	"diptych/internal/scene/legend"
	"diptych/internal/scene/matches"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
)

// matchState is the view's state as the session's snapshot gives it.
func (a *App) matchState(st *session.State) *matches.State {
	return MatchState(st, a.kit.Pal, a.kit.Px(1))
}

// buildMatches builds the view with its legend and more below.
func buildMatches(ms *matches.State, st *session.State, size image.Point, a *matches.Arena,
	more []legend.Entry) *matches.View {
	dp := max(ms.Scale, 1e-3)
	all := geom.Size{W: float32(size.X), H: float32(size.Y)}
	more = kit.Fitting(more, matchLegend(st, nil, ms.Palette), all, dp)
	entries := kit.Fitting(append(matchLegend(st, nil, ms.Palette), more...), nil, all, dp)
	v := matches.Build(ms, geom.Size{W: all.W, H: all.H - kit.LegendHeight(entries, all.W, dp)}, a)
	if len(entries) > 0 {
		kit.AddLegend(v.Scene, append(matchLegend(st, v, ms.Palette), more...), ms.Palette, dp)
	}
	drawPins(v.Scene, st, matchPins(st, v), ms.Palette, dp)
	return v
}

// MatchState translates a session's snapshot for the view of matches; the headless renderer uses it
// too.
func MatchState(st *session.State, pal *palette.Palette, scale float32) *matches.State {
	ms := &matches.State{Palette: pal, Scale: scale, Rows: st.Rows, Links: LinkState(st)}
	if st.Lighter {
		ms.Detail = icicle.Lighter
	}
	for i := range st.Sides {
		sd := &st.Sides[i]
		ms.Sides[i] = matches.Side{Trace: sd.Trace, Tracks: st.Tracks[i], Headers: len(st.Tracks[i]) > 1,
			Focus: sd.Focus, Scroll: st.Scroll[i], Emphasis: emphasis(st, pair.Side(i))}
		if st.Process {
			ms.Sides[i].Levels = st.Levels
		}
		ms.Sides[i].Selected = refsOn(pair.Side(i), st.Selected)
		if f := st.Found; f != nil {
			ms.Sides[i].Repeats = matches.Repeats{Calls: &f.Graph.Sides[i].Calls, In: f.Repeats[i].In}
		}
	}
	if st.Hover.OK {
		ms.Hover(int(st.Hover.Side), st.Hover.Ref)
	}
	return ms
}

// followHint shows the matches that a hint tells of.
func followHint(s *session.Session, h *matches.Hint) {
	for _, side := range []pair.Side{pair.A, pair.B} {
		switch h.Where[side] {
		case matches.Left, matches.Right:
			s.SetFocus(side, h.Focus[side])
		case matches.Above, matches.Below:
			s.Scroll(side, h.Scroll[side])
		}
	}
	if h.Context {
		s.SetStyle(func(st *session.Style) { st.Frames = true })
	}
}

// emphasis makes search hits stand out; without a search it is nil.
func emphasis(st *session.State, side pair.Side) func(thread, from, to int) icicle.Emphasis {
	if st.Search.Query == "" {
		return nil
	}
	return func(thread, from, to int) icicle.Emphasis {
		switch some, known := st.Search.Found(side, thread, from, to); {
		case !known:
			return icicle.Normal
		case some:
			return icicle.Strong
		}
		return icicle.Pale
	}
}
