package threads

import (
	"cmp"
	"image/color"
	"math"
	"slices"
	"sort"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
)

// A wait marker lies over the thread that released a wait, from the wait's start to its end, and
// shows what that thread did meanwhile. Its start is shaded, so that one can tell starts apart
// where markers overlap. A marker without a shaded start began before what is in sight (SyncTrace,
// IV-B1).

const (
	mostMarkers = 60 // on the focus thread, and as many again that stand out
	thinAfter   = 4  // markers from which on each is paler, however they lie,
	thinnest    = .25
	startWidth  = 4   // of the line at a marker's start, dp
	startFade   = 12  // of what it fades into, dp
	mostCover   = .5  // of the stacks' ink, taken by markers that lie over each other,
	mostEdge    = .55 // and by their starts
	mostFades   = 12  // markers up to which their starts fade out
)

// markerInks are the opacities of a marker's body and of its start by stress.
var markerInks = [...][2]float64{faded: {.03, .12}, normal: {.2, .55}, marked: {.2, .55},
	strong: {.30, .8}}

// leastEdge is the share of its opacity that a marker's start keeps, however pale its body is.
const leastEdge = .5

// marker is the marker of one wait on the focus thread.
type marker struct {
	rect   geom.Rect
	start  bool // its start is in sight
	fill   color.NRGBA
	stress stress
	deep   int // most markers that lie over one point of it, itself included
	of     int // how many markers there are
}

// markersOf returns one marker for each wait that ended on the focus thread, however many releases
// of it are drawn: the widest, and those that stand out. Those that stand out most come last.
func (b *builder) markersOf(links []link) []marker {
	at := map[int]int{} // by wait
	var list []marker
	for k := range links {
		l := &links[k]
		if l.to != Main {
			continue
		}
		if i, seen := at[l.wait]; seen {
			list[i].stress = max(list[i].stress, l.stress)
			continue
		}
		if r, start := b.markerRect(l); r.W() > 0 {
			at[l.wait] = len(list)
			list = append(list, marker{rect: r, start: start, fill: b.colour(l), stress: l.stress})
		}
	}
	slices.SortStableFunc(list, func(x, y marker) int {
		return cmp.Or(cmp.Compare(y.stress, x.stress), cmp.Compare(y.rect.W(), x.rect.W()))
	})
	n := 0
	for n < len(list) && list[n].stress == strong {
		n++
	}
	list = slices.Concat(list[:min(n, mostMarkers)], list[n:min(n+mostMarkers, len(list))])
	slices.Reverse(list)
	stackMarkers(list)
	return list
}

// stackMarkers works out how many markers lie over each other. The most over a marker are found at
// its start or at the start of one that begins within it.
func stackMarkers(list []marker) {
	byStart := make([]int, len(list))
	starts, ends := make([]float32, len(list)), make([]float32, len(list))
	for k := range list {
		list[k].of = len(list)
		byStart[k], starts[k], ends[k] = k, list[k].rect.X0, list[k].rect.X1
	}
	slices.SortFunc(byStart, func(x, y int) int {
		return cmp.Compare(list[x].rect.X0, list[y].rect.X0)
	})
	slices.Sort(starts)
	slices.Sort(ends)
	upTo := func(sorted []float32, x float32) int {
		return sort.Search(len(sorted), func(k int) bool { return sorted[k] > x })
	}
	for i, k := range byStart {
		m := &list[k]
		m.deep = upTo(starts, m.rect.X0) - upTo(ends, m.rect.X0)
		for _, j := range byStart[i+1:] {
			x := list[j].rect.X0
			if x >= m.rect.X1 {
				break
			}
			m.deep = max(m.deep, upTo(starts, x)-upTo(ends, x))
		}
	}
}

// inks returns the opacities of a marker's body and start. Where n markers lie over each other,
// each is so pale that together they take no more than mostCover of what lies beneath:
//
//	1 − (1 − a)ⁿ ≤ mostCover
func (m *marker) inks() (body, edge float64) {
	body, edge = markerInks[m.stress][0], markerInks[m.stress][1]
	thin := 1.
	if m.stress != strong {
		thin = min(max(thinAfter/float64(max(m.of, 1)), thinnest), 1)
	}
	thin = min(thin, paleOf(m.deep)/body)
	return body * thin, edge * max(thin, leastEdge)
}

// paleOf is the opacity at which n shapes over each other take mostCover.
func paleOf(n int) float64 { return 1 - math.Pow(1-mostCover, 1/float64(max(n, 1))) }

// markerRect returns where a wait lies on the focus thread, and whether its start is in sight.
func (b *builder) markerRect(l *link) (r geom.Rect, start bool) {
	ws, view := &b.v.waits.Waits, b.st.view(Main)
	from, to := float64(ws.Start[l.wait]), float64(ws.End[l.wait])
	r = b.v.Stacks
	r.X0, r.X1 = b.v.Axis.X(max(from, view.Start)), b.v.Axis.X(min(to, view.End))
	r.X1 = max(r.X1, r.X0)
	return r, view.Contains(from)
}

// drawMarkers draws markers. Those of one colour that lie over each other are drawn as stretches
// beside each other, each as opaque as all that lie over it are together: many shapes that are each
// nearly transparent would add up to another colour, since each is rounded to one of 256 levels.
func (b *builder) drawMarkers(l *scene.Layer, list []marker) {
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].stress == list[0].stress {
			n++
		}
		for _, fill := range fillsOf(list[:n]) {
			var bodies, starts []tinge
			for k := range list[:n] {
				if m := &list[k]; m.fill == fill {
					bodies, starts = b.tinges(l, m, bodies, starts)
				}
			}
			b.drawTinges(l, fill, bodies, 1)
			b.drawTinges(l, fill, starts, mostEdge)
		}
		list = list[n:]
	}
}

// fillsOf returns the colours of markers in the order in which they come.
func fillsOf(list []marker) (fills []color.NRGBA) {
	for k := range list {
		if !slices.Contains(fills, list[k].fill) {
			fills = append(fills, list[k].fill)
		}
	}
	return fills
}

// tinge is a stretch from x0 to x1 with some opacity.
type tinge struct {
	x0, x1 float32
	ink    float64
}

// tinges adds those of a marker's body and start, and draws what the start fades into.
func (b *builder) tinges(l *scene.Layer, m *marker, bodies, starts []tinge) (body, start []tinge) {
	r := m.rect
	ink, edge := m.inks()
	if b.pal.Dark {
		ink, edge = ink*darkInk, edge*darkInk
	}
	bodies = append(bodies, tinge{r.X0, r.X1, ink})
	if !m.start {
		return bodies, starts
	}
	w := min(startWidth*b.dp, max(r.W()/3, b.dp))
	starts = append(starts, tinge{r.X0, r.X0 + w, edge})
	fade := geom.Rect{X0: r.X0 + w, X1: min(r.X0+w+startFade*b.dp, r.X1), Y0: r.Y0, Y1: r.Y1}
	if fade.W() > 1 && (m.of <= mostFades || m.stress == strong) {
		l.Quads = append(l.Quads, scene.Quad{Rect: fade, Shade: scene.GradientX, U1: 1,
			Fill: palette.WithAlpha(m.fill, uint8(255*edge*.45))})
	}
	return bodies, starts
}

// drawTinges draws stretches that may lie over each other, together at most as opaque as most.
func (b *builder) drawTinges(l *scene.Layer, fill color.NRGBA, list []tinge, most float64) {
	type border struct {
		x   float32
		log float64 // by which the logarithm of what is left of the stacks' ink changes
	}
	borders := make([]border, 0, 2*len(list))
	for _, t := range list {
		log := math.Log1p(-min(t.ink, .999))
		borders = append(borders, border{t.x0, log}, border{t.x1, -log})
	}
	slices.SortFunc(borders, func(x, y border) int { return cmp.Compare(x.x, y.x) })
	log := 0.
	for k, at := range borders {
		log += at.log
		if k+1 == len(borders) || borders[k+1].x == at.x {
			continue
		}
		if ink := uint8(255 * min(-math.Expm1(log), most)); ink > 0 {
			l.Fill(geom.Rect{X0: at.x, X1: borders[k+1].x, Y0: b.v.Stacks.Y0, Y1: b.v.Stacks.Y1},
				palette.WithAlpha(fill, ink))
		}
	}
}

// arcMark is the marker of one wait on the ring.
type arcMark struct{ wait, to int }

// arcOverlays marks on the ring what the hovered waits cover there, once for each wait and section.
func (b *builder) arcOverlays(links []link) {
	if len(b.about.waits)+len(b.about.releases) == 0 {
		return
	}
	layer := b.layer(geom.Rect{})
	marks, deep := map[arcMark]bool{}, map[int]int{}
	var list []*link
	for k := range links {
		l := &links[k]
		if at := (arcMark{l.wait, l.to}); l.stress == strong && l.to >= 0 && !marks[at] {
			marks[at] = true
			deep[l.to]++
			list = append(list, l)
		}
	}
	for _, l := range list {
		b.arcOverlay(b.at(layer), l, min(arcInk, paleOf(deep[l.to])))
	}
}

// Opacities of a marker on the ring and of its start.
const (
	arcInk     = .28
	arcEdgeInk = 0xb0
)

// arcOverlay draws the marker of a wait on the section that released it.
func (b *builder) arcOverlay(to *scene.Layer, l *link, ink float64) {
	ws, p := &b.v.waits.Waits, &b.v.sections[l.to]
	from, end := float64(ws.Start[l.wait]), float64(ws.End[l.wait])
	if end < p.view.Start || from > p.view.End {
		return
	}
	a := scene.Arc{Centre: b.v.Ring.Centre, R0: b.v.Ring.Zero,
		R1:   min(b.v.Ring.Zero+p.plot.offset(max(p.plot.shown, 1)), b.v.Ring.Outer),
		From: float32(p.angle(min(end, p.view.End))),
		To:   float32(p.angle(max(from, p.view.Start))),
		Fill: palette.WithAlpha(b.colour(l), uint8(255*ink)), U1: 1}
	to.Arcs = append(to.Arcs, a)
	if from >= p.view.Start {
		a.From = max(a.From, a.To-startWidth*b.dp/b.v.Ring.Zero)
		a.Fill.A = arcEdgeInk
		to.Arcs = append(to.Arcs, a)
	}
}
