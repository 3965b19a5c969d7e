package host_test

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"log"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gioui.org/io/key"
	"gioui.org/io/pointer"

	"diptych/internal/host"
)

// window is a testApp in a window on the test's display.
type window struct {
	*testApp
	id   string
	done <-chan struct{}
	err  error // of Run, once done
}

// show opens a window of 800 × 500 px, its top left corner at the screen's, and closes it at the
// end of the test.
func show(t *testing.T, o host.Options) *window {
	t.Helper()
	display(t)
	o.Title = "host test"
	if o.Size == (image.Point{}) {
		o.Size = image.Pt(800, 500)
	}
	w := &window{testApp: newTestApp()}
	w.done = onMain(func() { w.err = host.Run(o, w.testApp) })
	t.Cleanup(func() {
		w.command(func(f host.Frame) { f.Window.Close() })
		<-w.done
		if w.err != nil {
			t.Errorf("Run: %v", w.err)
		}
	})
	until(t, "a first frame", func() bool { return w.count() > 0 || w.ended() })
	if w.ended() {
		t.FailNow()
	}
	w.id = xdo(t, "search", "--sync", "--onlyvisible", "--name", "^host test$")
	xdo(t, "windowmove", "--sync", w.id, "0", "0")
	xdo(t, "windowfocus", "--sync", w.id)
	return w
}

// command has f called with the next frame.
func (w *window) command(f func(host.Frame)) {
	see(w.testApp, func(a *testApp) any { a.ask = f; return nil })
	host.Wake()
}

// number is the display server's name of the window.
func (w *window) number(t *testing.T) uint32 {
	t.Helper()
	id, err := strconv.ParseUint(w.id, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(id)
}

func (w *window) count() int { return see(w.testApp, func(a *testApp) int { return a.frames }) }

func (w *window) typed() string { return see(w.testApp, func(a *testApp) string { return a.text }) }

func (w *window) ended() bool {
	select {
	case <-w.done:
		return true
	default:
		return false
	}
}

// saw waits until the pad saw an event that fits.
func (w *window) saw(t *testing.T, what string, fits func(pointer.Event) bool) {
	t.Helper()
	until(t, what, func() bool {
		return see(w.testApp, func(a *testApp) bool { return slices.ContainsFunc(a.events, fits) })
	})
}

func kind(k pointer.Kind) func(pointer.Event) bool {
	return func(e pointer.Event) bool { return e.Kind == k }
}

func TestWindowPointer(t *testing.T) {
	w := show(t, host.Options{Scale: 1})
	xdo(t, "mousemove", "300", "300")
	w.saw(t, "enter", kind(pointer.Enter))
	w.saw(t, "move", func(e pointer.Event) bool {
		return e.Kind == pointer.Move && e.Position.X == 300 && e.Position.Y == 300
	})
	xdo(t, "mousedown", "1", "mousemove", "310", "320")
	w.saw(t, "drag", func(e pointer.Event) bool {
		return e.Kind == pointer.Drag && e.Buttons == pointer.ButtonPrimary && e.Position.Y == 320
	})
	xdo(t, "mouseup", "1")
	w.saw(t, "release", func(e pointer.Event) bool {
		return e.Kind == pointer.Release && e.Buttons == 0
	})
	xdo(t, "keydown", "shift", "click", "3", "keyup", "shift")
	w.saw(t, "right button with Shift", func(e pointer.Event) bool {
		return e.Kind == pointer.Press && e.Buttons == pointer.ButtonSecondary &&
			e.Modifiers == key.ModShift
	})
	xdo(t, "mousemove", "1000", "700")
	w.saw(t, "leave", kind(pointer.Leave))
}

func TestWindowScroll(t *testing.T) {
	for _, test := range []struct {
		scale float32
		args  []string
		x, y  float32
	}{
		{1, []string{"click", "5"}, 0, 10},
		{1, []string{"click", "4"}, 0, -10},
		{2, []string{"click", "5"}, 0, 20},
		{1, []string{"keydown", "shift", "click", "5", "keyup", "shift"}, 10, 0},
		{1, []string{"keydown", "ctrl", "click", "4", "keyup", "ctrl"}, 0, -10},
	} {
		t.Run(fmt.Sprint(test.scale, test.args), func(t *testing.T) {
			w := show(t, host.Options{Scale: test.scale, Size: image.Pt(640, 400)})
			xdo(t, append([]string{"mousemove", "300", "300"}, test.args...)...)
			w.saw(t, "scroll", func(e pointer.Event) bool {
				return e.Kind == pointer.Scroll && e.Scroll.X == test.x && e.Scroll.Y == test.y
			})
		})
	}
}

func TestWindowTyping(t *testing.T) {
	w := show(t, host.Options{Scale: 1})
	xdo(t, "mousemove", "200", "135", "click", "1")
	enter := func(want string, args ...string) {
		t.Helper()
		xdo(t, args...)
		defer func() {
			if t.Failed() {
				t.Logf("the editor holds %q", w.typed())
			}
		}()
		until(t, fmt.Sprintf("%q after %q", want, args), func() bool { return w.typed() == want })
	}
	// Only characters that the keyboard has: for others xdotool changes its layout for a moment.
	// And no key twice in one go: where both strokes bear the same time, GLFW takes them for one.
	enter("Helo, Wrt(/!", "type", "--delay", "1", "Helo, Wrt(/!")
	enter("Helo, Wrt(/", "key", "BackSpace")
	enter("Helo, Wrt(", "key", "BackSpace")
	enter("HXelo, Wrt(", "key", "--delay", "1", "Home", "Right", "X")
	enter("YXelo, Wrt(", "key", "--delay", "1", "Left", "shift+Home", "Y")
	enter("", "key", "--delay", "1", "ctrl+a", "ctrl+x")
	enter("YXelo, Wrt(", "key", "ctrl+v")
	enter("YXelo, Wrt(YXelo, Wrt(", "key", "ctrl+v")
	enter("Xelo, Wrt(YXelo, Wrt(", "key", "--delay", "1", "Home", "Delete")
	// Text and editing in one burst stay in order.
	enter("cdXelo, Wrt(YXelo, Wrt(", "key", "--delay", "0", "a", "b", "Left", "BackSpace", "Delete",
		"c", "d")
	enter("ecdXelo, Wrt(YXelo, Wrt(", "key", "--delay", "0", "f", "shift+Left", "g", "BackSpace",
		"Home", "e")
}

func TestWindowClicksAndFocus(t *testing.T) {
	w := show(t, host.Options{Scale: 1})
	clicks := func() int { return see(w.testApp, func(a *testApp) int { return a.clicks }) }
	xdo(t, "mousemove", "490", "135", "click", "1")
	until(t, "a click on the button", func() bool { return clicks() == 1 })
	xdo(t, "mousemove", "200", "135", "click", "1")
	xdo(t, "key", "a", "Tab", "Return") // Tab leaves the editor for the button, which Return presses
	until(t, "a press of the focused button", func() bool { return clicks() == 2 })
	if got := w.typed(); got != "a" {
		t.Errorf("the editor holds %q", got)
	}
}

// TestWindowReturn: the App is told when the user comes back to its window.
func TestWindowReturn(t *testing.T) {
	w := show(t, host.Options{Scale: 1})
	returns := func() int { return see(w.testApp, func(a *testApp) int { return a.returns }) }
	until(t, "the first focus", func() bool { return returns() == 1 })
	xdo(t, "windowunmap", w.id)
	xdo(t, "windowmap", w.id, "windowfocus", w.id)
	until(t, "the user to be back", func() bool { return returns() == 2 })
}

func TestWindowKeys(t *testing.T) {
	w := show(t, host.Options{Scale: 1})
	for _, test := range []struct {
		press string
		name  key.Name
		mods  key.Modifiers
	}{
		{"a", "A", 0}, {"shift+a", "A", key.ModShift}, {"slash", "/", 0},
		{"question", "?", key.ModShift}, {"ctrl+shift+p", "P", key.ModCtrl | key.ModShift},
		{"F5", key.NameF5, 0}, {"Escape", key.NameEscape, 0}, {"Page_Down", key.NamePageDown, 0},
		{"alt+Left", key.NameLeftArrow, key.ModAlt}, {"Home", key.NameHome, 0},
		{"Delete", key.NameDeleteForward, 0}, {"space", key.NameSpace, 0},
		{"Return", key.NameReturn, 0}, {"ctrl+plus", "=", key.ModCtrl | key.ModShift},
	} {
		xdo(t, "key", test.press)
		for _, s := range []key.State{key.Press, key.Release} {
			until(t, fmt.Sprintf("%s: %v of %s", test.press, s, test.name), func() bool {
				return see(w.testApp, func(a *testApp) bool {
					return slices.ContainsFunc(a.keys, func(e key.Event) bool {
						return e.Name == test.name && e.State == s &&
							(s == key.Release || e.Modifiers == test.mods)
					})
				})
			})
		}
	}
}

func TestWindowResizeAndScale(t *testing.T) {
	w := show(t, host.Options{Scale: 2, Size: image.Pt(450, 300)})
	size := func() image.Point {
		return see(w.testApp, func(a *testApp) image.Point { return a.size })
	}
	if s := see(w.testApp, func(a *testApp) float32 { return a.scale }); s != 2 {
		t.Errorf("scale is %v", s)
	}
	for _, want := range []image.Point{{1100, 700}, {901, 603}} {
		xdo(t, "windowsize", w.id, strconv.Itoa(want.X), strconv.Itoa(want.Y))
		until(t, fmt.Sprintf("size %v", want), func() bool { return size() == want })
	}
	w.command(func(f host.Frame) { f.Window.SetFullScreen(true) })
	until(t, "full screen", func() bool { return size() == image.Pt(1280, 800) })
	w.command(func(f host.Frame) { f.Window.SetFullScreen(false) })
	until(t, "former size", func() bool { return size() == image.Pt(901, 603) })
}

// TestWindowFits opens windows of which some want more than the monitor's 1280 × 800 px.
func TestWindowFits(t *testing.T) {
	for _, test := range []struct {
		o    host.Options
		want image.Point
	}{
		{host.Options{Scale: 1, Fit: true, Size: image.Pt(1440, 700)}, image.Pt(1280, 700)},
		{host.Options{Scale: 2, Fit: true, Size: image.Pt(700, 500)}, image.Pt(1280, 800)},
		{host.Options{Scale: 2, Fit: true, Size: image.Pt(600, 300)}, image.Pt(1200, 600)},
		{host.Options{Scale: 1, Size: image.Pt(1440, 900)}, image.Pt(1440, 900)},
	} {
		t.Run(fmt.Sprint(test.o.Size), func(t *testing.T) {
			w := show(t, test.o)
			if got := see(w.testApp, func(a *testApp) image.Point { return a.size }); got != test.want {
				t.Errorf("the window is %v, want %v", got, test.want)
			}
		})
	}
}

// Frames are made on demand: none while nothing happens, one when another goroutine asks.
func TestWindowRests(t *testing.T) {
	w := show(t, host.Options{Scale: 1})
	var before int
	until(t, "rest", func() bool {
		before = w.count()
		time.Sleep(300 * time.Millisecond)
		return w.count() == before
	})
	host.Wake()
	until(t, "a frame on waking", func() bool { return w.count() > before })
}

// What the screen shows is the very colours that scene and interface named, whether the window's
// framebuffer encodes to sRGB or not.
func TestWindowColours(t *testing.T) {
	w := show(t, host.Options{Scale: 1})
	c := dial(t)
	for at, want := range map[image.Point]color.NRGBA{
		{X: 5, Y: 5}: ground, {X: 30, Y: 30}: steel, {X: 50, Y: 50}: rust,
	} {
		until(t, fmt.Sprintf("%v at %v", want, at), func() bool {
			return c.pixel(t, w.number(t), at) == want
		})
	}
}

// TestWindowIcon reads what the display server was told: for each size width, height and pixels.
func TestWindowIcon(t *testing.T) {
	small, large := image.NewNRGBA(image.Rect(0, 0, 2, 2)), image.NewNRGBA(image.Rect(0, 0, 3, 3))
	small.SetNRGBA(1, 0, color.NRGBA{0x11, 0x22, 0x33, 0xff})
	w := show(t, host.Options{Scale: 1, Icons: func() []image.Image { return []image.Image{small, large} }})
	want := []uint32{2, 2, 0, 0xff112233, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	server, end := dial(t), time.Now().Add(patience)
	for { // the window does not wait for its icon
		got := server.property(t, w.number(t), "_NET_WM_ICON")
		if slices.Equal(got, want) {
			return
		}
		if len(got) > 0 || time.Now().After(end) {
			t.Fatalf("the icon is %x, want %x", got, want)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestWindowCloses(t *testing.T) {
	w := show(t, host.Options{Scale: 1})
	dial(t).askToClose(t, w.number(t))
	select {
	case <-w.done:
	case <-time.After(patience):
		t.Fatal("the window ignores its close button")
	}
}

func TestRunWithoutDisplay(t *testing.T) {
	var logged strings.Builder
	defer log.SetOutput(log.Writer())
	log.SetOutput(&logged)
	for _, name := range []string{"", "nowhere:77"} {
		t.Setenv("DISPLAY", name)
		var err error
		<-onMain(func() { err = host.Run(host.Options{}, newTestApp()) })
		if !errors.Is(err, host.ErrNoDisplay) {
			t.Errorf("DISPLAY=%q: the error is %v", name, err)
		}
	}
	if logged.Len() > 0 {
		t.Errorf("besides the error there is %q", logged.String())
	}
}

func TestRunScaleVariable(t *testing.T) {
	display(t)
	for _, text := range []string{"wide", "9", "nan"} {
		t.Setenv(host.ScaleVariable, text)
		var err error
		<-onMain(func() { err = host.Run(host.Options{}, newTestApp()) })
		if err == nil {
			t.Errorf("%s=%s gives no error", host.ScaleVariable, text)
		}
	}
	t.Setenv(host.ScaleVariable, "1.5")
	w := show(t, host.Options{})
	if s := see(w.testApp, func(a *testApp) float32 { return a.scale }); s != 1.5 {
		t.Errorf("scale is %v, want 1.5", s)
	}
}
