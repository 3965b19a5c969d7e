package ui

import (
	"diptych/internal/palette"
	"diptych/internal/scene/legend"
	"diptych/internal/scene/matches"
	"diptych/internal/scene/overview"
	"diptych/internal/session"
	"diptych/internal/ui/words"
)

// matchLegend explains the colours of the matches. Without the view it is as long as with it.
func matchLegend(st *session.State, v *matches.View, pal *palette.Palette) []legend.Entry {
	if !st.Both() || st.Found == nil || st.Style.Hidden {
		return nil
	}
	o := legend.Options{
		Palette: pal, Unit: words.UnitOf(st), Colour: st.Style.Colour, Viewpoint: int(st.Viewpoint),
		Relative: st.Style.Relative, Similarity: st.Style.Similarity, Brush: true,
		Boxes:   !st.Lighter,
		Repeats: st.Found.Repeats[0].Len()+st.Found.Repeats[1].Len() > 0,
	}
	o.Far = .25 // as long in words as any, to measure by
	if v != nil && v.Links != nil {
		o.Far = v.Links.Far
	} else if !o.Relative {
		o.Far = 888e6
	}
	return legend.Matches(o)
}

// barLegend explains the colours of the overview's bars.
func barLegend(st *session.State, v *overview.View, pal *palette.Palette) []legend.Entry {
	if !st.Both() || st.Found == nil || st.Found.Rung == nil || v == nil {
		return nil
	}
	return legend.Overview(legend.Options{Palette: pal, Unit: words.UnitOf(st), Turn: v.Turn,
		Lit: true})
}

// alignLegend explains the colours of the alignment.
func alignLegend(st *session.State, pal *palette.Palette) []legend.Entry {
	if st.Shown() == nil {
		return nil
	}
	return legend.Alignment(legend.Options{Palette: pal, Unit: words.UnitOf(st), Boxes: !st.Lighter,
		Moved: len(st.Shown().Prepared.Moves) > 0})
}

// besidesStates returns what the legend of the alignment explains besides the states.
func besidesStates(entries []legend.Entry) []legend.Entry {
	return entries[min(len(words.StateNames), len(entries)):]
}
