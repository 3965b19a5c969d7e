package host_test

import (
	"fmt"
	"image"
	"image/color"
	"strconv"
	"testing"
	"time"

	"gioui.org/io/pointer"

	"diptych/internal/host"
)

// shown is where the App's scenes are in the window.
var shown = image.Rect(20, 20, 420, 80)

// farthest returns by how much a channel of two pictures of the same size is off at most.
func farthest(a, b *image.RGBA) int {
	most := 0
	for i := range a.Pix {
		d := int(a.Pix[i]) - int(b.Pix[i])
		most = max(most, d, -d)
	}
	return most
}

// frame has the window make a frame after changing its App.
func (w *window) frame(t *testing.T, change func(*testApp)) {
	t.Helper()
	seen := false
	see(w.testApp, func(a *testApp) any { change(a); return nil })
	w.command(func(host.Frame) { seen = true })
	until(t, "a frame", func() bool { return see(w.testApp, func(*testApp) bool { return seen }) })
}

// draws returns how often the scenes were drawn.
func (w *window) draws() int { return see(w.testApp, func(a *testApp) int { return a.painted }) }

// In a window, what is kept of the last frame looks the same as what is drawn: when it is drawn, when
// it is copied, and after the window has changed its size.
func TestWindowKept(t *testing.T) {
	w := show(t, host.Options{Scale: 1})
	c := dial(t)
	var want *image.RGBA
	until(t, "the scenes", func() bool {
		want = c.picture(t, w.number(t), shown)
		return want.RGBAAt(30, 30) == color.RGBA(steel)
	})
	looks := func(what string) {
		t.Helper()
		until(t, "scenes "+what+" that look the same", func() bool {
			return farthest(c.picture(t, w.number(t), shown), want) <= 1
		})
	}
	turn := func(what string) {
		t.Helper()
		w.frame(t, func(a *testApp) { a.turns = 1 })
		until(t, "other scenes", func() bool {
			return c.pixel(t, w.number(t), image.Pt(30, 30)) == rust
		})
		w.frame(t, func(a *testApp) { a.turns = 2 })
		looks(what)
	}
	turn("drawn")
	w.frame(t, func(*testApp) {})
	w.frame(t, func(*testApp) {})
	looks("copied")
	for _, size := range []image.Point{{700, 450}, {901, 603}} {
		xdo(t, "windowsize", w.id, strconv.Itoa(size.X), strconv.Itoa(size.Y))
		until(t, fmt.Sprintf("size %v", size), func() bool {
			return see(w.testApp, func(a *testApp) bool { return a.size == size })
		})
		looks(fmt.Sprintf("at %v", size))
		turn(fmt.Sprintf("drawn at %v", size))
	}
}

// While a caret blinks, only what is around it is drawn.
func TestPictureOfACaret(t *testing.T) {
	a := newTestApp()
	p := picture(t, a)
	p.Click(image.Pt(100, 135), pointer.ButtonPrimary, 0)
	p.Type("x")
	field := image.Rect(16, 116, 424, 154)
	for n := range 5 {
		p.LayoutAt(time.Unix(int64(100+n), int64(n%2)*5e8))
		if _, err := p.Image(); err != nil {
			t.Fatal(err)
		}
		for _, r := range p.Drawn() {
			if n > 0 && !r.In(field) {
				t.Errorf("frame %d drew %v, want a part of %v", n, r, field)
			}
		}
	}
}

// What is mended looks like what is drawn from scratch.
func TestPictureMended(t *testing.T) {
	a := newTestApp()
	p := picture(t, a)
	look := func() *image.RGBA {
		t.Helper()
		m, err := p.Image()
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for n, do := range []func(){
		func() { p.Click(image.Pt(100, 135), pointer.ButtonPrimary, 0) },
		func() { p.Type("some text") },
		func() { a.turns++ },
		func() { p.Move(image.Pt(450, 130), 0) },
		func() { p.Click(image.Pt(450, 130), pointer.ButtonPrimary, 0) },
		func() { a.turns++ },
		func() { p.Move(image.Pt(10, 10), 0) },
		func() {},
	} {
		do()
		p.Layout()
		got := look()
		drawn := p.Drawn()
		p.Forget()
		if off := farthest(got, look()); off > 2 { // the coverage of glyphs is rounded by how they are packed
			t.Errorf("picture %d, of which %v was drawn, is off by %d", n, drawn, off)
		}
	}
	p.Layout()
	look()
	if p.Layout(); len(p.Drawn()) > 2 {
		t.Errorf("at rest %v were drawn", p.Drawn())
	}
}
