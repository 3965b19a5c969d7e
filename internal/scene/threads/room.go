package threads

import (
	"slices"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/scene/icicle"
	"diptych/internal/trace"
)

// The pane is divided here. From the top: the title, the overview, the time axis, the focus
// thread's stacks, the splitter, and the semicircle. Above the semicircle is room for
// correspondences to turn.

// Heights in dp, and shares.
const (
	barRow    = 4  // of a level in the overview
	barLevels = 6  // that the overview shows at most
	barMost   = 30 // of a bar of the overview
	mostBars  = 3  // bars, the focus thread's included
	hang      = 20 // below the stacks, where correspondences set out

	leastMain = 60 // of the stacks
	leastRing = 90 // of the context

	// In a pane lower than lowPane the stacks and the context may be lower, and what there is no
	// room for is left out: the overview below barsFrom, the time axis below axisFrom and the count
	// of waits below footFrom.
	lowPane      = 300
	leastLowMain = 30
	leastLowRing = 50
	barsFrom     = 230
	axisFrom     = 190
	footFrom     = 160
	mainShare    = .42 // of the height that the stacks take by themselves at most

	topShare  = .25 // of the context's height that lies above the ring at most
	topLeast  = 14
	topMost   = 130
	ringShare = .40 // of the outer radius that the stacks take by themselves at most
	ringRow   = 18
	ringLeast = 7
	strip     = 3 // height of a folded level

	trunkShare = .9 // of the thread's time that each call of a trunk lasts
)

// divide divides the pane and reports whether there is room for anything.
func (b *builder) divide() bool {
	v, st, h := b.v, b.st, b.v.size.H
	pane := geom.Rect{X0: margin * b.dp, X1: v.size.W - margin*b.dp, Y1: h - footer*b.dp}
	b.least.main, b.least.ring = leastMain*b.dp, leastRing*b.dp
	if h < lowPane*b.dp {
		b.least.main, b.least.ring = leastLowMain*b.dp, leastLowRing*b.dp
	}
	if b.footless = h < footFrom*b.dp; b.footless {
		pane.Y1 = h
	}
	if pane.W() < leastRing*b.dp || !(st.View.Len() > 0) ||
		pane.H() < (header+splitRoom)*b.dp+b.least.main+b.least.ring {
		return false
	}
	y := pane.Y0 + header*b.dp
	split := y
	if len(st.Focus.Threads) > 0 {
		if h >= barsFrom*b.dp {
			y += b.placeBars(pane, y)
		}
		timeless := b.v.trace.Kind == trace.Profile // its axis is no time
		if h >= graphsFrom*b.dp && !timeless {
			v.Graph = geom.Rect{X0: pane.X0, X1: pane.X1, Y0: y, Y1: y + graphHeight*b.dp}
			y = v.Graph.Y1
		}
		if b.axisless = h < axisFrom*b.dp; !b.axisless {
			y += axisRoom * b.dp
			v.Strip = geom.Rect{X0: pane.X0, X1: pane.X1, Y0: y, Y1: y}
			if !timeless {
				v.Strip.Y1 += stateStrip * b.dp
			}
			y = v.Strip.Y1
		}
		split = b.split(pane, y)
		v.Stacks = geom.Rect{X0: pane.X0, X1: pane.X1, Y0: y, Y1: split}
		v.Axis = geom.Axis{Span: st.view(Main), X0: pane.X0, X1: pane.X1}
		v.Splitter = geom.Rect{X0: pane.X0, X1: pane.X1, Y0: split, Y1: split + splitRoom*b.dp}
		split += splitRoom * b.dp
	}
	v.Context = geom.Rect{X0: pane.X0, X1: pane.X1, Y0: split, Y1: pane.Y1}
	b.placeRing()
	return true
}

// split returns where the stacks end that begin at y.
func (b *builder) split(pane geom.Rect, y float32) float32 {
	most := max(pane.Y1-splitRoom*b.dp-b.least.ring, y)
	if s := b.st.Split; s > 0 && s < 1 {
		return min(max(b.v.size.H*s, y+b.least.main), most)
	}
	most = min(max(b.v.size.H*mainShare, y+b.least.main), most)
	l := b.levels(&b.st.Focus, rowHeight*b.dp, most-y-hang*b.dp)
	return min(y+max(l.offset(l.deeper)+hang*b.dp, b.least.main), most)
}

// placeBars makes room for the overview and returns how high it is.
func (b *builder) placeBars(pane geom.Rect, y float32) float32 {
	from := y
	add := func(place int) {
		depth := min(b.v.trace.Threads[b.st.section(place).Threads[0]].MaxDepth(), barLevels)
		h := min(max(float32(depth)*barRow, 3*barRow), barMost) * b.dp
		r := geom.Rect{X0: pane.X0, X1: pane.X1, Y0: y, Y1: y + h}
		b.v.Bars = append(b.v.Bars, Bar{Place: place, Bounds: r, grip: barGrip * b.dp})
		y += h + 4*b.dp
	}
	add(Main)
	for k := range b.st.Sections {
		if s := &b.st.Sections[k]; s.Bar && len(s.Threads) > 0 && len(b.v.Bars) < mostBars {
			add(k)
		}
	}
	return y - from
}

// placeRing fits the semicircle into the context and its stacks into the ring.
func (b *builder) placeRing() {
	v, c := b.v, b.v.Context
	outer := min(c.W()/2, c.H()-topLeast*b.dp)
	top := min(max(c.H()-outer, topLeast*b.dp), topMost*b.dp, max(topShare*c.H(), topLeast*b.dp))
	outer = max(min(c.W()/2, c.H()-top), 1)
	v.Ring = Ring{Centre: geom.Point{X: (c.X0 + c.X1) / 2, Y: c.Y0 + top}, Outer: outer}
	depth := b.usualDepth()
	if z := b.st.Zero; z > 0 && z < 1 {
		v.Ring.Zero = max(outer*z, 1)
	} else {
		need := float32(depth) * ringRow * b.dp
		v.Ring.Zero = outer - min(max(need, .2*outer), ringShare*outer)
	}
	room := outer - v.Ring.Zero
	v.RingRow = min(max(room/float32(depth), ringLeast*b.dp), ringRow*b.dp)
	b.divideRing()
	for k := range v.sections {
		row := v.RingRow
		if th := b.st.Sections[k].Threads; len(th) > 0 {
			deep := float32(b.v.trace.Threads[th[0]].MaxDepth())
			row = min(row, max(room/max(deep, 1), ringLeast*b.dp))
		}
		v.sections[k].plot = b.levels(&b.st.Sections[k], row, room)
	}
}

// usualDepth returns a stack depth that three quarters of the threads on the ring do not exceed.
// Rows are as high as that depth allows; only deeper threads have lower rows.
func (b *builder) usualDepth() int {
	var depths []int
	for k := range b.st.Sections {
		if th := b.st.Sections[k].Threads; len(th) > 0 {
			depths = append(depths, b.v.trace.Threads[th[0]].MaxDepth())
		}
	}
	if len(depths) == 0 {
		return 1
	}
	slices.Sort(depths)
	return max(depths[(len(depths)-1)*3/4], 1)
}

// levels returns how a section's stack levels lie in a height of room px.
func (b *builder) levels(s *Section, row, room float32) levels {
	l := levels{row: row, foldRow: min(strip*b.dp, row)}
	if len(s.Threads) == 0 {
		return l
	}
	th := b.v.trace.Threads[s.Threads[0]]
	l.deeper = th.MaxDepth()
	switch {
	case s.Fold > 0:
		l.fold = min(s.Fold, max(l.deeper-1, 0))
	case s.Fold == 0 && float32(l.deeper)*row > room:
		l.fold = max(0, int(b.ready.trunks[s.Threads[0]])-1)
	}
	for l.shown = l.deeper; l.shown > 0 && l.offset(l.shown-1) >= room; l.shown-- {
	}
	return l
}

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
