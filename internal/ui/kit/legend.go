package kit

import (
	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/scene/legend"
)

// Measures of a legend below a view, in dp.
const (
	legendLeft  = 36 // where the views' plots begin
	legendRight = 12
	legendGap   = 6 // above it
	legendEdge  = 4 // below it
)

// mostLegend is the share of a view's height that its legend may take.
const mostLegend = .12

// LegendHeight returns the height, px, that a legend takes below a view width px wide; dp is the
// size of a device-independent pixel.
func LegendHeight(entries []legend.Entry, width, dp float32) float32 {
	if len(entries) == 0 {
		return 0
	}
	return legend.Measure(entries, width-(legendLeft+legendRight)*dp, dp).H + (legendGap+legendEdge)*dp
}

// Fitting returns entries if a legend of them, after the entries that come first, takes no more
// than a fair share of a view of the given size, else nothing.
func Fitting(entries, first []legend.Entry, size geom.Size, dp float32) []legend.Entry {
	if LegendHeight(append(first, entries...), size.W, dp) > size.H*mostLegend {
		return nil
	}
	return entries
}

// AddLegend makes a scene taller by a legend below it.
func AddLegend(s *scene.Scene, entries []legend.Entry, pal *palette.Palette, dp float32) {
	height := LegendHeight(entries, s.Size.W, dp)
	if height == 0 {
		return
	}
	r := geom.Rect{X0: legendLeft * dp, Y0: s.Size.H + legendGap*dp, X1: s.Size.W - legendRight*dp,
		Y1: s.Size.H + height}
	s.Size.H += height
	legend.Draw(s.Layer(geom.Rect{}), entries, r, pal, dp)
}
