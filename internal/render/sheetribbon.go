package render

import (
	"image"

	"diptych/internal/geom"
	"diptych/internal/scene"
)

// sweep is a ribbon in triangles, as ribbon.vert makes them: three strips one after the other, the
// core between both borders and the border along either curve, in drawing order.
type sweep struct {
	corners     [3][2 * ribbonJoints]ribbonCorner
	top, bottom float32 // between which all corners lie
	half        float32 // half of the line's width, px
	fill, ink   color4
	core        int // which strip the core is
}

// ribbonJoints is how many points of a curve a ribbon is made of.
const ribbonJoints = scene.RibbonPieces + 1

// color4 is a colour with alpha multiplied in, as the sheet wants it.
type color4 = [4]float32

// ribbonCorner is a corner of a triangle.
type ribbonCorner struct {
	x, y float32
	form [4]float32 // v_edge and v_ends of ribbon.vert
}

// leastCovered is the share of a pixel from which on it is drawn.
const leastCovered = .004

// far is what a corner has for a distance that does not matter.
const far = 1e3

// joints are the weights of a curve's control points in its points and directions.
var joints = func() (all [ribbonJoints]struct{ point, slope [4]float32 }) {
	for k := range all {
		t := float32(k) / scene.RibbonPieces
		all[k].point = pointWeights(t)
		t = min(max(t, 1e-3), 1-1e-3) // at its ends a curve may stand still
		s := 1 - t
		all[k].slope = [4]float32{-s * s, s*s - 2*s*t, 2*s*t - t*t, t * t}
	}
	return all
}()

func pointWeights(t float32) [4]float32 {
	s := 1 - t
	return [4]float32{s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t}
}

func weighted(c *[4]geom.Point, w *[4]float32) geom.Point {
	return geom.Point{X: c[0].X*w[0] + c[1].X*w[1] + c[2].X*w[2] + c[3].X*w[3],
		Y: c[0].Y*w[0] + c[1].Y*w[1] + c[2].Y*w[2] + c[3].Y*w[3]}
}

func minus(p, q geom.Point) geom.Point { return geom.Point{X: p.X - q.X, Y: p.Y - q.Y} }

func plus(p geom.Point, f float32, q geom.Point) geom.Point {
	return geom.Point{X: p.X + f*q.X, Y: p.Y + f*q.Y}
}

func dot(p, q geom.Point) float32 { return p.X*q.X + p.Y*q.Y }

func length(p geom.Point) float32 { return root(dot(p, p)) }

// edge is one of the curves of a ribbon: its points, and the directions square to its ends,
// inwards.
type edge struct {
	control *[4]geom.Point
	at      [ribbonJoints]geom.Point
	inwards [2]geom.Point
	second  bool
}

// set makes w the triangles of r. It is main of ribbon.vert.
func (w *sweep) set(r *scene.Ribbon, linear bool) {
	w.half = .5 * max(r.Line, 0)
	w.fill, w.ink = inkIn(r.Fill, linear), inkIn(r.Ink, linear)
	first := 0 // strip of the border along curve 0
	if w.core = 2; !(r.Line > 0) {
		w.core, first = 0, 1
	}
	var edges [2]edge
	for c := range edges {
		e := &edges[c]
		e.control, e.second = &r.Edges[c], c == 1
		for k := range e.at {
			e.at[k] = weighted(e.control, &joints[k].point)
		}
		e.inwards = [2]geom.Point{inwards(e.control, &r.Edges[1-c], 0),
			inwards(e.control, &r.Edges[1-c], 1)}
	}
	for k := range ribbonJoints {
		w.place(&edges[0], &edges[1], k, 2*k, first)
		w.place(&edges[1], &edges[0], k, 2*k+1, first+1)
	}
	w.top, w.bottom = w.corners[0][0].y, w.corners[0][0].y
	for i := range w.corners {
		for k := range w.corners[i] {
			y := w.corners[i][k].y
			w.top, w.bottom = min(w.top, y), max(w.bottom, y)
		}
	}
}

// place sets the corners beside point k of the curve e: one of the core, and two of the border
// along e.
func (w *sweep) place(e, other *edge, k, inCore, border int) {
	p, across := e.at[k], minus(other.at[k], e.at[k])
	d := weighted(e.control, &joints[k].slope)
	n := geom.Point{X: -d.Y, Y: d.X}
	if dot(n, n) < 1e-12 {
		n = across // it stands still
	}
	n = plus(geom.Point{}, 1/max(length(n), 1e-9), n)

	reach, deep := w.half+.5, dot(n, across)
	if deep == 0 && e.second {
		deep = 1e-9 // see ribbon.vert
	}
	before, after := max(k-1, 0), min(k+1, ribbonJoints-1)
	part := min(reach/abs(deep), .5)
	if min(deep*dot(n, minus(other.at[before], e.at[before])),
		deep*dot(n, minus(other.at[after], e.at[after]))) <= 0 {
		part = .5 // the curves meet
	}
	w.corners[w.core][inCore] = e.corner(k, plus(p, part, across), 1e4, 3e4) // far from either

	off := [2]float32{reach, -reach}
	to := [2]geom.Point{plus(p, reach, n), plus(p, -reach, n)}
	if length(across) > 4*max(reach, abs(deep)) {
		if deep > 0 {
			deep = 2 * reach
		} else {
			deep = -2 * reach
		}
	} else {
		facing := 1
		if deep > 0 {
			facing = 0
		}
		off[facing], to[facing] = part*deep, plus(p, part, across)
	}
	for i := range to {
		w.corners[border][2*k+i] = e.corner(k, to[i], off[i], deep)
	}
}

// corner returns the corner at p beside point k of e. Only near the ends of a ribbon it matters how
// far they are.
func (e *edge) corner(k int, p geom.Point, off, other float32) ribbonCorner {
	const last = ribbonJoints - 1
	o := ribbonCorner{form: [4]float32{off, other, far, far}}
	for end, soft := range [2]bool{k <= 1, k >= last-1} {
		if !soft {
			continue
		}
		if k == end*last {
			p = plus(p, -.5, e.inwards[end])
		}
		o.form[2+end] = dot(minus(p, e.at[end*last]), e.inwards[end])
	}
	o.x, o.y = p.X, p.Y
	return o
}

// inwards returns the direction square to an end of the curve e of a ribbon, as soften of
// ribbon.vert finds it.
func inwards(e, other *[4]geom.Point, end int) geom.Point {
	t, back := float32(end), float32(1e-3)
	if end == 1 {
		back = 1 - back
	}
	w, in := pointWeights(t), pointWeights(back)
	for i := range in {
		in[i] -= w[i]
	}
	across, own := minus(weighted(other, &w), weighted(e, &w)), weighted(e, &in)
	way := plus(own, 1, weighted(other, &in))
	n := geom.Point{X: -across.Y, Y: across.X}
	if dot(n, n) < 1 {
		n = way
	}
	if abs(dot(n, own)) < .25*length(n)*length(own) {
		n, way = own, own
	}
	if dot(n, way) < 0 {
		n = plus(geom.Point{}, -1, n)
	}
	return plus(geom.Point{}, 1/max(length(n), 1e-9), n)
}

// ribbons draws the ribbons of l that lie in s. Ribbons blend in order, but each only once with
// what lies behind it, wherever it folds over itself: of a pixel, folds count that cover more of it
// than those before. So each pixel remembers the last ribbon, and how much of it that covered.
func (s *sheet) ribbons(l *plainLayer) {
	clip := s.part.Intersect(l.clip).Sub(l.origin)
	if clip.Empty() || len(l.sweeps) == 0 {
		return
	}
	s.seen = resized(s.seen, len(s.light[0])) // with room for a vector
	clear(s.seen)
	top, bottom := float32(clip.Min.Y), float32(clip.Max.Y)
	for i := range l.sweeps {
		w := &l.sweeps[i]
		if !(w.top < bottom && w.bottom > top) {
			continue
		}
		t := triangle{sweep: w, clip: clip, stamp: int32(i+1) << 9}
		for strip := range w.corners {
			corners := w.corners[strip][:]
			t.flat = strip == w.core
			for k := 0; k+2 < len(corners); k++ {
				a, b, c := &corners[k], &corners[k+1], &corners[k+2]
				if min(a.y, b.y, c.y) < bottom && max(a.y, b.y, c.y) > top {
					t.corners = [3]*ribbonCorner{a, b, c}
					s.triangle(&t)
				}
			}
		}
	}
}

// triangle is one of a sweep while it is drawn.
type triangle struct {
	sweep   *sweep
	corners [3]*ribbonCorner // the upper ones first
	clip    image.Rectangle
	stamp   int32 // of the ribbon, in the bits above those of coverage
	flat    bool  // it is all fill, but for the ends of the ribbon
	ends    bool  // the ends of the ribbon are near
	// form at the first corner's place, and what changes of it a px along x and y; upright is the
	// inverse of how fast the distance from the other curve changes.
	right, down [4]float32
	upright     float32
}

// triangle draws a triangle on s. Whether a pixel at an edge lies in it depends on the edge alone,
// so that it lies in one of two triangles that share the edge.
func (s *sheet) triangle(t *triangle) {
	c := &t.corners
	if c[1].y < c[0].y {
		c[0], c[1] = c[1], c[0]
	}
	if c[2].y < c[1].y {
		c[1], c[2] = c[2], c[1]
		if c[1].y < c[0].y {
			c[0], c[1] = c[1], c[0]
		}
	}
	from, to := pixelAfter(c[0].y), pixelAfter(c[2].y)
	from, to = max(from, t.clip.Min.Y), min(to, t.clip.Max.Y)
	if from >= to || !t.slope() {
		return
	}
	long := (c[2].x - c[0].x) / (c[2].y - c[0].y)
	for y := from; y < to; y++ {
		at := float32(y) + .5
		x0 := c[0].x + (at-c[0].y)*long
		u, v := c[0], c[1]
		if at >= v.y {
			u, v = c[1], c[2]
		}
		x1 := u.x + (at-u.y)*((v.x-u.x)/(v.y-u.y))
		left, right := pixelAfter(min(x0, x1)), pixelAfter(max(x0, x1))
		left, right = max(left, t.clip.Min.X), min(right, t.clip.Max.X)
		if left < right {
			s.triangleRow(t, left, right, y)
		}
	}
}

// slope finds how t's form changes where that matters, and reports whether t has an area.
func (t *triangle) slope() bool {
	a, b, c := t.corners[0], t.corners[1], t.corners[2]
	x1, y1, x2, y2 := b.x-a.x, b.y-a.y, c.x-a.x, c.y-a.y
	twice := x1*y2 - x2*y1
	if !(abs(twice) > 1e-6) {
		return false
	}
	t.ends = a.soft() || b.soft() || c.soft()
	first, end := 0, len(a.form)
	if t.flat {
		first = 2
	}
	if !t.ends {
		end = 2
	}
	inverse := 1 / twice
	for i := first; i < end; i++ {
		d1, d2 := b.form[i]-a.form[i], c.form[i]-a.form[i]
		t.right[i], t.down[i] = (d1*y2-d2*y1)*inverse, (d2*x1-d1*x2)*inverse
	}
	x, y := t.right[1]-t.right[0], t.down[1]-t.down[0]
	t.upright = 1 / max(root(x*x+y*y), 1e-3)
	return true
}

// soft reports whether the ribbon fades at o.
func (o *ribbonCorner) soft() bool { return min(o.form[2], o.form[3]) < .5 }

// triangleRow draws the pixels of row y from left to right that lie in t. It is main of
// ribbon.frag.
func (s *sheet) triangleRow(t *triangle, left, right, y int) {
	w, a := t.sweep, t.corners[0]
	form, down := a.form, float32(y)+.5-a.y
	for i := range form {
		form[i] += down * t.down[i]
	}
	at := s.index(left, y) - left
	for x := left + ribbonEights(s, t, left, right, at, &form); x < right; x++ {
		along, within, covered := float32(x)+.5-a.x, float32(1), float32(1)
		if !t.flat {
			off, other := form[0]+along*t.right[0], form[1]+along*t.right[1]
			beyond := other - off
			if other > 0 {
				off = -off
			}
			within = min(max(.5-w.half-off, 0), 1)
			covered = min(max(.5+w.half-off, 0), 1)
			if w.half > 0 {
				line := min(max(.5+w.half-abs(beyond)*t.upright, 0), 1)
				covered, within = max(covered, line), min(within, 1-line)
			}
		}
		if t.ends {
			end := min(form[2]+along*t.right[2], form[3]+along*t.right[3])
			covered *= min(max(.5+end, 0), 1)
		}
		i := at + x
		stamp := t.stamp + int32(covered*256+.5)
		if covered < leastCovered || stamp <= s.seen[i] {
			continue
		}
		s.seen[i] = stamp
		within = min(within, covered)
		line := covered - within
		keep := 1 - w.fill[3]*within - w.ink[3]*line
		for k := range s.light {
			v := &s.light[k][i]
			*v = *v*keep + w.fill[k]*within + w.ink[k]*line
		}
	}
}
