package threads

import (
	"image/color"
	"math"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/trace"
)

// A correspondence is a spike with three anchors: the wait's start and end on the thread that
// waited, and the release on the one that released (SyncTrace, IV-B1). Its sides are Bézier curves
// that leave both ends towards the middle of the ring. The further apart the ends lie, the closer
// to the middle the curves come.

// ribbon is a drawn shape and what it stands for.
type ribbon struct {
	shape    scene.Ribbon
	wait     int // −1 for an aggregate's
	at       int64
	release  trace.CallRef
	place    int // of the thread that waited
	from, to int // calls of an aggregate
}

// Measures in dp and opacities.
const (
	nearPull   = .32 // how far to the centre control points lie, for ends side by side
	farPull    = .86 // and for ends that face each other
	circle     = 3   // radius of a release's circle
	stubLength = .22 // of a wait that nobody released, as a share of the zero radius
)

// inks are the opacities of a correspondence's fill and border by stress.
var inks = [...][2]uint8{faded: {0x10, 0x28}, normal: {0x48, 0xc8},
	marked: {0x50, 0xff}, strong: {0x70, 0xff}}

// A fill wider than wide dp becomes paler, down to wideInk of its opacity: large areas are loud
// even so.
const (
	wide    = 70
	wideInk = .45
)

// darkInk is the share of its opacity that a fill keeps on a dark ground, where it is louder.
const darkInk = .5

// knotInk is the share of its opacity that a fill keeps where both ends lie in one section, whose
// threads waited for each other: such bands lie over one another.
const knotInk = .3

// beyondInk is the share of its opacity that is left where the release is out of sight.
const beyondInk = .4

// correspond draws correspondences into the layer under, and their markers over the stacks.
func (b *builder) correspond(under int) {
	links := b.choose()
	crowd := b.crowds(links)
	b.compounds(under)
	marks := b.layer(b.v.Stacks)
	b.drawMarkers(b.at(marks), b.markersOf(links))
	for k := range links {
		l := &links[k]
		c := b.colour(l)
		shape, beyond := b.spike(l)
		ink := inks[l.stress]
		if beyond {
			ink = [2]uint8{uint8(float32(ink[0]) * beyondInk), uint8(float32(ink[1]) * beyondInk)}
		}
		if l.stress < strong {
			ink[1] = uint8(float32(ink[1]) * crowd[l.from+1].line)
			ink[0] = uint8(float32(ink[0]) * crowd[l.from+1].fill)
		}
		if b.pal.Dark {
			ink[0] = uint8(float32(ink[0]) * darkInk)
		}
		if l.from == l.to {
			ink[0] = uint8(float32(ink[0]) * knotInk)
		}
		if l.width > wide*b.dp {
			ink[0] = uint8(float32(ink[0]) * max(wide*b.dp/l.width, wideInk))
		}
		shape.Fill, shape.Ink = palette.WithAlpha(c, ink[0]), palette.WithAlpha(c, ink[1])
		shape.Line = b.dp
		if b.changed(l) {
			shape.Line = 1.6 * b.dp
		}
		b.at(under).Ribbons = append(b.at(under).Ribbons, shape)
		b.v.ribbons = append(b.v.ribbons, ribbon{shape: shape, wait: l.wait,
			at: l.at, release: l.release, place: l.from})
	}
	l := b.at(under)
	others := len(l.Ribbons) - len(links)
	l.Ribbons = l.Ribbons[:others+len(merged(l.Ribbons[others:]))]
	b.arcOverlays(links)
	b.circlesOf(links)
}

// merged returns the first of all that are equal, as opaque as all of them over each other, in the
// storage of all. Waits that outlast the view for releases out of sight have one shape: drawn one
// by one, the soft edges of hundreds would add up to hard ones, and take as long.
func merged(all []scene.Ribbon) []scene.Ribbon {
	count, kept := make(map[scene.Ribbon]int, len(all)), 0
	for _, r := range all {
		count[r]++
	}
	for _, r := range all {
		n := count[r]
		if n == 0 {
			continue // drawn already
		}
		count[r] = 0
		r.Fill.A, r.Ink.A = piled(r.Fill.A, n), piled(r.Ink.A, n)
		all[kept] = r
		kept++
	}
	return all[:kept]
}

// piled returns the opacity of n layers of opacity a over each other.
func piled(a uint8, n int) uint8 {
	if n == 1 {
		return a
	}
	return uint8(math.Round(255 * (1 - math.Pow(1-float64(a)/255, float64(n)))))
}

// Where many lines lie close together, or many fills over each other, they would become a block of
// colour. So lines that are less than roomy dp apart on average lose opacity, but keep crowdInk of
// it, and so do fills where more than layers of them lie over each other on average.
const (
	roomy    = 5
	crowdInk = .1
	layers   = 4
)

// keeps is what share of their opacity the lines and fills of a place keep.
type keeps struct{ line, fill float32 }

// crowds returns what lines and fills keep, for the focus thread and then by place.
func (b *builder) crowds(links []link) []keeps {
	n, deep := make([]float32, len(b.v.sections)+1), make([]float32, len(b.v.sections)+1)
	for k := range links {
		n[links[k].from+1]++
		deep[links[k].from+1] += links[k].width
	}
	out := make([]keeps, len(n))
	for k := range n {
		out[k] = keeps{1, 1}
		if width := float32(b.width(k - 1)); n[k] > 0 && width > 0 {
			out[k].line = min(max(width/(roomy*b.dp)/n[k], crowdInk), 1)
			out[k].fill = min(layers*width/max(deep[k], 1), 1)
		}
	}
	return out
}

// spike returns the shape of a correspondence, and whether the release is out of sight.
func (b *builder) spike(l *link) (s scene.Ribbon, beyond bool) {
	ws := &b.v.waits.Waits
	p0 := b.anchor(l.from, float64(ws.Start[l.wait]))
	p1 := b.anchor(l.from, float64(ws.End[l.wait]))
	if l.to == Nowhere {
		q := b.lerp(mid(p0, p1), b.turnPoint(l.from, mid(p0, p1)), stubLength)
		s.Edges = [2][4]geom.Point{straightCurve(p0, q), straightCurve(p1, q)}
		return s, false
	}
	view := b.st.view(l.to)
	beyond = !view.Contains(float64(l.at))
	q := b.anchor(l.to, float64(l.at))
	s.Edges = [2][4]geom.Point{b.edge(l.from, p0, l.to, q), b.edge(l.from, p1, l.to, q)}
	return s, beyond
}

// anchor returns the point of a place's inner border at time t. For a time out of sight it is the
// nearer end of the border.
func (b *builder) anchor(place int, t float64) geom.Point {
	view := b.st.view(place)
	t = min(max(t, view.Start), view.End)
	if place == Main {
		return geom.Point{X: b.v.Axis.X(t), Y: b.v.Stacks.Y1}
	}
	return b.v.Ring.point(b.v.Ring.Zero, b.v.sections[place].angle(t))
}

// edge returns the curve between points of two places.
func (b *builder) edge(from int, p geom.Point, to int, q geom.Point) [4]geom.Point {
	far := math.Hypot(float64(p.X-q.X), float64(p.Y-q.Y)) / float64(2*b.v.Ring.Zero)
	pull := nearPull + (farPull-nearPull)*float32(min(far, 1))
	return [4]geom.Point{p, b.lerp(p, b.turnPoint(from, p), pull),
		b.lerp(q, b.turnPoint(to, q), pull), q}
}

// turnPoint is the point that a curve heads for when it leaves a place. That is the centre of the
// ring, or for the focus thread a point further down, so that curves leave it downwards.
func (b *builder) turnPoint(place int, p geom.Point) geom.Point {
	c := b.v.Ring.Centre
	if place != Main {
		return c
	}
	return geom.Point{X: p.X + (c.X-p.X)*.45, Y: c.Y + .2*b.v.Ring.Zero}
}

func (b *builder) lerp(p, q geom.Point, t float32) geom.Point {
	return geom.Point{X: p.X + (q.X-p.X)*t, Y: p.Y + (q.Y-p.Y)*t}
}

func mid(p, q geom.Point) geom.Point { return geom.Point{X: (p.X + q.X) / 2, Y: (p.Y + q.Y) / 2} }

// straightCurve is a straight line as a curve.
func straightCurve(p, q geom.Point) [4]geom.Point {
	return [4]geom.Point{p, {X: (2*p.X + q.X) / 3, Y: (2*p.Y + q.Y) / 3},
		{X: (p.X + 2*q.X) / 3, Y: (p.Y + 2*q.Y) / 3}, q}
}

// circlesOf marks the moments of release with circles, and waits that nobody released with squares.
func (b *builder) circlesOf(links []link) {
	layer := b.layer(geom.Rect{})
	l := b.at(layer)
	for k := range links {
		c := &links[k]
		fill := b.colour(c)
		if c.stress == faded {
			fill = palette.Mix(fill, b.pal.Pane, .7)
		}
		if c.to == Nowhere {
			shape, _ := b.spike(c)
			b.square(l, shape.Edges[0][3], fill)
			continue
		}
		if !b.st.view(c.to).Contains(float64(c.at)) {
			continue
		}
		radius := float32(circle) * b.dp
		if c.stress >= marked {
			radius *= 1.35
		}
		at := b.anchor(c.to, float64(c.at))
		dot(l, at, radius+b.dp, b.pal.Pane)
		dot(l, at, radius, fill)
		b.v.releases = append(b.v.releases, disc{at: at, radius: radius + b.dp, place: c.to,
			ribbon: len(b.v.ribbons) - len(links) + k})
	}
}

// dot appends a filled circle.
func dot(l *scene.Layer, at geom.Point, radius float32, c color.NRGBA) {
	l.Quads = append(l.Quads, scene.Quad{Fill: c, Radius: radius, U1: 1, Rect: geom.Rect{
		X0: at.X - radius, Y0: at.Y - radius, X1: at.X + radius, Y1: at.Y + radius}})
}

// square appends the mark of a wait without a release.
func (b *builder) square(l *scene.Layer, at geom.Point, c color.NRGBA) {
	r := geom.Rect{X0: at.X - 4*b.dp, Y0: at.Y - 4*b.dp, X1: at.X + 4*b.dp, Y1: at.Y + 4*b.dp}
	l.Fill(r, b.pal.Pane)
	l.Border(r, c, 2*b.dp)
}
