package render_test

import (
	"errors"
	"image"
	"image/color"
	"testing"

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

// offscreen returns a framebuffer for the time of a test.
func offscreen(t *testing.T, size image.Point) *render.Offscreen {
	t.Helper()
	o, err := render.NewOffscreen(size)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.Release)
	return o
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
			if err := s.r.PaintShown(o.Target(1)); err != nil {
				t.Fatal(err)
			}
			if m, err := o.ReadImage(); err != nil || exact.Compare(m, want).Beyond != "" {
				t.Errorf("%s, %s: painted it differs: %v, %v", b.name, what, exact.Compare(m, want), err)
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
	o := offscreen(t, image.Pt(1600, 1000))
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

// Of a framebuffer that keeps what was shown only what changed is written, unless the frame before
// was shown elsewhere.
func TestShowWritesWhatChanged(t *testing.T) {
	r := testpic.Renderer(t)
	for _, b := range framebuffers {
		o, err := b.make(image.Pt(400, 300))
		if err != nil {
			t.Fatal(err)
		}
		defer o.Release()
		other := offscreen(t, image.Pt(400, 300))
		sc := &scene.Scene{Size: geom.Size{W: 400, H: 300}}
		l := sc.Layer(geom.Rect{})
		for x := range 20 {
			l.Fill(geom.Rect{X0: float32(20 * x), X1: float32(20*x + 14), Y1: 290}, steel)
		}
		f, target := frameOf(sc), o.Target(1)
		target.Kept = true
		for n, step := range []struct {
			do   func() error
			kept bool // what is written over the framebuffer at its right end stays
		}{
			{func() error { return nil }, false}, // nothing is known to be there
			{func() error { l.Quads[3].Fill = red; return nil }, true},
			{func() error { l.Quads[5].Fill = red; return r.Show(other.Target(1), f) }, false},
			{func() error { l.Quads[4].Fill = red; l.Quads[6].Fill = pink; return nil }, true},
		} {
			if err := step.do(); err != nil {
				t.Fatal(err)
			}
			spoilt := target
			spoilt.Clip = image.Rect(390, 0, 400, 300)
			if err := r.Clear(spoilt, red); err != nil {
				t.Fatal(err)
			}
			if err := r.Show(target, f); err != nil {
				t.Fatal(err)
			}
			got, err := o.ReadImage()
			if err != nil {
				t.Fatal(err)
			}
			if kept := got.RGBAAt(395, 100) == color.RGBA(red); kept != step.kept {
				t.Errorf("%s, step %d: what was not drawn is kept: %v, want %v", b.name, n, kept, step.kept)
			}
			if err := r.PaintShown(target); err != nil {
				t.Fatal(err)
			}
			want, err := o.ReadImage()
			if err != nil {
				t.Fatal(err)
			}
			left := image.Rect(0, 0, 390, 300)
			if d := exact.Compare(got.SubImage(left).(*image.RGBA), want.SubImage(left).(*image.RGBA)); d.Beyond != "" {
				t.Errorf("%s, step %d: %s", b.name, n, d.Beyond)
			}
		}
	}
}

// What lies over the scenes is drawn where it differs, and a failure has all drawn anew.
func TestShowOver(t *testing.T) {
	s := &shower{t, testpic.Renderer(t)}
	o := offscreen(t, image.Pt(256, 64))
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
	o := offscreen(t, image.Pt(256, 64))
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
