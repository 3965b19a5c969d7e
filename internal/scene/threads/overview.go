package threads

import (
	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/scene/icicle"
	"diptych/internal/trace"
)

// Bar shows a thread whole, and in it what its place shows.
type Bar struct {
	Place  int // Main, or an index into State.Sections
	Bounds geom.Rect
	Axis   geom.Axis // the whole trace to x
	Focus  geom.Rect // what the place shows
	grip   float32
}

// barGrip is half the width in which a handle is caught, dp.
const barGrip = 5

// barCache remembers a bar's quads, which are the same while its place is zoomed and panned.
type barCache struct {
	key   barKey
	layer scene.Layer
	arena icicle.Arena
}

type barKey struct {
	trace  *trace.Trace
	thread int
	bounds geom.Rect
	pal    *palette.Waits
}

// overview draws the bars.
func (b *builder) overview() {
	for k := range b.v.Bars {
		bar := &b.v.Bars[k]
		whole := geom.Span{End: float64(max(b.v.trace.Duration, 1))}
		bar.Axis = geom.Axis{Span: whole, X0: bar.Bounds.X0, X1: bar.Bounds.X1}
		bar.Focus = bar.spanRect(b.st.view(bar.Place), 2*b.dp)
		l := b.at(b.layer(bar.Bounds))
		l.Quads = append(l.Quads, b.whole(&b.a.bars[k], bar)...)
		b.frame(bar)
	}
}

// whole draws a bar's thread if the cache does not have it.
func (b *builder) whole(c *barCache, bar *Bar) []scene.Quad {
	thread := b.st.section(bar.Place).Threads[0]
	key := barKey{b.v.trace, thread, bar.Bounds, b.cols}
	if c.key == key {
		return c.layer.Quads
	}
	c.key = key
	c.layer.Quads = c.layer.Quads[:0]
	levels := max(min(b.v.trace.Threads[thread].MaxDepth(), barLevels), 1)
	row := min(bar.Bounds.H()/float32(levels), 1.5*barRow*b.dp)
	p := icicle.Plot{Trace: b.v.trace, Threads: []int{thread}, Axis: bar.Axis, View: bar.Bounds,
		Row: row, Levels: levels, Palette: b.pal, Detail: icicle.Lighter, CallFill: b.callFill,
		RunFill: b.runFill}
	p.Draw(&c.layer, &c.arena)
	return c.layer.Quads
}

// frame draws what a bar's place shows as a rectangle, and of which thread a bar is.
func (b *builder) frame(bar *Bar) {
	fill, ink := b.pal.Faint(b.st.Side), b.pal.Side(b.st.Side)
	if bar.Focus.W() >= bar.Bounds.W() {
		fill.A = 0 // what covers all marks nothing
	}
	l := b.at(b.layer(geom.Rect{}))
	if bar.Place != Main {
		r := bar.Bounds
		dot(l, geom.Point{X: margin / 2 * b.dp, Y: (r.Y0 + r.Y1) / 2}, 4*b.dp, b.hue(bar.Place))
	}
	l.Quads = append(l.Quads,
		scene.Quad{Rect: bar.Focus, Fill: fill, Radius: 2 * b.dp, U1: 1},
		scene.Quad{Rect: bar.Focus, Fill: ink, Shade: scene.Outline, Line: 1.5 * b.dp,
			Radius: 2 * b.dp, U1: 1})
}

// spanRect returns the full-height rectangle over a time span, at least a few px wide.
func (bar *Bar) spanRect(s geom.Span, least float32) geom.Rect {
	r := bar.Bounds
	r.X0, r.X1 = max(bar.Axis.X(s.Start), r.X0), min(bar.Axis.X(s.End), r.X1)
	if short := least - r.W(); short > 0 {
		r.X0, r.X1 = r.X0-short/2, r.X1+short/2
	}
	return r
}
