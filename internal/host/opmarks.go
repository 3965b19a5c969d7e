package host

import (
	"encoding/binary"
	"image"
	"math"

	"gioui.org/f32"

	"diptych/internal/geom"
	"diptych/internal/render"
)

// opMarks tells what a list of Gio's operations paints, so that two frames can be compared. It
// follows the operations as Gio's renderer does: each painting has the key of its colour, of all
// clips around it and of the transforms of both, and the rectangle that these clips leave.
type opMarks struct {
	opReader
	size   image.Point
	marks  []render.Mark
	known  bool // the marks tell all
	at     opState
	pushed []f32.Affine2D
	saved  map[uint32]f32.Affine2D
	path   uint64 // key of the path and the stroke of the next clip

	// images are those of this frame and the one before. They are told apart by where they lie, so
	// they stay there until both frames have been compared.
	images, old []any
}

// opState is what operations change and what painting depends on.
type opState struct {
	t        f32.Affine2D
	clip     *opClip
	material uint64
	placed   bool  // the material depends on the transform
	alpha    uint8 // of the colour
	opacity  []uint64
}

// opClip is a clip within another one.
type opClip struct {
	parent *opClip
	key    uint64
	bounds image.Rectangle
}

// read returns the marks of list in a window of size px, and whether they tell all. They are valid
// until the next call.
func (m *opMarks) read(list opList, size image.Point) ([]render.Mark, bool) {
	m.size, m.marks, m.known = size, m.marks[:0], true
	m.at, m.pushed, m.path = opState{}, m.pushed[:0], 0
	m.saved = map[uint32]f32.Affine2D{}
	m.images, m.old = m.old[:0], m.images
	m.begin(list)
	for {
		o, ok := m.next()
		if !ok {
			break
		}
		m.take(o)
	}
	return m.marks, m.known && !m.broken
}

// take takes one operation in.
func (m *opMarks) take(o operation) {
	s := &m.at
	switch o.kind {
	case opTransform:
		if o.data[1] != 0 {
			m.pushed = append(m.pushed, s.t)
		}
		s.t = s.t.Mul(affine(o.data[2:]))
	case opPopTransform:
		s.t, m.pushed = m.pushed[len(m.pushed)-1], m.pushed[:len(m.pushed)-1]
	case opSave:
		m.saved[binary.LittleEndian.Uint32(o.data[1:])] = s.t
	case opLoad:
		*s = opState{t: m.saved[binary.LittleEndian.Uint32(o.data[1:])], opacity: s.opacity}
	case opPushOpacity:
		s.opacity = append(s.opacity, render.KeyOf(o.data))
	case opPopOpacity:
		s.opacity = s.opacity[:len(s.opacity)-1]
	case opPath, opStroke, opAux:
		m.path = render.Mix(m.path, render.KeyOf(o.data))
	case opClipTo:
		m.push(o.data)
	case opPopClip:
		s.clip = s.clip.parent
	case opColour, opGradient, opImage:
		s.material, s.placed = render.KeyOf(o.data), o.kind != opColour
		for _, ref := range o.refs {
			s.material = render.Mix(s.material, identity(ref))
			m.images = append(m.images, ref)
		}
		s.alpha = 0
		if o.kind == opColour {
			s.alpha = o.data[4]
		}
	case opPaint:
		m.paint()
	}
}

// push adds a clip: of a path, the rectangle around it.
func (m *opMarks) push(data []byte) {
	var v [4]float32
	for i := range v {
		v[i] = float32(int32(binary.LittleEndian.Uint32(data[1+4*i:])))
	}
	s := &m.at
	c := &opClip{parent: s.clip, bounds: image.Rectangle{Max: m.size},
		key: render.Mix(render.Mix(render.KeyOf(data), m.path), transformKey(s.t))}
	if s.clip != nil {
		c.key, c.bounds = render.Mix(s.clip.key, c.key), s.clip.bounds
	}
	c.bounds = c.bounds.Intersect(around(s.t, geom.Rect{X0: v[0], Y0: v[1], X1: v[2], Y1: v[3]}))
	s.clip, m.path = c, 0
}

// paint adds a mark. Filling the whole window with one colour makes no mark: Gio's renderer clears
// the window for it, whatever is masked.
func (m *opMarks) paint() {
	s := &m.at
	whole := image.Rectangle{Max: m.size}
	mark := render.Mark{Key: s.material, Bounds: whole}
	if s.clip != nil {
		mark.Key, mark.Bounds = render.Mix(mark.Key, s.clip.key), s.clip.bounds
	}
	if s.placed {
		mark.Key = render.Mix(mark.Key, transformKey(s.t))
	}
	for _, o := range s.opacity {
		mark.Key = render.Mix(mark.Key, o)
	}
	if mark.Bounds == whole && s.alpha == 0xff {
		m.known = false
	}
	if !mark.Bounds.Empty() {
		m.marks = append(m.marks, mark)
	}
}

// affine reads a transform.
func affine(data []byte) f32.Affine2D {
	var v [6]float32
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return f32.NewAffine2D(v[0], v[1], v[2], v[3], v[4], v[5])
}

func transformKey(t f32.Affine2D) uint64 {
	var data [24]byte
	sx, hx, ox, hy, sy, oy := t.Elems()
	for i, v := range [6]float32{sx, hx, ox, hy, sy, oy} {
		binary.LittleEndian.PutUint32(data[4*i:], math.Float32bits(v))
	}
	return render.KeyOf(data[:])
}

// around returns the pixels that a rectangle may touch once it is transformed, and one more on each
// side.
func around(t f32.Affine2D, r geom.Rect) image.Rectangle {
	p := t.Transform(f32.Pt(r.X0, r.Y0))
	x0, y0, x1, y1 := p.X, p.Y, p.X, p.Y
	for _, c := range [3]f32.Point{{X: r.X1, Y: r.Y0}, {X: r.X0, Y: r.Y1}, {X: r.X1, Y: r.Y1}} {
		p := t.Transform(c)
		x0, x1, y0, y1 = min(x0, p.X), max(x1, p.X), min(y0, p.Y), max(y1, p.Y)
	}
	whole := func(v float32) int { return int(min(max(v, -1<<20), 1<<20)) }
	return image.Rect(whole(x0)-2, whole(y0)-2, whole(x1)+3, whole(y1)+3)
}
