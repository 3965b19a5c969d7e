package legend

import (
	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/typeface"
)

// Measures in dp.
const (
	textSize   = 11
	swatchSize = 12
	wide       = 48 // a gradient's width
	near       = 6  // between a swatch and its label
	apart      = 16 // between entries
	lineHeight = 18
)

// place is where an entry goes.
type place struct {
	swatch, text geom.Rect
	label        string // cut to the width there is
}

// lay sets the entries in lines from r's top left corner. It returns the rectangle they take, which
// may be higher than r. A label that is wider than r is cut.
func lay(entries []Entry, r geom.Rect, dp float32) ([]place, geom.Rect) {
	places := make([]place, 0, len(entries))
	taken := geom.Rect{X0: r.X0, Y0: r.Y0, X1: r.X0, Y1: r.Y0}
	x, y := r.X0, r.Y0
	for _, e := range entries {
		lead := (e.Swatch.width() + near) * dp
		label := typeface.Clip(e.Label, r.W()-lead, textSize*dp)
		width := lead + typeface.Width(label, textSize*dp, false)
		if x > r.X0 && x+width > r.X1 {
			x, y = r.X0, y+lineHeight*dp
		}
		bottom, rest := y+lineHeight*dp, (lineHeight-swatchSize)/2*dp
		places = append(places, place{
			swatch: geom.Rect{X0: x, X1: x + lead - near*dp, Y0: y + rest, Y1: bottom - rest},
			text:   geom.Rect{X0: x + lead, X1: x + width, Y0: y, Y1: bottom},
			label:  label,
		})
		taken.X1, taken.Y1 = max(taken.X1, x+width), bottom
		x += width + apart*dp
	}
	return places, taken
}

// Measure returns the size that entries take where there is room for width px.
func Measure(entries []Entry, width, scale float32) geom.Size {
	_, taken := lay(entries, geom.Rect{X1: width}, dpOf(scale))
	return geom.Size{W: taken.W(), H: taken.H()}
}

// Draw sets the entries in lines from r's top left corner and returns the rectangle they take,
// which is higher than r if they do not fit. Scale is px per dp, 0 for 1.
func Draw(l *scene.Layer, entries []Entry, r geom.Rect, p *palette.Palette,
	scale float32) geom.Rect {
	dp := dpOf(scale)
	places, taken := lay(entries, r, dp)
	for i, at := range places {
		s := sample{l, at.swatch, p, dp}
		s.draw(entries[i].Swatch)
		l.Write(scene.Text{Rect: at.text, Text: at.label, Fill: p.Secondary, Size: textSize * dp})
	}
	return taken
}

func dpOf(scale float32) float32 {
	if scale <= 0 {
		return 1
	}
	return scale
}
