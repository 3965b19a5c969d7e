package render

import (
	"hash/maphash"
	"image"
	"image/color"
	"math"
	"unsafe"

	"diptych/internal/geom"
	"diptych/internal/scene"
)

// Mark is one thing that a frame draws: a key of all that its looks depend on, and a rectangle, in
// px of the framebuffer, outside of which it changes nothing. Two frames look the same wherever the
// same marks follow one another.
type Mark struct {
	Key    uint64
	Bounds image.Rectangle
}

// seed makes keys of this process differ from those of any other, which none of them meets.
var seed = maphash.MakeSeed()

// Mix returns a key that depends on both a and b, in this order.
func Mix(a, b uint64) uint64 {
	h := (a ^ b<<23 ^ b>>41) * 0x9E3779B97F4A7C15
	return h ^ h>>29
}

// KeyOf returns a key of the bytes.
func KeyOf(b []byte) uint64 { return maphash.Bytes(seed, b) }

// keyOf returns a key of a value: of its fields, not of the memory it fills. Between fields there
// may be padding, whose bytes are arbitrary: the three after a Quad's Shade, for example. With them
// in the key a shape would now and then differ from itself, and be drawn again for nothing.
func keyOf[T comparable](v T) uint64 { return maphash.Comparable(seed, v) }

// Kinds of marks, mixed into their keys.
const (
	tubeMark = iota + 1
	ribbonMark
	arcMark
	quadMark
	textMark
	canvasMark
)

// marker collects the marks of a frame.
type marker struct {
	marks  []Mark
	origin image.Point     // of the scene, in the framebuffer
	clip   image.Rectangle // of the layer
	base   uint64          // key of what all primitives of a kind share
}

// mark returns the marks of all parts of f as drawn on t, added to the storage of into. What a
// canvas draws is not quite what OpenGL would draw, so it counts as something else.
func (f *Frame) mark(t Target, plan []bool, into []Mark) []Mark {
	m := marker{marks: into[:0]}
	for i := range f.Parts {
		p := &f.Parts[i]
		at := t.At(p.Area)
		m.origin = at.Origin
		place := keyOf(at.Origin)
		for k := range p.Scene.Layers {
			l := &p.Scene.Layers[k]
			m.clip = pixels(clipOf(p.Scene, l)).Add(at.Origin).Intersect(at.bounds())
			base := Mix(place, keyOf(m.clip))
			if plan != nil && plan[i] {
				base = Mix(base, canvasMark)
			}
			m.layer(l, base)
		}
		if f.Type == nil {
			continue
		}
		for k := range p.Scene.Layers {
			l := &p.Scene.Layers[k]
			m.clip = textClip(p.Scene, l).Add(at.Origin).Intersect(at.bounds())
			m.base = Mix(Mix(place, keyOf(m.clip)), textMark)
			for n := range l.Texts {
				m.text(&l.Texts[n], f.Type)
			}
		}
	}
	return m.marks
}

// layer adds the marks of a layer, in drawing order.
func (m *marker) layer(l *scene.Layer, base uint64) {
	if m.clip.Empty() {
		return
	}
	m.tubes(&l.Tubes, Mix(base, tubeMark))
	m.base = Mix(base, ribbonMark)
	for i := range l.Ribbons {
		key := keyOf(l.Ribbons[i])
		for k, box := range ribbonBoxes(&l.Ribbons[i]) {
			m.add(Mix(key, uint64(k)), box)
		}
	}
	m.base = Mix(base, arcMark)
	for i := range l.Arcs {
		m.add(keyOf(l.Arcs[i]), arcBox(&l.Arcs[i]))
	}
	m.base = Mix(base, quadMark)
	for i := range l.Quads {
		m.quad(&l.Quads[i])
	}
}

// text adds the mark of a text.
func (m *marker) text(x *scene.Text, y Type) {
	if !Upright(x) || m.clip.Empty() {
		return
	}
	size, inset := y.Room(x)
	at := y.Place(x).Sub(inset)
	look := struct {
		at   image.Point
		what textKey
		fill color.NRGBA
	}{at, keyOfText(x), x.Fill}
	to := image.Rectangle{Min: at, Max: at.Add(size)}.Add(m.origin).Intersect(m.clip)
	if !to.Empty() {
		m.marks = append(m.marks, Mark{Mix(m.base, keyOf(look)), to})
	}
}

// add adds a mark for what lies within r, in px of the view.
func (m *marker) add(key uint64, r geom.Rect) {
	b := outer(r).Add(m.origin).Intersect(m.clip)
	if !b.Empty() {
		m.marks = append(m.marks, Mark{Mix(m.base, key), b})
	}
}

// quad adds the marks of a quad. An outline has one for each side, so that what lies within it need
// not be drawn again when it goes.
func (m *marker) quad(q *scene.Quad) {
	key := keyOf(*q)
	if !hollow(q) {
		m.add(key, quadBox(q))
		return
	}
	for i, side := range rim(q) {
		m.add(Mix(key, uint64(i)), side)
	}
}

// tubes adds the marks of tubes, several along each, so that those of a long one enclose it
// closely. In how many pieces a tube is drawn depends on itself and on how fine
// all of its layer are.
func (m *marker) tubes(t *scene.Tubes, base uint64) {
	if len(t.Tubes) == 0 {
		return
	}
	form := [4]float32{t.Lambda, t.Morph, t.Line, t.Spine}
	m.base = Mix(Mix(base, keyOf(form)), keyOf(finenessOf(t)))
	for i := range t.Tubes {
		b := t.Tubes[i]
		knots := t.Knots[b.First : b.First+b.Count]
		b.First = 0 // where its knots are does not matter
		key := keyOf(b)
		key = Mix(key, keyOfKnots(knots))
		reach := tubeReach(t, &b)
		for from := 0; from == 0 || from+2 < len(knots); from += 2 {
			m.add(Mix(key, uint64(from)), hull(knots[from:min(from+5, len(knots))], reach))
		}
	}
}

// keyOfKnots returns a key of knots by their bytes: they are floats without padding, and there are
// many.
func keyOfKnots(knots []scene.Knot) uint64 {
	return KeyOf(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(knots))),
		uintptr(len(knots))*unsafe.Sizeof(knots[0])))
}

// tubeReach is how far a tube reaches from its axis, px, at most: a line that runs almost level is
// up to eight times as wide along x as it is across, and borders are soft.
func tubeReach(t *scene.Tubes, b *scene.Tube) float32 {
	return 0.515*max(b.W0, b.W1) + 4*max(t.Line, 0) + 8
}

// hull returns the rectangle around knots, wider by reach on all sides: a B-spline segment lies
// within the hull of its four knots.
func hull(knots []scene.Knot, reach float32) geom.Rect {
	r := geom.Rect{X0: knots[0].X, Y0: knots[0].Y, X1: knots[0].X, Y1: knots[0].Y}
	for i := range knots {
		k := &knots[i]
		r.X0, r.X1 = min(r.X0, k.X), max(r.X1, k.X)
		r.Y0, r.Y1 = min(r.Y0, k.Y), max(r.Y1, k.Y)
	}
	return grown(r, reach)
}

// tubeBox returns the rectangle around a whole tube.
func tubeBox(t *scene.Tubes, b *scene.Tube) geom.Rect {
	return hull(t.Knots[b.First:b.First+b.Count], tubeReach(t, b))
}

// ribbonParts is how many boxes enclose a ribbon one after the other. A ribbon mostly runs across a
// view in a bow, and one box around it would hold much of the view.
const ribbonParts = 4

// ribbonBoxes returns the rectangles around equal parts of a ribbon: what lies between parts of its
// curves lies within the hull of their control points.
func ribbonBoxes(b *scene.Ribbon) (boxes [ribbonParts]geom.Rect) {
	rest := b.Edges
	for k := range boxes {
		part := rest
		if left := ribbonParts - k; left > 1 {
			for i := range rest {
				part[i], rest[i] = split(&rest[i], 1/float32(left))
			}
		}
		p := part[0][0]
		r := geom.Rect{X0: p.X, Y0: p.Y, X1: p.X, Y1: p.Y}
		for i := range part {
			for _, p := range part[i] {
				r.X0, r.X1 = min(r.X0, p.X), max(r.X1, p.X)
				r.Y0, r.Y1 = min(r.Y0, p.Y), max(r.Y1, p.Y)
			}
		}
		boxes[k] = grown(r, max(b.Line, 0)+3)
	}
	return boxes
}

// split divides a curve at t into two (de Casteljau).
func split(c *[4]geom.Point, t float32) (before, after [4]geom.Point) {
	between := func(p, q geom.Point) geom.Point {
		return geom.Point{X: p.X + t*(q.X-p.X), Y: p.Y + t*(q.Y-p.Y)}
	}
	p, q, r := between(c[0], c[1]), between(c[1], c[2]), between(c[2], c[3])
	u, v := between(p, q), between(q, r)
	mid := between(u, v)
	return [4]geom.Point{c[0], p, u, mid}, [4]geom.Point{mid, v, r, c[3]}
}

// arcBox returns the rectangle around an arc: around its corners, and the points where it runs
// level or upright. One narrower or thinner than a pixel is widened to one.
func arcBox(a *scene.Arc) geom.Rect {
	ray := func(angle float64) geom.Point {
		sin, cos := math.Sincos(angle)
		return geom.Point{X: float32(cos), Y: float32(sin)}
	}
	r := geom.Rect{X0: float32(math.Inf(1)), Y0: float32(math.Inf(1)),
		X1: float32(math.Inf(-1)), Y1: float32(math.Inf(-1))}
	take := func(d geom.Point) {
		for _, radius := range [2]float32{a.R0, a.R1} {
			x, y := a.Centre.X+radius*d.X, a.Centre.Y+radius*d.Y
			r.X0, r.X1, r.Y0, r.Y1 = min(r.X0, x), max(r.X1, x), min(r.Y0, y), max(r.Y1, y)
		}
	}
	from, to := float64(a.From), float64(a.To)
	take(ray(from))
	take(ray(to))
	const quarter = math.Pi / 2
	first := math.Ceil(from / quarter)
	for k := first; k*quarter < to && k < first+4; k++ {
		take(ray(k * quarter))
	}
	return grown(r, 3)
}

// quadBox returns the rectangle that a quad is drawn in: less than a pixel wide or high, it is
// widened to one, and round corners are soft.
func quadBox(q *scene.Quad) geom.Rect {
	r := q.Rect
	r.X1, r.Y1 = max(r.X1, r.X0+1), max(r.Y1, r.Y0+1)
	return grown(r, 1)
}

// grown returns r with d px more on each side.
func grown(r geom.Rect, d float32) geom.Rect {
	return geom.Rect{X0: r.X0 - d, Y0: r.Y0 - d, X1: r.X1 + d, Y1: r.Y1 + d}
}

// outer returns the pixels that r touches. What lies farther away than any framebuffer reaches is
// cut.
func outer(r geom.Rect) image.Rectangle {
	at := func(v float32) int { return int(min(max(v, -1<<20), 1<<20)) }
	floor := func(v float32) int { return at(float32(math.Floor(float64(v)))) }
	ceil := func(v float32) int { return at(float32(math.Ceil(float64(v)))) }
	return image.Rectangle{Min: image.Pt(floor(r.X0), floor(r.Y0)),
		Max: image.Pt(ceil(r.X1), ceil(r.Y1))}
}
