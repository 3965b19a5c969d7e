package render

import (
	"math"
	"slices"

	"diptych/internal/geom"
	"diptych/internal/scene"

	gl "github.com/go-gl/gl/v3.1/gles2"
)

// A row of calls alternates between two programs: cushions for the calls, and flat boxes for those
// too narrow to be seen. Drawn strictly in order, a row takes a change of program every few pixels.
// That is dear: for each, Mesa's software renderer copies all of its state, 33 kB, into memory that
// it has not touched before. So flat quads are drawn ahead of cushions that they share no pixel
// with, which leaves every pixel as it was:
//
//	in order   cushion 0–9, flat 9–11, cushion 11–30, flat 30–31
//	drawn      flat 9–11, flat 30–31, cushion 0–9, cushion 11–30
//
// Both have square corners and cover exactly the pixels whose centres they contain. Sorting by
// program alone would be wrong: calls lie on bars and washes, and frames lie on calls.
type quadOrder struct {
	// slack is how far OpenGL may move an edge, px: coordinates have few bits below one.
	slack float32
	// rows has what the cushions in waiting cover of each row of pixels, from the first to the
	// last pixel. Calls come from left to right, so nothing comes between.
	rows    []reach
	waiting []scene.Quad // cushions
	out     []scene.Quad
}

// reach is a run of pixels; the zero reach is empty.
type reach struct{ from, to int32 }

// mostRows bounds the rows that are looked at. Quads of taller views stay in order.
const mostRows = 1 << 13

// newQuadOrder asks the context how exact its coordinates are.
func newQuadOrder() quadOrder {
	var bits int32
	gl.GetIntegerv(gl.SUBPIXEL_BITS, &bits)
	return quadOrder{slack: slackOf(bits)}
}

// slackOf is half a step of coordinates with so many bits below one, since edges are rounded to a
// step, and a little for the arithmetic before that. Mesa tells of 4 bits, the fewest there may be.
func slackOf(bits int32) float32 { return float32(math.Ldexp(.5, -int(max(bits, 4)))) + 1./256 }

// byProgram returns quads in an order that draws the same picture with fewer changes of program. It
// is valid until the next call.
func (o *quadOrder) byProgram(quads []scene.Quad) []scene.Quad {
	o.out = o.out[:0]
	for i := range quads {
		switch q := &quads[i]; {
		case wide(q):
			o.flush()
			o.out = append(o.out, *q)
		case kindOf(q) == cushion && o.holds(q):
			o.waiting = append(o.waiting, *q)
		default:
			if kindOf(q) != flat || o.meets(q) {
				o.flush()
			}
			o.out = append(o.out, *q)
		}
	}
	o.flush()
	return o.out
}

// flush has the cushions in waiting drawn.
func (o *quadOrder) flush() {
	if len(o.waiting) == 0 {
		return
	}
	o.out = append(o.out, o.waiting...)
	o.waiting = o.waiting[:0]
	clear(o.rows)
}

// holds notes which pixels q covers. It reports false if there are too many rows.
func (o *quadOrder) holds(q *scene.Quad) bool {
	x, y, ok := o.pixels(q)
	if !ok {
		return false
	}
	if n := int(y.to); n > len(o.rows) {
		o.rows = append(o.rows, make([]reach, n-len(o.rows))...)
	}
	for i := y.from; i < y.to; i++ {
		if r := &o.rows[i]; *r == (reach{}) {
			*r = x
		} else {
			*r = reach{min(r.from, x.from), max(r.to, x.to)}
		}
	}
	return true
}

// meets reports whether q may share a pixel with a cushion in waiting.
func (o *quadOrder) meets(q *scene.Quad) bool {
	if len(o.waiting) == 0 {
		return false
	}
	x, y, ok := o.pixels(q)
	if !ok {
		return true
	}
	rows := o.rows[min(int(y.from), len(o.rows)):min(int(y.to), len(o.rows))]
	return slices.ContainsFunc(rows, func(r reach) bool { return r.from < x.to && x.from < r.to })
}

// pixels returns the columns and rows of the view's pixels that q may cover. It reports false if
// they cannot be listed.
func (o *quadOrder) pixels(q *scene.Quad) (x, y reach, ok bool) {
	r := geom.Rect{X0: q.Rect.X0, Y0: q.Rect.Y0,
		X1: max(q.Rect.X1, q.Rect.X0+1), Y1: max(q.Rect.Y1, q.Rect.Y0+1)}
	if !(r.X0 > -1<<20 && r.X1 < 1<<20 && r.Y0 > -1<<20 && r.Y1 < mostRows) {
		return x, y, false
	}
	x, y = o.centres(r.X0, r.X1), o.centres(r.Y0, r.Y1)
	return x, reach{max(y.from, 0), max(y.to, 1)}, true // rows above the view count as its first
}

// centres returns the pixels whose centres may lie between two edges.
func (o *quadOrder) centres(from, to float32) reach {
	return reach{int32(math.Ceil(float64(from-o.slack) - .5)),
		int32(math.Floor(float64(to+o.slack)-.5)) + 1}
}
