package render

import (
	"context"
	"image"
	"math"

	"diptych/internal/progress"
	"diptych/internal/scene"
)

// scanner draws tubes where OpenGL itself is drawn by the CPU. There tubes are most of a frame: a
// piece of a tube is two triangles, and for each of them every block of 4 × 4 pixels that it
// touches is shaded in full, though a line is two pixels wide and many lie beneath others. The
// scanner draws the same curves in the same pieces with the same shading as the programs
// (shaders/tube.vert and tube.frag), and OpenGL only blends the result over what lies behind. It
// differs in this:
//
//   - It goes row by row. A piece ends at the heights of two joints of the axis, so it covers one
//     run of pixels in each row between them, and nothing has to be rasterised.
//   - It draws the front first. Each pixel keeps the share of what lies behind that is still seen
//     through it. Where that is nothing, which one comparison tells for eight pixels, it is done.
//
// The picture is cut into bands of rows that stay in the cache, each drawn by one processor. No
// pixel depends on the band or the rectangle in which it is drawn.
type scanner struct {
	tubes   []course
	joints  []joint
	heights []float32  // of the joints, again: most are asked for nothing else
	hiders  int        // tubes, from the first on, that have all which can hide others
	free    chan *band // storage that no processor works with
	pix     []uint8    // RGBA with alpha multiplied in, row by row
}

// course is where the axis of a tube lies.
type course struct {
	first, pieces int32   // joint that its first piece begins with
	top, bottom   float32 // between which all its joints lie
}

// joint is where one piece of a tube ends and the next one begins: what a corner of the strip is
// to the programs.
type joint struct {
	x, y           float32 // of the axis, px of the view
	half           float32 // half of the width along x, px
	reach          float32 // how far from the axis pixels may be touched, px
	cushion, spine float32 // strengths
	near           float32
}

// bandRows is how many rows are drawn at a time: of so many rows five numbers for each pixel lie in
// the second cache.
const bandRows = 24

// scan draws what of t lies in the rectangle seen, px of the view, into s.pix, whose rows are as
// wide as seen. It returns the part of seen on which something was drawn.
func (s *scanner) scan(t *scene.Tubes, f fineness, seen image.Rectangle, linear bool) image.Rectangle {
	s.prepare(t, f)
	s.pix = resized(s.pix, 4*seen.Dx()*seen.Dy())
	s.provide()
	n := (seen.Dy() + bandRows - 1) / bandRows
	inked := make([]image.Rectangle, n)
	// Nothing of this fails, and a panic crosses to this goroutine.
	_ = progress.Spread(context.Background(), n, func(i int) error {
		part := seen
		part.Min.Y += i * bandRows
		part.Max.Y = min(part.Min.Y+bandRows, seen.Max.Y)
		b := <-s.free
		defer func() { s.free <- b }()
		s.draw(b, t, part, linear)
		inked[i] = b.inked()
		b.finish(s.pix[4*seen.Dx()*(part.Min.Y-seen.Min.Y):])
		return nil
	})
	var all image.Rectangle
	for _, r := range inked {
		all = all.Union(r)
	}
	return all
}

// prepare finds all that bands of t have in common.
func (s *scanner) prepare(t *scene.Tubes, f fineness) {
	s.place(t, f)
	if s.hiders = 0; !inOrder(t) {
		s.hiders = hiding(t)
	}
}

// draw makes b the band of t in part, px of the view.
func (s *scanner) draw(b *band, t *scene.Tubes, part image.Rectangle, linear bool) {
	b.begin(part, linear, s.hiders > 0)
	s.hide(b, t, s.hiders)
	s.paint(b, t)
}

// provide has a band ready for each processor.
func (s *scanner) provide() {
	if n := progress.Processors(); cap(s.free) < n {
		s.free = make(chan *band, n)
		for range n {
			s.free <- &band{}
		}
	}
}

// place finds the joints of all tubes.
func (s *scanner) place(t *scene.Tubes, f fineness) {
	const share = 512 // tubes that a processor takes at a time
	s.tubes = resized(s.tubes, len(t.Tubes))
	total := int32(0)
	for i := range t.Tubes {
		n := int32(f.pieces(t, &t.Tubes[i]))
		s.tubes[i] = course{first: total, pieces: n}
		total += n + 1
	}
	s.joints, s.heights = resized(s.joints, int(total)), resized(s.heights, int(total))
	_ = progress.Spread(context.Background(), (len(t.Tubes)+share-1)/share, func(k int) error {
		for i := k * share; i < min((k+1)*share, len(t.Tubes)); i++ {
			at := &s.tubes[i]
			placeJoints(t, &t.Tubes[i], s.joints[at.first:at.first+at.pieces+1])
			at.top, at.bottom = float32(math.Inf(1)), float32(math.Inf(-1))
			for k := at.first; k <= at.first+at.pieces; k++ {
				y := s.joints[k].y
				s.heights[k] = y
				at.top, at.bottom = min(at.top, y), max(at.bottom, y)
			}
		}
		return nil
	})
}

// placeJoints finds the joints of b, as many as there is room for in out. It is main of tube.vert.
func placeJoints(t *scene.Tubes, b *scene.Tube, out []joint) {
	knots := t.Knots[b.First : b.First+b.Count]
	last := len(knots) - 1
	for i := range out {
		along := float32(i) / float32(len(out)-1) * float32(b.Count+1)
		k := min(int(along), int(b.Count))
		s := along - float32(k)
		r := 1 - s
		p0, p1 := &knots[min(max(k-2, 0), last)], &knots[min(max(k-1, 0), last)]
		p2, p3 := &knots[min(k, last)], &knots[min(k+1, last)]
		a, c, d := r*r*r/6, (1+3*s*(1+s*(1-s)))/6, s*s*s/6
		x := p1.X + (a*(p0.X-p1.X) + c*(p2.X-p1.X) + d*(p3.X-p1.X))
		y := p1.Y + (a*(p0.Y-p1.Y) + c*(p2.Y-p1.Y) + d*(p3.Y-p1.Y))
		at := p1.At + (a*(p0.At-p1.At) + c*(p2.At-p1.At) + d*(p3.At-p1.At))

		q := min(max(s, 1e-3), 1-1e-3)
		w := 1 - q
		dx := w*w*(p1.X-p0.X) + (1+2*w*q)*(p2.X-p1.X) + q*q*(p3.X-p2.X)
		dy := w*w*(p1.Y-p0.Y) + (1+2*w*q)*(p2.Y-p1.Y) + q*q*(p3.Y-p2.Y)
		slant := root(dx*dx+dy*dy) / max(abs(dy), 1e-9)
		slant = min(max(slant, 1), 8)

		turn := float32(math.Cos(2 * math.Pi * float64(at)))
		phi := t.Lambda + (1-t.Lambda)*.5*(1+turn)
		line := .5 * t.Line * slant
		tube := max(.5*phi*(b.W0+(b.W1-b.W0)*at), line)
		half := line + (tube-line)*t.Morph
		out[i] = joint{
			x: x, y: y, half: half,
			reach:   half + .5*slant + min(.03*half, 2),
			cushion: smooth(.5, 10, half),
			spine:   t.Spine * smooth(1, 3, half/max(t.Line*slant, 1e-3)),
			near:    b.Z0 + (b.Z1-b.Z0)*at,
		}
	}
}

// smooth is smoothstep of the shading language.
func smooth(from, to, v float32) float32 {
	v = min(max((v-from)/(to-from), 0), 1)
	return v * v * (3 - 2*v)
}

// root returns the square root of v.
//
//go:norace
func root(v float32) float32 { return float32(math.Sqrt(float64(v))) }

func abs(v float32) float32 { return max(v, -v) }

// resized returns s with length n, its elements unspecified.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// hide notes in b how near the nearest of those tubes is that cover pixels wholly, of the first n.
func (s *scanner) hide(b *band, t *scene.Tubes, n int) {
	for i := range t.Tubes[:n] {
		if t.Tubes[i].Fill.A == 0xff && s.meets(b, i) {
			for k := s.next(b, i, 0); k >= 0; k = s.next(b, i, k+1) {
				b.piece.set(&s.joints[k], &s.joints[k+1], b.part)
				b.hide()
			}
		}
	}
}

// paint draws all tubes on b, the last ones first.
func (s *scanner) paint(b *band, t *scene.Tubes) {
	for i := len(t.Tubes) - 1; i >= 0; i-- {
		if s.meets(b, i) {
			b.ink = inkOf(&t.Tubes[i], t)
			for k := s.next(b, i, 0); k >= 0; k = s.next(b, i, k+1) {
				b.piece.set(&s.joints[k], &s.joints[k+1], b.part)
				b.paint()
			}
		}
	}
}

// meets reports whether the axis of tube i passes rows of b.
func (s *scanner) meets(b *band, i int) bool {
	return s.tubes[i].top < float32(b.part.Max.Y) && s.tubes[i].bottom > float32(b.part.Min.Y)
}

// next returns the first joint, from k or the first one of tube i on, at which a piece begins that
// may have rows in b, or −1 if there is none.
func (s *scanner) next(b *band, i, k int) int {
	at := &s.tubes[i]
	k = max(k, int(at.first))
	top, bottom := float32(b.part.Min.Y), float32(b.part.Max.Y)
	ends := s.heights[k : at.first+at.pieces+1]
	for n := range len(ends) - 1 {
		y0, y1 := ends[n], ends[n+1]
		if (y0 > top || y1 > top) && (y0 < bottom || y1 < bottom) {
			return k + n
		}
	}
	return -1
}
