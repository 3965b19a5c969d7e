package matches

import (
	"image"

	"diptych/internal/geom"
	"diptych/internal/match"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene/icicle"
	"diptych/internal/scene/legend"
	"diptych/internal/scene/links"
	"diptych/internal/scene/matches"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/ui/flags"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/pins"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// build builds the view with its legend and more below.
func build(ms *matches.State, st *session.State, size image.Point, a *matches.Arena,
	more []legend.Entry) *matches.View {
	dp := max(ms.Scale, 1e-3)
	all := geom.Size{W: float32(size.X), H: float32(size.Y)}
	more = kit.Fitting(more, matchLegend(st, nil, ms.Palette), all, dp)
	entries := kit.Fitting(append(matchLegend(st, nil, ms.Palette), more...), nil, all, dp)
	v := matches.Build(ms, geom.Size{W: all.W, H: all.H - kit.LegendHeight(entries, all.W, dp)}, a)
	if len(entries) > 0 {
		kit.AddLegend(v.Scene, append(matchLegend(st, v, ms.Palette), more...), ms.Palette, dp)
	}
	pins.Draw(v.Scene, st, pins.Heads(st, drawings(v)), ms.Palette, dp)
	flags.Draw(v.Scene, flagsIn(st, v, dp), ms.Palette, dp)
	return v
}

// flagsIn lays out the flags of the notes in a view.
func flagsIn(st *session.State, v *matches.View, dp float32) []flags.Flag {
	return flags.Heads(st, flags.Stacks(drawings(v)), dp)
}

// drawings returns the stacks of both sides, nil where there are none.
func drawings(v *matches.View) [2]*icicle.Drawing {
	return [2]*icicle.Drawing{v.Sides[0].Drawing, v.Sides[1].Drawing}
}

// StateOf translates a session's snapshot for the scene.
func StateOf(st *session.State, pal *palette.Palette, scale float32) *matches.State {
	ms := &matches.State{Palette: pal, Scale: scale, Rows: st.Rows, Links: linkState(st)}
	if st.Lighter {
		ms.Detail = icicle.Lighter
	}
	for i := range st.Sides {
		sd := &st.Sides[i]
		if sd.Trace == nil && sd.Growing != nil {
			ms.Sides[i] = growing(st, sd.Growing)
			continue
		}
		ms.Sides[i] = matches.Side{Trace: sd.Trace, Tracks: st.Tracks[i], Headers: len(st.Tracks[i]) > 1,
			Focus: sd.Focus, Scroll: st.Scroll[i], Emphasis: view.Emphasis(st, pair.Side(i))}
		if st.Process {
			ms.Sides[i].Levels, ms.Sides[i].Deeper = st.Levels, sd.Deeper
			ms.Sides[i].Headers = true
			ms.Sides[i].Tail = words.QuietLine(st, pair.Side(i))
		}
		ms.Sides[i].Selected = view.RefsOn(pair.Side(i), st.Selected, st.Before)
		if f := st.Found; f != nil && f.Repeats[i] != nil {
			ms.Sides[i].Repeats = matches.Repeats{Calls: &f.Graph.Sides[i].Calls, In: f.Repeats[i].In}
		}
	}
	if st.Hover.OK {
		ms.Hover(int(st.Hover.Side), st.Hover.Ref)
	}
	return ms
}

// growing is a side whose trace is being loaded.
func growing(st *session.State, g *session.Growing) matches.Side {
	sd := matches.Side{Trace: g.Trace, Tracks: g.Tracks(st.Process), Headers: st.Process, Focus: g.Span(),
		Loading: &matches.Loading{Read: g.Read(st.Process), Note: words.Reading(g)}}
	if st.Process {
		sd.Levels = st.Levels
	}
	return sd
}

// How many matches are drawn while the view moves and once it rests.
const (
	movingBudget  = 2_000
	restingBudget = 20_000
)

// linkState translates a session's snapshot for the matches between the two sides.
func linkState(st *session.State) links.State {
	style := &st.Style
	ls := links.State{
		Tau:    match.Hundredths(st.Tau),
		Budget: restingBudget,
		All:    style.All, Frames: style.Frames, Relative: style.Relative,
		Colour: st.TubeColour(), Similarity: style.Similarity, Viewpoint: int(st.Viewpoint),
		Lambda: style.Lambda, Band: style.Band, Strength: style.Strength, Original: style.Original,
	}
	ls.Morph, ls.Spine = style.Shape.Shares()
	if st.Found == nil || style.Hidden || !st.Both() {
		return ls
	}
	ls.Graph = st.Found.Graph
	if st.Aligned != nil {
		ls.AlignedBy = [2]any{st.Aligned.Pair, st.Aligned.Anchors}
		ls.Aligned = func(side int, ref trace.CallRef) (trace.CallRef, bool) {
			t := st.Partner(session.Target{Side: pair.Side(side), Ref: ref, OK: true})
			return t.Ref, t.OK
		}
	}
	ls.Marked = brush(st.Selected)
	return ls
}

func brush(t session.Target) []links.Brush {
	if !t.OK {
		return nil
	}
	return []links.Brush{{Side: int(t.Side), Ref: t.Ref}}
}

// matchLegend explains the colours of the matches. Without the view it is as long as with it.
func matchLegend(st *session.State, v *matches.View, pal *palette.Palette) []legend.Entry {
	if !st.Both() || st.Found == nil || st.Style.Hidden {
		return nil
	}
	o := legend.Options{
		Palette: pal, Unit: words.UnitOf(st), Colour: st.TubeColour(), Profile: st.Profile(), Viewpoint: int(st.Viewpoint),
		Relative: st.Style.Relative, Similarity: st.Style.Similarity, Brush: true,
		Boxes:   !st.Lighter,
		Repeats: st.Found.Repeated(),
	}
	o.Far = .25 // as long in words as any, to measure by
	if v != nil && v.Links != nil {
		o.Far = v.Links.Far
	} else if !o.Relative {
		o.Far = 888e6
	}
	return legend.Matches(o)
}
