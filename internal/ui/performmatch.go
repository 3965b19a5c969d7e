package ui

import (
	"diptych/internal/command"
	"diptych/internal/pair"
	"diptych/internal/scene/links"
	"diptych/internal/session"
)

// tauStep is how far the keys move the threshold, in hundredths.
const tauStep = 5

// performMatch carries out the commands about matches.
func (a *App) performMatch(id command.ID) {
	s, st := a.S, a.S.State()
	style := func(f func(st *session.Style)) { s.SetStyle(f) }
	switch id {
	case command.ViewMatches:
		s.SetView(session.Matches)
	case command.ViewAlignment:
		s.SetView(session.Alignment)
	case command.FirstDifference:
		s.SetView(session.Alignment)
		a.align.step(a, 0)
	case command.NextDifference:
		s.SetView(session.Alignment)
		a.align.step(a, +1)
	case command.PrevDifference:
		s.SetView(session.Alignment)
		a.align.step(a, -1)
	case command.AlignHere:
		s.AlignHere()
	case command.RemoveAnchors:
		s.RemoveAnchors()
	case command.Compare:
		s.Compare()
	case command.RaiseTau:
		s.SetTau(st.Tau + tauStep)
	case command.LowerTau:
		s.SetTau(st.Tau - tauStep)
	case command.NextGroup:
		a.stepGroup(st, +1)
	case command.PrevGroup:
		a.stepGroup(st, -1)
	case command.CycleColour:
		style(func(x *session.Style) { x.Colour = (x.Colour + 1) % links.Colour(len(colourNames)) })
	case command.ColourShift:
		style(func(x *session.Style) { x.Colour = links.TimeShift })
	case command.ColourTrace:
		style(func(x *session.Style) { x.Colour = links.TraceCentric })
	case command.ColourPlain:
		style(func(x *session.Style) { x.Colour = links.Plain })
	case command.CycleShape:
		a.performMatch(shapeIDs[(shapeOf(&st.Style)+1)%len(shapeIDs)])
	case command.ShapeTubes:
		style(func(x *session.Style) { x.Shape, x.Hidden = links.Tubes, false })
	case command.ShapeLines:
		style(func(x *session.Style) { x.Shape, x.Hidden = links.Lines, false })
	case command.ShapeBoth:
		style(func(x *session.Style) { x.Shape, x.Hidden = links.Both, false })
	case command.ShapeNone:
		style(func(x *session.Style) { x.Hidden = true })
	case command.MatchesBest:
		style(func(x *session.Style) { x.All = false })
	case command.MatchesAll:
		style(func(x *session.Style) { x.All = true })
	case command.ToggleSimilarity:
		style(func(x *session.Style) { x.Similarity = !x.Similarity })
	case command.ToggleRelative:
		style(func(x *session.Style) { x.Relative = !x.Relative })
	case command.ToggleFrames:
		style(func(x *session.Style) { x.Frames = !x.Frames })
	case command.ToggleOriginal:
		style(func(x *session.Style) { x.Original = !x.Original })
	case command.ToggleScheme:
		style(func(x *session.Style) { x.ColourBlind = !x.ColourBlind })
	case command.ToggleMotion:
		s.SetStill(!st.Still)
	default:
		a.performWaits(id)
	}
}

// stepGroup shows the group after (or before) the one that is selected in the list.
func (a *App) stepGroup(st *session.State, step int) {
	if st.Found == nil || len(st.Found.Groups.List) == 0 {
		return
	}
	g := &a.dock.groups
	g.refresh(st, g.query)
	at := -1
	for k, i := range g.shown {
		if g.isChosen(st, &g.of[i]) {
			at = k
			break
		}
	}
	switch {
	case len(g.shown) == 0:
		return
	case at < 0 && step < 0:
		at = 0
	}
	a.showTab(groupsTab)
	n := len(g.shown)
	at = ((at+step)%n + n) % n
	g.choose(a, g.shown[at])
	g.list.ScrollTo(max(0, at-3))
}

// alignTo slides the other trace so that the match of t stands where t does.
func (a *App) alignTo(t session.Target) {
	if st := a.S.State(); st.Found != nil && st.Lock == session.Free && st.Loaded(pair.A) && st.Loaded(pair.B) {
		a.S.AlignTo(t)
	}
}
