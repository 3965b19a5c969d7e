package render_test

import (
	"image"
	"image/color"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/render"
	"diptych/internal/scene"
	"diptych/internal/testpic"
	"diptych/internal/testtrace"
)

// anyScene draws a scene of 120 × 90 px with all primitives, that overlap one another.
func anyScene(random *rand.Rand) *scene.Scene {
	s := &scene.Scene{Size: geom.Size{W: 120, H: 90}}
	at := func() geom.Point { return pt(random.Float32()*140-10, random.Float32()*110-10) }
	fill := func() color.NRGBA {
		return color.NRGBA{uint8(random.Uint32()), uint8(random.Uint32()), 90, uint8(55 + random.IntN(4)*66)}
	}
	for range 1 + random.IntN(2) {
		clip := geom.Rect{}
		if random.IntN(2) == 0 {
			clip = geom.Rect{X0: 8, Y0: 6, X1: 108, Y1: 84}
		}
		l := s.Layer(clip)
		l.Tubes = scene.Tubes{Lambda: .4, Morph: 1, Line: 1.5, Spine: .3}
		for range random.IntN(4) {
			b := tube(l, random.Float32()*20, random.Float32()*12, fill(), at(), at(), at(), at())
			b.Z0, b.Z1 = random.Float32(), random.Float32()
		}
		for range random.IntN(4) {
			l.Line(at(), at(), fill(), 1+3*random.Float32())
		}
		for range random.IntN(3) {
			edge := func() [4]geom.Point { return [4]geom.Point{at(), at(), at(), at()} }
			l.Ribbons = append(l.Ribbons, scene.Ribbon{Edges: [2][4]geom.Point{edge(), edge()},
				Fill: fill(), Line: float32(random.IntN(3)), Ink: fill()})
		}
		for range random.IntN(4) {
			from := random.Float32() * 6
			l.Arcs = append(l.Arcs, scene.Arc{Centre: at(), R0: 12, R1: 20, From: from,
				To: from + .1 + random.Float32()*5, Fill: fill(), Shade: scene.Shade(random.IntN(5)), Line: 2, U1: 1})
		}
		for range random.IntN(9) {
			p, w, h := at(), 1+random.Float32()*90, 1+random.Float32()*70
			if random.IntN(2) == 0 {
				p, w, h = pt(float32(int(p.X)), float32(int(p.Y))), float32(int(w)), float32(int(h))
			} else {
				p, w, h = pt(sixteenth(p.X)+1./32, sixteenth(p.Y)+1./32), sixteenth(w), sixteenth(h)
			}
			l.Quads = append(l.Quads, scene.Quad{Rect: geom.Rect{X0: p.X, Y0: p.Y, X1: p.X + w, Y1: p.Y + h},
				Fill: fill(), Shade: scene.Shade(random.IntN(10)), Radius: float32(random.IntN(3)) * 4,
				Line: 1 + random.Float32(), U1: 1})
		}
	}
	return s
}

// sixteenth is v in whole sixteenths of a pixel. Edges of quads lie between these: one that passed
// nearer to a pixel's centre than 1/256 px would be on either side of it, by chance of the rasteriser.
func sixteenth(v float32) float32 { return float32(int(v*16)) / 16 }

// alter changes a little of s.
func alter(s *scene.Scene, random *rand.Rand) {
	l := &s.Layers[random.IntN(len(s.Layers))]
	q, b, a := l.Quads, l.Tubes.Tubes, l.Arcs
	switch k := random.IntN(7); {
	case k == 0 && len(q) > 0:
		q[random.IntN(len(q))].Fill.R += 40
	case k == 1 && len(q) > 0:
		i := random.IntN(len(q))
		l.Quads = append(q[:i:i], q[i+1:]...)
	case k == 2 && len(q) > 1:
		i := random.IntN(len(q) - 1)
		q[i], q[len(q)-1] = q[len(q)-1], q[i]
	case k == 3 && len(b) > 0:
		b[random.IntN(len(b))].Fill.G += 70
	case k == 4 && len(b) > 0:
		x := b[0]
		l.Tubes.Tubes = append(b[1:len(b):len(b)], x)
	case k == 5 && len(a) > 0:
		a[random.IntN(len(a))].To += .2
	case k == 6 && len(l.Ribbons) > 0:
		l.Ribbons = l.Ribbons[1:]
	}
}

// mended is for a picture that was drawn in parts and one that was drawn as a whole. With softpipe
// a pixel of the seam between two triangles may be drawn twice in one of them (see testpic.Seams).
// Measured: one pixel a picture, off by 5.
var mended = testpic.Margin{Channel: testpic.Equal.Channel, Share: testpic.Seams.Share / 4}

// Whatever differs from frame to frame, what is mended is what would be drawn from scratch. A further
// rectangle counts for so few pixels that there are often several.
func TestMendedIsDrawnFromScratch(t *testing.T) {
	r := testpic.Renderer(t)
	o := offscreen(t, image.Pt(120, 90))
	t.Cleanup(render.PerRect(50))
	several := 0
	testtrace.CheckUntil(t, func() bool { return several >= 4 || os.Getenv(again) != "" }, func(rt *rapid.T) {
		s := &shower{rt, r}
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		f := frameOf(anyScene(random))
		f.Parts = append(f.Parts, render.Part{Scene: anyScene(random), Area: image.Rect(40, 30, 100, 80)})
		s.show(o, f)
		for range 1 + random.IntN(8) {
			alter(f.Parts[random.IntN(2)].Scene, random)
		}
		got := s.show(o, f)
		drawn := r.Drawn()
		several += min(1, len(drawn)/2)
		r.Forget()
		if d := mended.Compare(got, s.show(o, f)); d.Beyond != "" {
			rt.Fatalf("with %v drawn: %v: %s", drawn, d, d.Beyond)
		}
	})
}

// Shapes that look the same are the same, whatever lies between their fields in memory.
func TestShowIgnoresPadding(t *testing.T) {
	s := &shower{t, testpic.Renderer(t)}
	o := offscreen(t, image.Pt(120, 90))
	f := frameOf(anyScene(rand.New(rand.NewPCG(1, 1))))
	s.show(o, f)
	for i := range f.Parts[0].Scene.Layers {
		l := &f.Parts[0].Scene.Layers[i]
		for k := range l.Quads {
			refill(&l.Quads[k])
		}
		for k := range l.Arcs {
			refill(&l.Arcs[k])
		}
	}
	if s.show(o, f); len(s.r.Drawn()) > 0 {
		t.Errorf("%v were drawn again", s.r.Drawn())
	}
}

// refill writes the fields of a struct into memory in which all bits were set.
func refill[T any](v *T) {
	old := *v
	for i := range unsafe.Sizeof(old) {
		*(*byte)(unsafe.Add(unsafe.Pointer(v), i)) = 0xff
	}
	to, from := reflect.ValueOf(v).Elem(), reflect.ValueOf(old)
	for i := range to.NumField() {
		to.Field(i).Set(from.Field(i))
	}
}
