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

// keeper draws a scene through Kept and counts how often it had to be drawn.
type keeper struct {
	t     *testing.T
	r     *render.Renderer
	scene *scene.Scene
	draws int
}

// draw is what Kept calls.
func (k *keeper) draw(t render.Target) error {
	k.draws++
	if err := k.r.Clear(t, white); err != nil {
		return err
	}
	return k.r.Draw(t, k.scene)
}

// show spoils o, brings the scene to t, which is a part of o, and returns o's picture.
func (k *keeper) show(o *render.Offscreen, t render.Target, key any) *image.RGBA {
	k.t.Helper()
	if err := k.r.Clear(o.Target(1), pink); err != nil {
		k.t.Fatal(err)
	}
	if err := k.r.Kept(t, key, k.draw); err != nil {
		k.t.Fatal(err)
	}
	return k.read(o)
}

func (k *keeper) read(o *render.Offscreen) *image.RGBA {
	k.t.Helper()
	m, err := o.ReadImage()
	if err != nil {
		k.t.Fatal(err)
	}
	return m
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

// A picture that is drawn by Kept, and its copy, are the one that Draw makes, on both kinds of
// framebuffer. A switch from one kind to the other has it drawn anew.
func TestKeptPicture(t *testing.T) {
	k := &keeper{t: t, r: testpic.Renderer(t), scene: ramps()}
	for _, f := range framebuffers {
		o, err := f.make(image.Pt(256, 64))
		if err != nil {
			t.Fatal(err)
		}
		defer o.Release()
		want := testpic.SceneOn(t, k.r, o, k.scene, 1, white)
		k.draws = 0
		for _, what := range []string{"drawn", "copied", "copied again"} {
			d := exact.Compare(k.show(o, o.Target(1), "ramps"), want)
			t.Log(f.name, what, d)
			if d.Beyond != "" {
				t.Errorf("%s, %s: %s", f.name, what, d.Beyond)
			}
		}
		if k.draws != 1 {
			t.Errorf("%s: drawn %d times, want once", f.name, k.draws)
		}
	}
}

// Another key, size, scale or part of the framebuffer has the picture drawn; another framebuffer of
// the same size and kind does not.
func TestKeptDrawsWhatChanged(t *testing.T) {
	k := &keeper{t: t, r: testpic.Renderer(t), scene: ramps()}
	var made [3]*render.Offscreen
	for i, size := range []image.Point{{256, 64}, {200, 50}, {256, 64}} {
		o, err := render.NewOffscreen(size)
		if err != nil {
			t.Fatal(err)
		}
		defer o.Release()
		made[i] = o
	}
	wide, small, twin := made[0], made[1], made[2]
	part := wide.Target(1).At(image.Rect(20, 10, 120, 40))
	for _, step := range []struct {
		what  string
		o     *render.Offscreen
		t     render.Target
		key   any
		draws int
	}{
		{"the first", wide, wide.Target(1), 1, 1},
		{"the same", wide, wide.Target(1), 1, 0},
		{"another key", wide, wide.Target(1), 2, 1},
		{"the key before", wide, wide.Target(1), 1, 1},
		{"another size", small, small.Target(1), 1, 1},
		{"the same size", small, small.Target(1), 1, 0},
		{"the size before", wide, wide.Target(1), 1, 1},
		{"another framebuffer", twin, twin.Target(1), 1, 0},
		{"another scale", wide, wide.Target(2), 1, 1},
		{"a part", wide, part, 1, 1},
		{"the same part", wide, part, 1, 0},
	} {
		k.draws = 0
		got := k.show(step.o, step.t, step.key)
		if k.draws != step.draws {
			t.Errorf("%s: drawn %d times, want %d", step.what, k.draws, step.draws)
		}
		if err := k.r.Clear(step.o.Target(1), pink); err != nil {
			t.Fatal(err)
		}
		if err := k.draw(step.t); err != nil {
			t.Fatal(err)
		}
		if d := exact.Compare(got, k.read(step.o)); d.Beyond != "" {
			t.Errorf("%s: %s", step.what, d.Beyond)
		}
	}
}

// Where drawing fails, the target stays as it is, and nothing is kept.
func TestKeptForgetsWhatFailed(t *testing.T) {
	k := &keeper{t: t, r: testpic.Renderer(t), scene: ramps()}
	o, err := render.NewOffscreen(image.Pt(256, 64))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Release()
	want := k.show(o, o.Target(1), 1)
	failure := errors.New("no picture")
	err = k.r.Kept(o.Target(1), 2, func(t render.Target) error {
		return errors.Join(k.r.Clear(t, steel), failure)
	})
	if !errors.Is(err, failure) {
		t.Errorf("the error is %v", err)
	}
	if d := exact.Compare(k.read(o), want); d.Beyond != "" {
		t.Errorf("after a failure: %s", d.Beyond)
	}
	for _, key := range []any{2, 1} {
		if k.draws = 0; exact.Compare(k.show(o, o.Target(1), key), want).Beyond != "" || k.draws != 1 {
			t.Errorf("key %v after a failure: drawn %d times", key, k.draws)
		}
	}
}

// Kept does not depend on the state that another renderer leaves, and leaves the state that Yield
// promises, with the target's framebuffer bound.
func TestKeptState(t *testing.T) {
	k := &keeper{t: t, r: testpic.Renderer(t), scene: ramps()}
	o, err := render.NewOffscreen(image.Pt(256, 64))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Release()
	want := k.show(o, o.Target(1), 1)
	for _, key := range []int{1, 2} { // copied, then drawn
		render.Disturb(image.Rect(3, 3, 9, 9))
		if err := k.r.Kept(o.Target(1), key, k.draw); err != nil {
			t.Fatal(err)
		}
		if test, write, offset := render.DepthState(); test || !write || offset {
			t.Errorf("depth: tested %v, written %v, offset %v", test, write, offset)
		}
		read, drawn, scissor := render.FramebufferState()
		if read != o.FBO() || drawn != o.FBO() || scissor {
			t.Errorf("framebuffers %d and %d are bound, want %d; scissor %v",
				read, drawn, o.FBO(), scissor)
		}
		if d := exact.Compare(k.read(o), want); d.Beyond != "" {
			t.Error(d.Beyond)
		}
	}
}

// What is kept is freed with its size and with the renderer.
func TestKeptIsReleased(t *testing.T) {
	k := &keeper{t: t, r: testpic.Renderer(t), scene: ramps()}
	var before uint32
	for _, w := range []int{20, 30, 40} {
		o, err := render.NewOffscreen(image.Pt(w, 20))
		if err != nil {
			t.Fatal(err)
		}
		defer o.Release()
		k.show(o, o.Target(1), 1)
		now := k.r.KeptFBO()
		if !render.IsFramebuffer(now) || (before != now && render.IsFramebuffer(before)) {
			t.Errorf("width %d: framebuffer %d after %d", w, now, before)
		}
		before = now
	}
	k.r.Release()
	if render.IsFramebuffer(before) {
		t.Error("the framebuffer outlives the renderer")
	}
}

// OpenGL ES copies nothing into a framebuffer with several samples a pixel: it is drawn every time.
func TestKeptOnSamples(t *testing.T) {
	k := &keeper{t: t, r: testpic.Renderer(t), scene: ramps()}
	target, release := render.NewMultisampled(image.Pt(256, 64))
	if release == nil {
		t.Skip("the driver has no such framebuffers")
	}
	defer release()
	for range 3 {
		if err := k.r.Kept(target, 1, k.draw); err != nil {
			t.Fatal(err)
		}
	}
	if k.draws != 3 {
		t.Errorf("drawn %d times, want 3", k.draws)
	}
}

// BenchmarkKept compares drawing a picture with drawing it to be kept, and with copying it.
func BenchmarkKept(b *testing.B) {
	s := cells(20_000)
	for _, test := range []struct {
		name string
		show func(r *render.Renderer, t render.Target, n int) error
	}{
		{"drawn", func(r *render.Renderer, t render.Target, _ int) error { return r.Draw(t, s) }},
		{"kept", func(r *render.Renderer, t render.Target, n int) error {
			return r.Kept(t, n, func(t render.Target) error { return r.Draw(t, s) })
		}},
		{"copied", func(r *render.Renderer, t render.Target, _ int) error {
			return r.Kept(t, -1, func(t render.Target) error { return r.Draw(t, s) })
		}},
	} {
		b.Run(test.name, func(b *testing.B) {
			r := testpic.Renderer(b)
			o, err := render.NewOffscreen(image.Pt(1600, 1000))
			if err != nil {
				b.Fatal(err)
			}
			defer o.Release()
			for n := 0; b.Loop(); n++ {
				if err := test.show(r, o.Target(1), n); err != nil {
					b.Fatal(err)
				}
				render.Finish()
			}
		})
	}
}
