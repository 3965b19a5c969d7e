package host_test

import (
	"image"
	"image/color"
	"slices"
	"testing"
	"time"

	"gioui.org/io/key"
	"gioui.org/io/pointer"
	"gioui.org/op"

	"diptych/internal/host"
)

func TestHeadless(t *testing.T) {
	t.Setenv("DISPLAY", "")
	for range 3 { // one after another, as tests make them
		c, err := host.Headless()
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
	}
}

// A snapshot holds the scene, Gio's operations over it, and text.
func TestSnapshot(t *testing.T) {
	m, err := host.Snapshot(newTestApp(), image.Pt(600, 300), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		what string
		at   image.Point
		want color.NRGBA
	}{
		{"ground", image.Pt(5, 5), ground},
		{"scene", image.Pt(30, 30), steel},
		{"scene's corner", image.Pt(119, 79), steel},
		{"beside the scene", image.Pt(120, 80), ground},
		{"interface over the scene", image.Pt(50, 50), rust},
	} {
		if got := m.RGBAAt(test.at.X, test.at.Y); got != color.RGBA(test.want) {
			t.Errorf("%s: pixel is %v, want %v", test.what, got, test.want)
		}
	}
	if n := dark(m, image.Rect(20, 90, 220, 115)); n < 50 {
		t.Errorf("the label has %d dark pixels", n)
	}
}

// dark counts the pixels of r that are darker than a middle grey.
func dark(m *image.RGBA, r image.Rectangle) int {
	n := 0
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if m.RGBAAt(x, y).G < 110 {
				n++
			}
		}
	}
	return n
}

// A picture can be used as a window is: what is typed goes to the editor that was clicked.
func TestPictureTakesInput(t *testing.T) {
	a := newTestApp()
	p := picture(t, a)
	p.Click(image.Pt(100, 135), pointer.ButtonPrimary, 0)
	p.Type("one")
	p.Type(" two")
	p.Press(key.NameDeleteBackward, 0)
	if a.text != "one tw" {
		t.Errorf("the editor holds %q", a.text)
	}
	p.Press("A", key.ModCtrl)
	p.Press("C", key.ModCtrl)
	p.Press(key.NameEnd, 0)
	p.Press("V", key.ModCtrl)
	if a.text != "one twone tw" {
		t.Errorf("after copying and pasting all, the editor holds %q", a.text)
	}
	p.Press(key.NameTab, 0)
	p.Press(key.NameReturn, 0)
	if a.clicks != 1 {
		t.Errorf("the button that Tab leads to saw %d clicks", a.clicks)
	}
}

func TestPictureFindsByLabel(t *testing.T) {
	a := newTestApp()
	p := picture(t, a)
	r, ok := p.Find("press")
	if !ok || !r.Overlaps(image.Rect(440, 120, 540, 150)) {
		t.Fatalf("the button is at %v, labels are %q", r, p.Labels())
	}
	p.Click(r.Min, pointer.ButtonPrimary, 0)
	if a.clicks != 1 {
		t.Errorf("the button saw %d clicks", a.clicks)
	}
	if r, ok := p.Find("nothing"); ok {
		t.Errorf("nothing is at %v", r)
	}
}

func TestPictureDragAndScroll(t *testing.T) {
	a := newTestApp()
	p := picture(t, a)
	p.Drag(image.Pt(50, 200), image.Pt(90, 240), pointer.ButtonPrimary, key.ModShift)
	p.Scroll(image.Pt(50, 200), 0, 2, 0)
	p.Move(image.Pt(50, 20), 0)
	var kinds []pointer.Kind // the first one is the reset that every new handler sees
	for _, e := range a.events {
		kinds = append(kinds, e.Kind)
	}
	want := []pointer.Kind{pointer.Cancel, pointer.Enter, pointer.Move, pointer.Press,
		pointer.Drag, pointer.Drag, pointer.Drag, pointer.Drag, pointer.Release, pointer.Scroll,
		pointer.Leave}
	if !slices.Equal(kinds, want) {
		t.Errorf("the pad saw %v, want %v", kinds, want)
	}
}

// An App that asks for another frame while it is laid out gets it before the picture is at rest.
func TestPictureSettles(t *testing.T) {
	a := newTestApp()
	p := picture(t, a)
	before := a.frames
	a.ask = func(f host.Frame) {
		f.Window.Invalidate()
		a.ask = func(f host.Frame) { f.Window.Invalidate() }
	}
	p.Settle()
	if n := a.frames - before; n != 3 {
		t.Errorf("%d frames, want 3", n)
	}
}

// An App that always wants a frame later, as for a caret that blinks, gets two of them.
func TestPictureDoesNotWaitForClocks(t *testing.T) {
	a := newTestApp()
	p := picture(t, a)
	before := a.frames
	var blink func(f host.Frame)
	blink = func(f host.Frame) {
		f.Source.Execute(op.InvalidateCmd{At: f.Now.Add(time.Millisecond)})
		a.ask = blink
	}
	a.ask = blink
	p.Settle()
	if n := a.frames - before; n != 2 {
		t.Errorf("%d frames, want 2", n)
	}
}

func picture(t *testing.T, a host.App) *host.Picture {
	t.Helper()
	p, err := host.NewPicture(a, image.Pt(600, 300), 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	p.Settle()
	return p
}

func TestPictureSize(t *testing.T) {
	if _, err := host.Snapshot(newTestApp(), image.Pt(0, 10), 1); err == nil {
		t.Error("a picture without pixels gives no error")
	}
}
