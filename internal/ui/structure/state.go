package structure

import (
	"image"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	scene "diptych/internal/scene/structure"
	"diptych/internal/session"
	"diptych/internal/structure"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
)

// StateOf translates a session's snapshot for the scene.
func StateOf(st *session.State, pal *palette.Palette, scale float32) *scene.State {
	t, o := treeIn(st), ownOf(st)
	ss := &scene.State{Tree: t, Palette: pal, Scale: scale, Rows: st.Rows,
		Area: areaOf(t, o), Root: rootOf(t, o), Input: o.Input, Linking: o.Linking,
		Icicles: colourOf(t, o.Icicles), Treemap: colourOf(t, o.Treemap), Height: o.Height,
		Hover: hovered(t, st), Selected: selected(t, st)}
	for i := range st.Sides {
		sd := &st.Sides[i]
		ss.Sides[i] = scene.Side{Trace: sd.Trace, Tracks: st.Tracks[i],
			Headers: len(st.Tracks[i]) > 1, Focus: sd.Focus, Scroll: st.Scroll[i],
			Selected: view.RefsOn(pair.Side(i), st.Selected), Hover: view.RefsOn(pair.Side(i), st.Hover)}
		if st.Process {
			ss.Sides[i].Levels = st.Levels
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

// colourOf returns what colours stand for: of one trace nothing is compared.
func colourOf(t *structure.Tree, c scene.Colour) scene.Colour {
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
	return v
}

// mostLegend is the share of the height that the legend may take.
const mostLegend = .12
