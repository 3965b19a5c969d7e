package host_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"strconv"
	"testing"

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

// In a window, scenes that are kept look the same as scenes that are drawn: when they are drawn to be
// kept, when they are copied, and after the window has changed its size.
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
	w.frame(t, func(a *testApp) { a.keep = true })
	turn("drawn")
	before := w.draws()
	w.frame(t, func(*testApp) {})
	w.frame(t, func(*testApp) {})
	looks("copied")
	if n := w.draws() - before; n != 0 {
		t.Errorf("the same scenes were drawn %d times more", n)
	}
	for _, size := range []image.Point{{700, 450}, {901, 603}} {
		xdo(t, "windowsize", w.id, strconv.Itoa(size.X), strconv.Itoa(size.Y))
		until(t, fmt.Sprintf("size %v", size), func() bool {
			return see(w.testApp, func(a *testApp) bool { return a.size == size })
		})
		looks(fmt.Sprintf("at %v", size))
		turn(fmt.Sprintf("drawn at %v", size))
	}
}

// While a caret blinks, frames are made, but no scene is drawn for them.
func TestWindowCaretDrawsNoScene(t *testing.T) {
	w := show(t, host.Options{Scale: 1})
	w.frame(t, func(a *testApp) { a.keep = true })
	xdo(t, "mousemove", "200", "135", "click", "1", "type", "x")
	until(t, "the text", func() bool { return w.typed() == "x" })
	before := w.draws()
	first := w.count()
	until(t, "three frames of the caret", func() bool { return w.count() >= first+3 })
	if n := w.draws() - before; before == 0 || n != 0 {
		t.Errorf("the scenes were drawn %d times, then %d times more for the caret", before, n)
	}
}

// Gio's renderer, which draws over what is kept, changes nothing in it, and the other way round.
func TestPictureKept(t *testing.T) {
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
	p.Click(image.Pt(100, 135), pointer.ButtonPrimary, 0)
	p.Type("some text")
	want := look()
	a.keep = true
	for n := range 4 {
		if !bytes.Equal(look().Pix, want.Pix) {
			t.Errorf("picture %d with kept scenes is another one", n)
		}
		p.Layout()
	}
	if a.painted != 2 {
		t.Errorf("the scenes were drawn %d times, want once directly and once to be kept", a.painted)
	}
}
