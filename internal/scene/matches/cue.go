package matches

import (
	"diptych/internal/geom"
	"diptych/internal/scene"
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
)

// sameScale is the ratio of scales up to which no bar is needed.
const sameScale = 1.01

// cueTime returns the time that the bars of both sides stand for, in the unit of the axes; 0 while
// both are at one scale.
func (b *builder) cueTime() float64 {
	if !b.both() {
		return 0
	}
	x, y := b.v.Sides[A].Axis, b.v.Sides[B].Axis
	if x.Span.Len() <= 0 || y.Span.Len() <= 0 || x.X1-x.X0 < 4*cueMost*b.dp {
		return 0
	}
	less, more := min(x.NsPerPx(), y.NsPerPx()), max(x.NsPerPx(), y.NsPerPx())
	if more <= sameScale*less {
		return 0
	}
	return geom.RoundDown(cueMost * float64(b.dp) * less)
}

// cue draws the bar of side k at the right end of its axis, its label before it, and returns where.
func (b *builder) cue(k int, l *scene.Layer, strip geom.Rect) geom.Rect {
	t := b.cueTime()
	if t <= 0 {
		return geom.Rect{}
	}
	pal, size := b.st.Palette, textSize*b.dp
	text := geom.FormatValue(t, string(b.st.Sides[k].Trace.Unit))
	w := max(float32(t/b.v.Sides[k].Axis.NsPerPx()), cueLeast*b.dp)
	mid := (strip.Y0 + strip.Y1) / 2
	bar := geom.Rect{X0: strip.X1 - w, X1: strip.X1, Y0: mid - cueTall/2*b.dp, Y1: mid + cueTall/2*b.dp}
	l.Fill(geom.Rect{X0: bar.X0, X1: bar.X1, Y0: mid - cueLine/2*b.dp, Y1: mid + cueLine/2*b.dp}, pal.Side(k))
	for _, x := range []float32{bar.X0, bar.X1 - b.dp} {
		l.Fill(geom.Rect{X0: x, X1: x + b.dp, Y0: bar.Y0, Y1: bar.Y1}, pal.Side(k))
	}
	name := geom.Rect{X1: bar.X0 - 5*b.dp, Y0: strip.Y0, Y1: strip.Y1}
	name.X0 = name.X1 - typeface.Width(text, size, true) - 1
	l.Write(scene.Text{Rect: name, Text: text, Fill: pal.Text, Size: size, Bold: true})
	return geom.Rect{X0: name.X0, X1: bar.X1, Y0: strip.Y0, Y1: strip.Y1}
}
