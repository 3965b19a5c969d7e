package structure

import (
	"cmp"
	"image"
	"image/color"
	"slices"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene/icicle"
	"diptych/internal/scene/legend"
	scene "diptych/internal/scene/structure"
	"diptych/internal/session"
	"diptych/internal/structure"
	"diptych/internal/ui/flags"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// StateOf translates a session's snapshot for the scene.
func StateOf(st *session.State, pal *palette.Palette, scale float32) *scene.State {
	t, o := treeIn(st), ownOf(st)
	ss := &scene.State{Tree: t, Palette: pal, Scale: scale, Rows: st.Rows,
		Area: areaOf(t, o), Root: rootOf(t, o), Input: o.Input, Linking: o.Linking,
		Icicles: colourOf(st, t, o.Icicles), Treemap: colourOf(st, t, o.Treemap), Height: o.Height,
		Hover: hovered(t, st), Selected: selected(t, st)}
	for i := range st.Sides {
		sd := &st.Sides[i]
		ss.Sides[i] = scene.Side{Trace: sd.Trace, Tracks: st.Tracks[i],
			Headers: len(st.Tracks[i]) > 1, Focus: sd.Focus, Scroll: st.Scroll[i],
			Selected: view.RefsOn(pair.Side(i), st.Selected), Hover: view.RefsOn(pair.Side(i), st.Hover)}
		if st.Process {
			ss.Sides[i].Levels, ss.Sides[i].Deeper = st.Levels, sd.Deeper
		}
	}
	return ss
}

// hasLines reports whether anything is known of lines of source code.
func hasLines(t *structure.Tree) bool { return t != nil && t.Nodes[0].Lines > 0 }

// areaOf returns what the areas of cells stand for. Without lines all have the same.
func areaOf(t *structure.Tree, o *Own) structure.Area {
	if o.Area == structure.LinesArea && !hasLines(t) {
		return structure.EqualArea
	}
	return o.Area
}

// colourOf returns what colours stand for: of one trace nothing is compared, and of a profile, in
// which nothing starts, the start that was chosen for other traces leaves the packages.
func colourOf(st *session.State, t *structure.Tree, c scene.Colour) scene.Colour {
	if c.Metric == scene.ByFirst && st.Profile() {
		c.Metric = scene.ByPackage
	}
	if t == nil || t.Sums[0] == nil || t.Sums[1] == nil {
		c.Of = scene.Both
	}
	return c
}

// build builds the view with its legend below. The legend has one line, whatever there is to
// explain, so that the scene keeps its size while the pointer moves.
func build(ss *scene.State, st *session.State, size image.Point, a *scene.Arena) *scene.View {
	dp := max(ss.Scale, 1e-3)
	all := geom.Size{W: float32(size.X), H: float32(size.Y)}
	line := kit.LegendHeight(oneLine(ss.Palette), all.W, dp)
	if line > all.H*mostLegend {
		line = 0
	}
	v := scene.Build(ss, geom.Size{W: all.W, H: all.H - line}, a)
	if line > 0 {
		kit.AddLegend(v.Scene, fitting(entries(ss, st, v), all.W, dp, line), ss.Palette, dp)
		v.Scene.Size.H = all.H
	}
	flags.Draw(v.Scene, flagsIn(st, v, dp), ss.Palette, dp)
	return v
}

// flagsIn lays out the flags of the notes in a view.
func flagsIn(st *session.State, v *scene.View, dp float32) []flags.Flag {
	return flags.Heads(st, flags.Stacks([2]*icicle.Drawing{v.Sides[0].Drawing, v.Sides[1].Drawing}), dp)
}

// mostLegend is the share of the height that the legend may take.
const mostLegend = .12

// oneLine is a legend of one line, to measure by.
func oneLine(pal *palette.Palette) []legend.Entry {
	return []legend.Entry{{Label: "package", Swatch: legend.Swatch{Colours: []color.NRGBA{pal.A}}}}
}

// entries explain the colours of a view. Scales come first, for they alone have numbers.
func entries(ss *scene.State, st *session.State, v *scene.View) []legend.Entry {
	if ss.Tree == nil {
		return nil
	}
	all := legend.Structure(legend.Options{Palette: ss.Palette, Unit: words.UnitOf(st),
		Profile: st.Profile(), Calls: ss.Tree.CallNoun() + "s"}, ss, v)
	slices.SortStableFunc(all, func(x, y legend.Entry) int {
		return cmp.Compare(rank(x.Swatch.Kind), rank(y.Swatch.Kind))
	})
	return all
}

func rank(k legend.Kind) int {
	if k == legend.Gradient {
		return 0
	}
	return 1
}

// fitting returns as many entries as fit into a legend of the given height.
func fitting(all []legend.Entry, width, dp, height float32) []legend.Entry {
	for n := len(all); n > 0; n-- {
		if kit.LegendHeight(all[:n], width, dp) <= height+.5 {
			return all[:n]
		}
	}
	return nil
}
