package ui

import (
	"bytes"
	"image"
	"testing"

	"gioui.org/io/key"

	"diptych/internal/testpic"
)

// image draws the window and returns it.
func (b *bench) image() *image.RGBA {
	b.t.Helper()
	m, err := b.pic.Image()
	if err != nil {
		b.t.Fatal(err)
	}
	return m
}

// A caret that blinks has frames made, in which no scene is built or drawn.
func TestCaretDrawsNoScene(t *testing.T) {
	b := queuePair(t)
	b.press("/", 0)
	b.write("sem_w")
	b.image()
	builds, paints := b.app.builds, b.app.paints
	for range 5 {
		b.pic.Layout() // a second later
		b.image()
	}
	if n := b.app.builds - builds; n != 0 {
		t.Errorf("%d scenes were built", n)
	}
	if n := b.app.paints - paints; n != 0 || paints == 0 {
		t.Errorf("the scenes were drawn %d times, then %d times more", paints, n)
	}
}

// Whatever the user does, what the window shows is what it would show if the scenes were drawn anew.
func TestPaintNoticesEveryChange(t *testing.T) {
	b := queuePair(t)
	exact, before := testpic.Margin{Channel: 1}, image.NewRGBA(image.Rectangle{})
	press := func(name key.Name, mods key.Modifiers) func() { return func() { b.press(name, mods) } }
	for _, step := range []struct {
		what string
		do   func()
	}{
		{"open", func() {}},
		{"point at a call", func() { b.move(b.callAt(0, 2)) }},
		{"select it", func() { b.clickAt(b.callAt(0, 2)) }},
		{"fit it", press("F", 0)},
		{"pan", press("D", 0)},
		{"show all", press(key.NameHome, 0)},
		{"search", func() { b.press("/", 0); b.write("sem_w") }},
		{"leave the search", press(key.NameEscape, 0)},
		{"dark", press("T", 0)},
		{"colours of matches", press("C", 0)},
		{"no dock", press("B", key.ModCtrl)},
		{"two panes", press("E", key.ModCtrl)},
		{"alignment", press("4", 0)},
		{"threads", press("5", 0)},
		{"one pane", press("M", key.ModCtrl|key.ModShift)},
		{"taller overview", func() { b.drag(image.Pt(400, 238), image.Pt(400, 270), 0) }},
		{"nothing open", press("W", key.ModCtrl)},
		{"light, which builds no scene", press("T", 0)},
	} {
		step.do()
		got := b.image()
		if bytes.Equal(got.Pix, before.Pix) {
			t.Errorf("%s changes nothing", step.what)
		}
		before = got
		b.app.painted = paintedOf{}
		if d := exact.Compare(got, b.image()); d.Beyond != "" {
			t.Errorf("%s: %s", step.what, d.Beyond)
		}
	}
}
