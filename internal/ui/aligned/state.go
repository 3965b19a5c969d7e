package aligned

import (
	"image"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene/aligned"
	"diptych/internal/scene/icicle"
	"diptych/internal/scene/legend"
	"diptych/internal/session"
	"diptych/internal/ui/flags"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/pins"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// StateOf translates a session's snapshot for the scene, but for the rows of thread pairs.
func StateOf(st *session.State, pal *palette.Palette, scale float32) *aligned.State {
	as := &aligned.State{Palette: pal, Scale: scale, Rows: st.Rows, Focus: st.Virtual}
	if st.Lighter {
		as.Detail = icicle.Lighter
	}
	v := st.Shown()
	if v == nil {
		return as
	}
	as.Prepared = v.Prepared
	for _, side := range []pair.Side{pair.A, pair.B} {
		as.Hover[side] = view.RefsOn(side, st.Hover)
		as.Selected[side] = view.RefsOn(side, st.Selected)
		as.Emphasis[side] = view.Emphasis(st, side)
	}
	as.Band = st.SkewBand()
	as.PairScroll = -1
	as.Pins = pinsOn(st, v)
	return as
}

// build builds the view with its legend below. Where there is little room the legend leaves
// out what a bar above the view explains.
func build(as *aligned.State, st *session.State, size image.Point, bar bool,
	arena *aligned.Arena) *aligned.View {
	dp := max(as.Scale, 1e-3)
	all := geom.Size{W: float32(size.X), H: float32(size.Y)}
	entries := kit.Fitting(entriesOf(st, as.Palette), nil, all, dp)
	if bar && len(entries) == 0 && len(as.Pairs) == 0 {
		entries = kit.Fitting(besidesStates(entriesOf(st, as.Palette)), nil, all, dp)
	}
	v := aligned.Build(as, geom.Size{W: all.W, H: all.H - kit.LegendHeight(entries, all.W, dp)}, arena)
	if len(entries) > 0 {
		kit.AddLegend(v.Scene, entries, as.Palette, dp)
	}
	flags.Draw(v.Scene, flagsIn(st, v, dp), as.Palette, dp)
	return v
}

// flagsIn lays out the flags of the notes in a view. Times are those of the recordings, which lie
// elsewhere on the axis.
func flagsIn(st *session.State, v *aligned.View, dp float32) []flags.Flag {
	shown := st.Shown()
	if shown == nil {
		return nil
	}
	sides := flags.Stacks([2]*icicle.Drawing{v.Sides[0].Drawing, v.Sides[1].Drawing})
	for _, side := range []pair.Side{pair.A, pair.B} {
		sides[side].X = func(at float64) float32 { return v.Axis.X(float64(shown.At(side, int64(at)))) }
	}
	return flags.Heads(st, sides, dp)
}

// pinsOn returns the pins for the scene: all of them, in the order of pins.Of, without calls those
// of other threads.
func pinsOn(st *session.State, v *session.Shown) []aligned.Pin {
	var out []aligned.Pin
	for _, p := range pins.Of(st) {
		pin := aligned.Pin{Calls: [2]int{-1, -1}}
		for side, t := range p.Ends() {
			if t.OK && int(t.Ref.Thread) == v.Indices[side] {
				pin.Calls[side] = int(t.Ref.Call)
			}
		}
		out = append(out, pin)
	}
	return out
}

// entriesOf explains the colours of the alignment.
func entriesOf(st *session.State, pal *palette.Palette) []legend.Entry {
	if st.Shown() == nil {
		return nil
	}
	return legend.Alignment(legend.Options{Palette: pal, Unit: words.UnitOf(st), Profile: st.Profile(), Boxes: !st.Lighter,
		Moved: len(st.Shown().Prepared.Moves) > 0, Runs: st.SkewBand() != nil})
}

// besidesStates returns what the legend of the alignment explains besides the states.
func besidesStates(entries []legend.Entry) []legend.Entry {
	return entries[min(len(words.StateNames), len(entries)):]
}
