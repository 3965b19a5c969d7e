package ui

import (
	"bytes"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gioui.org/io/key"
	"gioui.org/io/pointer"

	"diptych/internal/testtrace"
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

// unlike tells how a window that was drawn in parts differs from one that was drawn as a whole, or
// returns "". Scenes are the same within a level. So is what Gio draws in the rectangles painted but
// for its edges: it adds up the coverage of a pixel in 16-bit floats, 11 bits of which count, at a
// place that depends on what else it draws, so coverage is off by a few times 2⁻¹¹ of the light; that
// is more than a level in dark colours only, where sRGB has up to 13 times as many levels.
func unlike(got, want *image.RGBA, painted []image.Rectangle) string {
	const off = 8. / (1 << 11)
	const run = 256 // so many bytes are mostly the same, which is seen at once
	for i := 0; i < len(want.Pix); i++ {
		if end := min(i+run, len(want.Pix)); i%run == 0 && bytes.Equal(got.Pix[i:end], want.Pix[i:end]) {
			i = end - 1
			continue
		}
		a, b := got.Pix[i], want.Pix[i]
		if max(a, b)-min(a, b) <= 1 {
			continue
		}
		at := image.Pt(i%want.Stride/4, i/want.Stride)
		edge := slices.ContainsFunc(painted, func(r image.Rectangle) bool { return at.In(r) })
		if !edge || math.Abs(light(a)-light(b)) > off {
			return fmt.Sprintf("at %v a channel is %d, not %d; drawn by Gio: %v", at, a, b, edge)
		}
	}
	return ""
}

// light is the light, from 0 to 1, that a channel stands for in sRGB.
func light(c uint8) float64 {
	v := float64(c) / 255
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

// A caret that blinks has frames made, in which no scene is built, and nothing is drawn but in the top
// bar.
func TestCaretDrawsNoScene(t *testing.T) {
	b := queuePair(t)
	b.press("/", 0)
	b.write("sem_w")
	b.rest()
	b.image()
	builds := b.app.builds
	for n := range 8 {
		b.pic.Layout() // a second later
		b.image()
		for _, r := range b.pic.Drawn() {
			if r.Max.Y > b.app.kit.Dp(44) {
				t.Errorf("frame %d: %v was drawn", n, r)
			}
		}
	}
	if n := b.app.builds - builds; n != 0 {
		t.Errorf("%d scenes were built", n)
	}
}

// Whatever the user does, what the window shows is what it would show if the scenes were drawn anew.
func TestPaintNoticesEveryChange(t *testing.T) {
	b := benchOf(t, New(opened(t, pairs["queue"]...)), image.Pt(960, 640))
	b.pic.Settle()
	before := image.NewRGBA(image.Rectangle{})
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
		b.pic.Forget()
		if why := unlike(got, b.image(), b.pic.Painted()); why != "" {
			t.Errorf("%s: %s", step.what, why)
		}
	}
}

// Whatever a user does in any order, nothing of an earlier frame stays in the window.
func TestNothingStaleStays(t *testing.T) {
	for seed, scale := range []float32{1, 2, 1.5} {
		random := rand.New(rand.NewPCG(uint64(seed), 7))
		size := image.Pt(int(640*scale), int(440*scale))
		b := sized(t, New(opened(t, pairs["queue"]...)), size, scale)
		for range testtrace.Sized(4, 14) {
			what := b.anything(random, size)
			got := b.image()
			drawn := b.pic.Drawn()
			b.pic.Forget()
			if why := unlike(got, b.image(), b.pic.Painted()); why != "" {
				t.Fatalf("seed %d, %s, with %v drawn: %s", seed, what, drawn, why)
			}
		}
	}
}

// keysOfAll are keys that change what the window shows.
var keysOfAll = []struct {
	name key.Name
	mods key.Modifiers
}{
	{"3", 0}, {"4", 0}, {"5", 0}, {"6", 0}, {"7", 0}, {"T", 0}, {"C", 0}, {"D", 0}, {"W", 0}, {"F", 0},
	{key.NameHome, 0}, {"E", key.ModCtrl}, {"B", key.ModCtrl}, {"X", 0}, {"K", key.ModCtrl},
	{key.NameEscape, 0}, {"?", 0}, {key.NameTab, 0}, {"M", key.ModCtrl | key.ModShift},
}

// anything does something, and says what.
func (b *bench) anything(random *rand.Rand, size image.Point) string {
	at := image.Pt(random.IntN(size.X), random.IntN(size.Y))
	switch random.IntN(9) {
	case 0:
		b.pic.Click(at, pointer.ButtonPrimary, 0)
		return "click"
	case 1:
		b.pic.Click(at, pointer.ButtonSecondary, 0)
		return "menu"
	case 2:
		b.pic.Scroll(at, 0, float32(random.IntN(5)-2), 0)
		return "wheel"
	case 3:
		b.pic.Drag(at, image.Pt(random.IntN(size.X), random.IntN(size.Y)), pointer.ButtonPrimary, 0)
		return "drag"
	case 4, 5:
		k := keysOfAll[random.IntN(len(keysOfAll))]
		b.pic.Press(k.name, k.mods)
		return "key " + string(k.name)
	case 6:
		b.settle()
		return "rest"
	}
	b.pic.Move(at, 0)
	return "move"
}
