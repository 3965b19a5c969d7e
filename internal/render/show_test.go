package render_test

import (
	"errors"
	"image"
	"image/color"
	"math/rand/v2"
	"reflect"
	"strconv"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/render"
	"diptych/internal/scene"
	"diptych/internal/testpic"
)

// exact is for a picture and its copy: a colour may be decoded and encoded again on the way.
var exact = testpic.Margin{Channel: 1}

// shower shows frames on a framebuffer.
type shower struct {
	t testpic.T
	r *render.Renderer
}

// show spoils o and returns its picture once f is shown.
func (s *shower) show(o *render.Offscreen, f *render.Frame) *image.RGBA {
	s.t.Helper()
	target := o.Target(1)
	if err := s.r.Clear(target, pink); err != nil {
		s.t.Fatal(err)
	}
	if err := s.r.Show(target, f); err != nil {
		s.t.Fatal(err)
	}
	m, err := o.ReadImage()
	if err != nil {
		s.t.Fatal(err)
	}
	return m
}

// frameOf returns a frame of one scene on white.
func frameOf(s *scene.Scene) *render.Frame {
	return &render.Frame{Ground: white, Over: render.Over{Known: true},
		Parts: []render.Part{{Scene: s, Area: image.Rect(0, 0, int(s.Size.W), int(s.Size.H))}}}
}

// ramps returns a scene of 256 × 64 px with every value of a channel, opaque and translucent, and with
// a shaded quad.
func ramps() *scene.Scene {
	s := &scene.Scene{Size: geom.Size{W: 256, H: 64}}
	l := s.Layer(geom.Rect{})
	for v := range 256 {
		x, c := float32(v), uint8(v)
		for row, fill := range []color.NRGBA{
			{c, c, c, 255}, {c, 255 - c, c / 2, 255}, {0x1C, 0x6E, 0xC4, c}, {c, 0, 80, 128},
		} {
			y := 8 * float32(row)
			l.Fill(geom.Rect{X0: x, Y0: y, X1: x + 1, Y1: y + 8}, fill)
		}
	}
	l.Quads = append(l.Quads, scene.Quad{Rect: geom.Rect{X0: 4, Y0: 36, X1: 250, Y1: 60},
		Fill: steel, Shade: scene.Cushion, Radius: 8, U1: 1})
	return s
}

// A frame that is shown, and its copy, is the one that Draw makes, on both kinds of framebuffer. A
// switch from one kind to the other has it drawn anew.
func TestShowPicture(t *testing.T) {
	s := &shower{t, testpic.Renderer(t)}
	f := frameOf(ramps())
	for _, b := range framebuffers {
		o, err := b.make(image.Pt(256, 64))
		if err != nil {
			t.Fatal(err)
		}
		defer o.Release()
		want := testpic.SceneOn(t, s.r, o, f.Parts[0].Scene, 1, white)
		for n, what := range []string{"drawn", "copied", "copied again"} {
			if d := exact.Compare(s.show(o, f), want); d.Beyond != "" {
				t.Errorf("%s, %s: %s", b.name, what, d.Beyond)
			}
			if (len(s.r.Drawn()) == 0) != (n > 0) {
				t.Errorf("%s, %s: %v were drawn", b.name, what, s.r.Drawn())
			}
		}
	}
}

// Only what differs is drawn: of an outline its sides.
func TestShowDrawsWhatChanged(t *testing.T) {
	s := &shower{t, testpic.Renderer(t)}
	o, err := render.NewOffscreen(image.Pt(1600, 1000))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Release()
	whole := 1600 * 1000
	sc := &scene.Scene{Size: geom.Size{W: 1600, H: 1000}}
	l := sc.Layer(geom.Rect{})
	for x := range 100 {
		l.Fill(geom.Rect{X0: float32(16 * x), X1: float32(16*x + 14), Y1: 990}, steel)
	}
	f := frameOf(sc)
	for _, step := range []struct {
		what        string
		do          func()
		least, most int // px
	}{
		{"the first", func() {}, whole, whole},
		{"the same", func() {}, 0, 0},
		{"a quad", func() { l.Quads[7].Fill = red }, 14 * 990, 20 * 1000},
		{"an outline", func() { l.Border(geom.Rect{X0: 100, Y0: 100, X1: 900, Y1: 900}, red, 1) }, 3200, 32000},
		{"two quads that change places", func() {
			l.Quads[3], l.Quads[90] = l.Quads[90], l.Quads[3]
		}, 1, 40 * 1000},
		{"another ground", func() { f.Ground = pink }, whole, whole},
		{"all", func() {
			for i := range l.Quads {
				l.Quads[i].Fill = red
			}
		}, whole * 9 / 10, whole},
		{"a part elsewhere", func() { f.Parts[0].Area = image.Rect(700, 0, 1600, 1000) }, whole * 9 / 10, whole},
		{"nothing", func() { f.Parts = nil }, whole / 2, whole},
	} {
		step.do()
		s.show(o, f)
		sum := 0
		for _, r := range s.r.Drawn() {
			sum += r.Dx() * r.Dy()
		}
		if sum < step.least || sum > step.most {
			t.Errorf("%s: %d px were drawn in %v", step.what, sum, s.r.Drawn())
		}
	}
}

// Shapes that look the same are the same, whatever lies between their fields in memory.
func TestShowIgnoresPadding(t *testing.T) {
	s := &shower{t, testpic.Renderer(t)}
	o, err := render.NewOffscreen(image.Pt(120, 90))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Release()
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
		for range random.IntN(8) {
			b := tube(l, random.Float32()*20, random.Float32()*12, fill(), at(), at(), at(), at())
			b.Z0, b.Z1 = random.Float32(), random.Float32()
		}
		for range random.IntN(5) {
			l.Line(at(), at(), fill(), 1+3*random.Float32())
		}
		for range random.IntN(5) {
			from := random.Float32() * 6
			l.Arcs = append(l.Arcs, scene.Arc{Centre: at(), R0: 12, R1: 20, From: from,
				To: from + .1 + random.Float32()*5, Fill: fill(), Shade: scene.Shade(random.IntN(2)), U1: 1})
		}
		for range random.IntN(12) {
			p, w, h := at(), 1+random.Float32()*90, 1+random.Float32()*70
			if random.IntN(2) == 0 {
				p, w, h = pt(float32(int(p.X)), float32(int(p.Y))), float32(int(w)), float32(int(h))
			}
			l.Quads = append(l.Quads, scene.Quad{Rect: geom.Rect{X0: p.X, Y0: p.Y, X1: p.X + w, Y1: p.Y + h},
				Fill: fill(), Shade: scene.Shade(random.IntN(10)), Radius: float32(random.IntN(3)) * 4,
				Line: 1 + random.Float32(), U1: 1})
		}
	}
	return s
}

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

// mended is for a picture that was drawn in parts and one that was drawn as a whole. Where parts of
// a shape are hidden, softpipe draws some pixels of the seams between its triangles twice. Measured in
// 20,000 pictures: one pixel, off by 5.
var mended = testpic.Margin{Channel: testpic.Equal.Channel, Share: testpic.Seams.Share / 4}

// Whatever differs from frame to frame, what is mended is what would be drawn from scratch. A further
// rectangle counts for so few pixels that there are often several.
func TestMendedIsDrawnFromScratch(t *testing.T) {
	r := testpic.Renderer(t)
	o, err := render.NewOffscreen(image.Pt(120, 90))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.Release)
	t.Cleanup(render.PerRect(100))
	several := 0
	rapid.Check(t, func(rt *rapid.T) {
		s := &shower{rt, r}
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		f := frameOf(anyScene(random))
		f.Parts = append(f.Parts, render.Part{Scene: anyScene(random), Area: image.Rect(40, 30, 100, 80)})
		s.show(o, f)
		for range 2 {
			for range 1 + random.IntN(3) {
				alter(f.Parts[random.IntN(2)].Scene, random)
			}
			got := s.show(o, f)
			drawn := r.Drawn()
			several += min(1, len(drawn)/2)
			r.Forget()
			if d := mended.Compare(got, s.show(o, f)); d.Beyond != "" {
				rt.Fatalf("with %v drawn: %v: %s", drawn, d, d.Beyond)
			}
		}
	})
	if several < 10 {
		t.Errorf("only %d pictures had several rectangles drawn", several)
	}
}

// What lies over the scenes is drawn where it differs, and a failure has all drawn anew.
func TestShowOver(t *testing.T) {
	s := &shower{t, testpic.Renderer(t)}
	o, err := render.NewOffscreen(image.Pt(256, 64))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Release()
	f := frameOf(ramps())
	want := s.show(o, f)
	var drawn []image.Rectangle
	failure := errors.New("no picture")
	f.Over.Marks = []render.Mark{{Key: 1, Bounds: image.Rect(10, 10, 20, 20)}}
	f.Over.Draw = func(_ render.Target, r image.Rectangle) error {
		drawn = append(drawn, r)
		return nil
	}
	s.show(o, f)
	if len(drawn) != 1 || drawn[0] != f.Over.Marks[0].Bounds {
		t.Errorf("%v were drawn", drawn)
	}
	f.Over.Marks[0].Key++
	f.Over.Draw = func(render.Target, image.Rectangle) error { return failure }
	if err := s.r.Show(o.Target(1), f); !errors.Is(err, failure) {
		t.Errorf("the error is %v", err)
	}
	f.Over.Draw = nil
	if d := exact.Compare(s.show(o, f), want); d.Beyond != "" || len(s.r.Drawn()) != 1 {
		t.Errorf("after a failure %v were drawn: %s", s.r.Drawn(), d.Beyond)
	}
	f.Over.Known = false
	for range 2 {
		if s.show(o, f); len(s.r.Drawn()) != 1 || s.r.Drawn()[0] != image.Rect(0, 0, 256, 64) {
			t.Errorf("of what is not known %v was drawn", s.r.Drawn())
		}
	}
}

// Show does not depend on the state that another renderer leaves, and leaves the state that Yield
// promises, with the target's framebuffer bound.
func TestShowState(t *testing.T) {
	s := &shower{t, testpic.Renderer(t)}
	o, err := render.NewOffscreen(image.Pt(256, 64))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Release()
	f := frameOf(ramps())
	want := s.show(o, f)
	for _, forget := range []bool{false, true} { // copied, then drawn
		if forget {
			s.r.Forget()
		}
		render.Disturb(image.Rect(3, 3, 9, 9))
		if err := s.r.Show(o.Target(1), f); err != nil {
			t.Fatal(err)
		}
		if test, write, offset := render.DepthState(); test || !write || offset {
			t.Errorf("depth: tested %v, written %v, offset %v", test, write, offset)
		}
		read, drawn, scissor := render.FramebufferState()
		if read != o.FBO() || drawn != o.FBO() || scissor {
			t.Errorf("framebuffers %d and %d are bound, want %d; scissor %v", read, drawn, o.FBO(), scissor)
		}
		if d := exact.Compare(s.show(o, f), want); d.Beyond != "" {
			t.Error(d.Beyond)
		}
	}
}

// Whatever the renderer has done, it leaves the state that Yield promises: above all a vertex array
// of which no attribute is enabled, so that nobody draws from buffers that they do not know.
func TestEverythingYields(t *testing.T) {
	s := &shower{t, testpic.Renderer(t)}
	o, err := render.NewOffscreen(image.Pt(120, 90))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Release()
	yields := func(what string) {
		t.Helper()
		if why := s.r.Yielded(); why != "" {
			t.Errorf("%s: %s", what, why)
		}
	}
	yields("new")
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 2))
		f := frameOf(anyScene(random))
		if err := s.r.Clear(o.Target(1), white); err != nil {
			t.Fatal(err)
		}
		yields("clear")
		if err := s.r.Draw(o.Target(1), f.Parts[0].Scene); err != nil {
			t.Fatal(err)
		}
		yields("draw")
		write := writer{check: func() { yields("before texts are written") }}
		f.Type = write
		f.Parts[0].Scene.Layers[0].Write(scene.Text{Rect: geom.Rect{X1: 50, Y1: 20}, Size: 12,
			Text: strconv.FormatUint(seed, 10), Fill: red})
		f.Over = render.Over{Draw: func(render.Target, image.Rectangle) error {
			yields("before what lies over the scenes is drawn")
			return nil
		}}
		s.show(o, f)
		yields("show")
	}
}

// writer is a Type that writes nothing.
type writer struct{ check func() }

func (w writer) Room(*scene.Text) (size, inset image.Point) { return image.Pt(20, 14), image.Pt(1, 1) }

func (w writer) Place(*scene.Text) image.Point { return image.Pt(5, 5) }

func (w writer) Write(render.Target, []*scene.Text, []image.Point) error {
	w.check()
	return nil
}

// The picture is freed with its size and with the renderer.
func TestShownIsReleased(t *testing.T) {
	s := &shower{t, testpic.Renderer(t)}
	var before uint32
	for _, w := range []int{20, 30, 40} {
		o, err := render.NewOffscreen(image.Pt(w, 20))
		if err != nil {
			t.Fatal(err)
		}
		defer o.Release()
		s.show(o, frameOf(ramps()))
		now := s.r.ShownFBO()
		if !render.IsFramebuffer(now) || (before != now && render.IsFramebuffer(before)) {
			t.Errorf("width %d: framebuffer %d after %d", w, now, before)
		}
		before = now
	}
	s.r.Release()
	if render.IsFramebuffer(before) {
		t.Error("the framebuffer outlives the renderer")
	}
}

// OpenGL ES copies nothing into a framebuffer with several samples a pixel: all is drawn every time.
func TestShowOnSamples(t *testing.T) {
	r := testpic.Renderer(t)
	target, release := render.NewMultisampled(image.Pt(256, 64))
	if release == nil {
		t.Skip("the driver has no such framebuffers")
	}
	defer release()
	for range 3 {
		if err := r.Show(target, frameOf(ramps())); err != nil {
			t.Fatal(err)
		}
		if len(r.Drawn()) != 1 {
			t.Errorf("%v were drawn", r.Drawn())
		}
	}
}
