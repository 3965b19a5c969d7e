package aligned

import (
	"image/color"
	"math"
	"strconv"
	"strings"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/typeface"
)

// dissimilarity draws the strip from cold to hot, one value a pixel.
func (b *builder) dissimilarity() {
	r := b.v.Dissimilarity
	if r.Empty() {
		return
	}
	b.name(b.v.Scene.Layer(geom.Rect{}), r, "dissimilarity")
	l := b.v.Scene.Layer(r)
	length := float64(max(b.p.Virtual.Length, 1))
	b.line(l, r, 0, length, func(at float64) color.NRGBA {
		return b.pal.Heat(float32(dissimilarity(b.p.Timeline, at/length)))
	})
}

// line fills r with a colour for each pixel that lies within [from, to] of virtual time; pixels in
// one colour become one quad.
func (b *builder) line(l *scene.Layer, r geom.Rect, from, to float64,
	of func(at float64) color.NRGBA) {
	x0 := max(r.X0, b.v.Axis.X(from))
	end := min(r.X1, b.v.Axis.X(to))
	if x0 >= end {
		return
	}
	run := geom.Rect{X0: x0, X1: x0, Y0: r.Y0, Y1: r.Y1}
	var fill color.NRGBA
	for x := x0; x < end; x++ {
		c := of(b.v.Axis.T(min(x+.5, end)))
		if c != fill && run.X1 > run.X0 {
			l.Fill(run, fill)
			run.X0 = x
		}
		fill, run.X1 = c, min(x+1, end)
	}
	l.Fill(run, fill)
}

// cursor draws a hairline through all parts, and what the strips show there.
func (b *builder) cursor() {
	if b.st.Cursor == nil || !b.st.Focus.Contains(*b.st.Cursor) {
		return
	}
	at := *b.st.Cursor
	x, heat, skew := b.v.Axis.X(at), b.v.Dissimilarity, b.v.Skew
	bottom := max(b.v.Sides[pair.B].Bounds.Y1, heat.Y1, skew.Y1)
	l := b.v.Scene.Layer(geom.Rect{})
	l.Fill(geom.Rect{X0: x, X1: x + b.dp, Y0: axisRoom * b.dp, Y1: bottom},
		palette.WithAlpha(b.st.Palette.Hover, 0x90))
	if at < 0 || at > float64(b.p.Virtual.Length) {
		return
	}
	read := b.p.At(int64(at))
	if !skew.Empty() {
		y := b.skewY(read.Skew)
		dot := geom.Rect{X0: x - 3*b.dp, X1: x + 4*b.dp, Y0: y - 3*b.dp, Y1: y + 4*b.dp}
		l.Quads = append(l.Quads,
			scene.Quad{Rect: dot, Fill: b.st.Palette.Text, Radius: 3.5 * b.dp, U1: 1})
		b.chip(l, x, skew, y, b.signed(read.Skew))
	}
	if !heat.Empty() {
		b.chip(l, x, heat, (heat.Y0+heat.Y1)/2, percent(read.Dissimilarity))
	}
}

// skewCache remembers the skew at each pixel for as long as the axis stays.
type skewCache struct {
	of        *Prepared
	band      *Band
	axis      geom.Axis
	value     []int64 // by px; only within the alignment
	low, high []int64 // of the band, by px; empty without one
	first     int     // the px of the first
}

// at finds the skew at the middle of each pixel of the axis within the alignment, and the band.
func (c *skewCache) at(p *Prepared, band *Band, ax geom.Axis) {
	if c.of == p && c.band == band && c.axis == ax {
		return
	}
	c.of, c.band, c.axis, c.value, c.first = p, band, ax, c.value[:0], 0
	c.low, c.high = c.low[:0], c.high[:0]
	last := place{from: -1}
	for x := 0; float32(x) < ax.X1-ax.X0; x++ {
		t := ax.T(ax.X0 + float32(x) + .5)
		switch {
		case t < 0:
			c.first = x + 1
		case t <= float64(p.Virtual.Length):
			real := p.reachFrom(int64(t), &last)
			c.value = append(c.value, p.skew(real))
			if band != nil {
				low, high := band.at(p, real)
				c.low, c.high = append(c.low, low), append(c.high, high)
			}
		}
	}
}

// skew draws the skew as a line over or under zero, filled in the colour of the side that has run
// longer so far, with a scale of its own.
func (b *builder) skew() {
	r := b.v.Skew
	if r.Empty() {
		return
	}
	b.a.skew.at(b.p, b.st.Band, b.v.Axis)
	b.v.SkewSpan = span(b.a.skew.value, b.a.skew.low, b.a.skew.high)
	b.scale()
	l := b.v.Scene.Layer(r)
	b.band(l)
	zero, w := b.skewY(0), 2*b.dp
	before := float32(math.NaN())
	for i := 0; i < len(b.a.skew.value); {
		v, n := b.a.skew.value[i], 1
		for i+n < len(b.a.skew.value) && b.a.skew.value[i+n] == v {
			n++
		}
		y := b.skewY(v)
		x := r.X0 + float32(b.a.skew.first+i)
		ink := b.pal.SkewA
		if v < 0 {
			ink = b.pal.SkewB
		}
		area := geom.Rect{X0: x, X1: x + float32(n), Y0: min(y, zero), Y1: max(y, zero)}
		if v != 0 {
			l.Fill(area, palette.Mix(b.st.Palette.Pane, ink, .14))
		}
		if before != before {
			before = y
		}
		l.Fill(geom.Rect{X0: x, X1: x + 1, Y0: min(y, before) - w/2, Y1: max(y, before) + w/2}, ink)
		l.Fill(geom.Rect{X0: x, X1: x + float32(n), Y0: y - w/2, Y1: y + w/2}, ink)
		before, i = y, i+n
	}
}

// scale draws the zero line and what the strip's borders stand for, how much longer which side has
// run, as far as the names of both
// find room beside each other.
func (b *builder) scale() {
	l, r, pal := b.v.Scene.Layer(geom.Rect{}), b.v.Skew, b.st.Palette
	size, zero := textSize*b.dp, b.skewY(0)
	l.Fill(geom.Rect{X0: r.X0, X1: r.X1, Y0: zero, Y1: zero + b.dp}, pal.Line)
	mark := func(y float32, text string) {
		l.Fill(geom.Rect{X0: r.X0 - 5*b.dp, X1: r.X0 - b.dp, Y0: y, Y1: y + b.dp}, pal.Secondary)
		b.name(l, geom.Rect{Y0: y - size/2, Y1: y + size/2 + 1}, text)
	}
	far := func(x, y float32) bool { return max(x-y, y-x) > size+2*b.dp }
	mid, lo, hi := (r.Y0+r.Y1)/2, b.v.SkewSpan[0], b.v.SkewSpan[1]
	if hi > 0 && far(zero, r.Y0) {
		mark(r.Y0, "A "+b.bound(hi))
	}
	if lo < 0 && far(zero, r.Y1) {
		mark(r.Y1-b.dp, "B "+b.bound(-lo))
	}
	if !far(zero, mid) {
		mark(zero, "skew  0")
		return
	}
	mark(zero, "0")
	if far(mid, r.Y0) && far(mid, r.Y1) {
		b.name(l, geom.Rect{Y0: mid - size/2, Y1: mid + size/2 + 1}, "skew")
	}
}

// skewY returns the height of a skew in its strip.
func (b *builder) skewY(v int64) float32 {
	r, lo, hi := b.v.Skew, float64(b.v.SkewSpan[0]), float64(b.v.SkewSpan[1])
	if hi <= lo {
		return (r.Y0 + r.Y1) / 2
	}
	share := (hi - float64(v)) / (hi - lo)
	return r.Y0 + float32(share)*(r.H()-b.dp)
}

// span returns round bounds for values and zero.
func span(lists ...[]int64) (s [2]int64) {
	lo, hi := int64(0), int64(0)
	for _, values := range lists {
		for _, v := range values {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return [2]int64{-roundUp(-lo), roundUp(hi)}
}

// roundUp returns the least of 1, 1.5, 2, 3, 5, 7 times a power of ten that is not below v ≥ 0.
func roundUp(v int64) int64 {
	if v <= 0 {
		return 0
	}
	base := math.Pow(10, math.Floor(math.Log10(float64(v))))
	for _, m := range []float64{1, 1.5, 2, 3, 5, 7} {
		if m*base >= float64(v) {
			return int64(math.Ceil(m * base))
		}
	}
	return int64(10 * base)
}

// signed writes a skew.
func (b *builder) signed(v int64) string {
	text := geom.FormatValue(float64(v), b.unit())
	if v > 0 {
		return "+" + text
	}
	return text
}

// unit is that of both axes.
func (b *builder) unit() string { return string(b.p.Status.Unit) }

// bound writes a round skew without the zeros that fill it up to three digits.
func (b *builder) bound(v int64) string {
	number, unit, _ := strings.Cut(b.signed(v), " ")
	if strings.Contains(number, ".") {
		number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
	}
	return number + " " + unit
}

// percent writes a share.
func percent(v float64) string { return strconv.FormatFloat(100*v, 'f', 0, 64) + " %" }

// chip writes a value at height y of a part beside the cursor at x, on whichever side has room.
func (b *builder) chip(l *scene.Layer, x float32, part geom.Rect, y float32, text string) {
	pal, size := b.st.Palette, textSize*b.dp
	w, h := typeface.Width(text, size, true)+8*b.dp, size+3*b.dp
	r := geom.Rect{X0: x + 6*b.dp, X1: x + 6*b.dp + w}
	if r.X1 > part.X1 {
		r.X0, r.X1 = x-6*b.dp-w, x-6*b.dp
	}
	r.Y0 = min(max(y-h/2, part.Y0-b.dp), part.Y1+b.dp-h)
	r.Y1 = r.Y0 + h
	l.Quads = append(l.Quads,
		scene.Quad{Rect: r, Fill: palette.WithAlpha(pal.Pane, 0xe8), Radius: 3 * b.dp, U1: 1})
	r.X0 += 4 * b.dp
	l.Write(scene.Text{Rect: r, Text: text, Fill: pal.Text, Size: size, Bold: true})
}
