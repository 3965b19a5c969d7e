package scene

import (
	"image/color"

	"diptych/internal/geom"
	"diptych/internal/typeface"
)

// Where the two sides are at different scales, a bar on either axis stands for the same stretch of
// time: what is as wide above and below does not last as long.

// Measures of the bar, dp.
const (
	cueMost  = 90 // length on the side on which it is longer
	cueLeast = 2
	cueTall  = 9
	cueLine  = 2
	cueGap   = 5 // between the bar and its label
)

// sameScale is the ratio of scales up to which no bar is needed.
const sameScale = 1.01

// Cue is a bar that stands for a time on an axis, and its label.
type Cue struct {
	Time float64 // in the unit of the axes; 0 where no bar is needed
	Unit string
	Size float32 // of the label, px
	DP   float32 // px a dp
}

// NewCue returns the bar of two axes, whose units are the same. They need none while they are at
// one scale, and have no room for one if they are not much longer than it.
func NewCue(x, y geom.Axis, unit string, size, dp float32) Cue {
	c := Cue{Unit: unit, Size: size, DP: dp}
	if x.Span.Len() <= 0 || y.Span.Len() <= 0 || min(x.X1-x.X0, y.X1-y.X0) < 4*cueMost*dp {
		return c
	}
	less, more := min(x.NsPerPx(), y.NsPerPx()), max(x.NsPerPx(), y.NsPerPx())
	if more > sameScale*less {
		c.Time = geom.RoundDown(cueMost * float64(dp) * less)
	}
	return c
}

// Draw draws the bar at the right end of a strip along an axis, and its label before it, and
// returns where both are; nothing if the bar is not needed.
func (c Cue) Draw(l *Layer, axis geom.Axis, strip geom.Rect, fill, ink color.NRGBA) geom.Rect {
	if c.Time <= 0 {
		return geom.Rect{}
	}
	text := geom.FormatValue(c.Time, c.Unit)
	w := max(float32(c.Time/axis.NsPerPx()), cueLeast*c.DP)
	mid := (strip.Y0 + strip.Y1) / 2
	bar := geom.Rect{X0: strip.X1 - w, X1: strip.X1, Y0: mid - cueTall/2*c.DP, Y1: mid + cueTall/2*c.DP}
	l.Fill(geom.Rect{X0: bar.X0, X1: bar.X1, Y0: mid - cueLine/2*c.DP, Y1: mid + cueLine/2*c.DP}, fill)
	for _, x := range []float32{bar.X0, bar.X1 - c.DP} {
		l.Fill(geom.Rect{X0: x, X1: x + c.DP, Y0: bar.Y0, Y1: bar.Y1}, fill)
	}
	name := geom.Rect{X1: bar.X0 - cueGap*c.DP, Y0: strip.Y0, Y1: strip.Y1}
	name.X0 = name.X1 - typeface.Width(text, c.Size, true) - 1
	l.Write(Text{Rect: name, Text: text, Fill: ink, Size: c.Size, Bold: true})
	return geom.Rect{X0: name.X0, X1: bar.X1, Y0: strip.Y0, Y1: strip.Y1}
}
