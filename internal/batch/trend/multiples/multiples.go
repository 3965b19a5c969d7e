// Package multiples draws a trend as small multiples (Tufte, "The Visual Display of Quantitative
// Information", 1983): a panel for each series, the totals first, with the values of all commits,
// their levels, and the commits at which these change. Each panel has a scale of its own, which
// need not begin at 0, so steps of a few per cent can be seen.
package multiples

import (
	"fmt"
	"image/color"
	"io"
	"math"

	"diptych/internal/batch/trend"
	"diptych/internal/escape"
	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/plural"
	"diptych/internal/scene"
	"diptych/internal/scene/svg"
	"diptych/internal/typeface"
)

// Lengths in px.
const (
	margin   = 16
	gap      = 12
	heading  = 58 // above the panels
	textSize = 12
	line     = 16  // a line of text
	least    = 280 // width of a panel
	low      = 180 // its height, at least
)

// Size is how large the picture is unless something else is asked for.
var Size = geom.Size{W: 1280, H: 720}

// Write writes the picture as an SVG file, on a light ground.
func Write(w io.Writer, t *trend.Trend) error {
	p := palette.Light()
	picture := svg.Picture{Title: title(t), Size: Size, Ground: p.Ground,
		Parts: []svg.Part{{Scene: Draw(t, Size, p)}}}
	return picture.Write(w)
}

// drawing is a picture in the making.
type drawing struct {
	*trend.Trend
	*palette.Palette
	*scene.Layer
}

// Draw returns the picture in the given size: as many series as have room.
func Draw(t *trend.Trend, size geom.Size, p *palette.Palette) *scene.Scene {
	s := &scene.Scene{Size: size}
	d := &drawing{t, p, s.Layer(geom.Rect{})}
	d.head(size)
	columns := max(int((size.W-2*margin+gap)/(least+gap)), 1)
	rows := max(int((size.H-heading-margin+gap)/(low+gap)), 1)
	w := (size.W - 2*margin - float32(columns-1)*gap) / float32(columns)
	h := (size.H - heading - margin - float32(rows-1)*gap) / float32(rows)
	for k := range min(len(t.Series), columns*rows) {
		x := margin + float32(k%columns)*(w+gap)
		y := heading + float32(k/columns)*(h+gap)
		d.panel(&t.Series[k], geom.Rect{X0: x, Y0: y, X1: x + w, Y1: y + h})
	}
	return s
}

// title says what the picture shows.
func title(t *trend.Trend) string {
	measured := map[trend.Measure]string{trend.OfB: "Times of side B", trend.OfA: "Times of side A",
		trend.Ratio: "Times of B over those of A"}[t.Measure]
	if len(t.Commits) == 1 {
		return fmt.Sprintf("%s at one commit, %s", measured, escape.Line(t.Commits[0].Name))
	}
	return fmt.Sprintf("%s over %d commits, %s to %s", measured, len(t.Commits),
		escape.Line(t.Commits[0].Name), escape.Line(t.Commits[len(t.Commits)-1].Name))
}

// head writes the title, what was found, and what the marks mean.
func (d *drawing) head(size geom.Size) {
	width := size.W - 2*margin
	at := geom.Rect{X0: margin, Y0: 10, X1: margin + width, Y1: 30}
	d.Write(scene.Text{Rect: at, Text: typeface.Shorten(title(d.Trend), width, 16, true), Fill: d.Text,
		Size: 16, Bold: true})
	found := fmt.Sprintf("%s in %s and the totals, %s; %s summed up",
		plural.Of(len(d.Changes), "change"), plural.Of(d.Tested, "tested function"), plural.Of(len(d.Drifts), "drift"), plural.Of(d.Pairs, "pair"))
	if !d.Enough {
		found = fmt.Sprintf("Not tested: a change needs at least %d commits; %s summed up", trend.Least,
			plural.Of(d.Pairs, "pair"))
	}
	at = at.Offset(0, 22)
	room := max(d.legend(at)-gap-at.X0, 0)
	d.Write(scene.Text{Rect: at, Text: typeface.Clip(found, room, textSize), Fill: d.Secondary,
		Size: textSize})
}

// legend says what the marks mean, from the right border on, and returns where it begins.
func (d *drawing) legend(at geom.Rect) float32 {
	y := (at.Y0 + at.Y1) / 2
	x := at.X1
	for _, mark := range []struct {
		name string
		draw func(x float32)
	}{
		{"change, where it may be", func(x float32) {
			d.Fill(geom.Rect{X0: x, Y0: y - 7, X1: x + 15, Y1: y + 7}, d.doubt())
			d.Fill(geom.Rect{X0: x + 7, Y0: y - 7, X1: x + 8, Y1: y + 7}, d.Error)
		}},
		{"level", func(x float32) { d.Fill(geom.Rect{X0: x, Y0: y - 1, X1: x + 16, Y1: y + 1}, d.Text) }},
		{"set aside as an outlier", func(x float32) { d.dot(geom.Point{X: x + 9, Y: y}, true) }},
		{"commit", func(x float32) { d.dot(geom.Point{X: x + 9, Y: y}, false) }},
	} {
		w := typeface.Width(mark.name, textSize, false)
		x -= w
		d.Write(scene.Text{Rect: geom.Rect{X0: x, Y0: at.Y0, X1: x + w + 1, Y1: at.Y1}, Text: mark.name,
			Fill: d.Secondary, Size: textSize})
		x -= 22
		mark.draw(x)
		x -= margin
	}
	return x
}

// doubt is the colour of commits at which a change may be.
func (d *drawing) doubt() color.NRGBA { return palette.Mix(d.Pane, d.Error, .15) }

// dot draws the value of a commit, an outlier as a ring.
func (d *drawing) dot(at geom.Point, outlier bool) {
	const r = 2.5
	ink := d.B
	if d.Measure == trend.OfA {
		ink = d.A
	}
	q := scene.Quad{Rect: geom.Rect{X0: at.X - r, Y0: at.Y - r, X1: at.X + r, Y1: at.Y + r}, Fill: ink,
		Radius: r, U1: 1}
	if outlier {
		q.Shade, q.Line = scene.Outline, 1
	}
	d.Quads = append(d.Quads, q)
}

// name returns what a series is of.
func name(s *trend.Series) string {
	switch s.Kind {
	case trend.Elapsed:
		return "Total: elapsed"
	case trend.Work:
		return "Total: work"
	}
	return escape.Line(s.Function)
}

// value returns what is measured of a series at a commit: ns, or a ratio (NaN if A has none).
func (d *drawing) value(s *trend.Series, k int) float64 {
	switch d.Measure {
	case trend.OfA:
		return float64(s.ANs[k])
	case trend.Ratio:
		if s.ANs[k] == 0 {
			return math.NaN()
		}
		return float64(s.BNs[k]) / float64(s.ANs[k])
	}
	return float64(s.BNs[k])
}
