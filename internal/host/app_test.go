package host_test

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"sync"

	"gioui.org/font/opentype"
	"gioui.org/io/event"
	"gioui.org/io/key"
	"gioui.org/io/pointer"
	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/op/paint"
	"gioui.org/text"
	"gioui.org/widget"
	"gioui.org/widget/material"
	"golang.org/x/image/font/gofont/goregular"

	"diptych/internal/geom"
	"diptych/internal/host"
	"diptych/internal/render"
	"diptych/internal/scene"
)

var (
	ground = color.NRGBA{0xF4, 0xF5, 0xF6, 255}
	steel  = color.NRGBA{0x87, 0xA4, 0xC3, 255}
	rust   = color.NRGBA{0xC0, 0x50, 0x20, 255}
)

// testApp shows, at scale 1: a scene with a steel quad at (20, 20)-(120, 80) and a ramp, over it a rust Gio rectangle
// at (40, 40)-(60, 60), beneath a label, an editor from y = 120 to 150, and below y = 160 a pad
// that records what the pointer does.
type testApp struct {
	theme  *material.Theme
	editor widget.Editor
	button widget.Clickable
	pad    int // its address is the pad's tag
	ask    func(host.Frame)

	mu      sync.Mutex
	frames  int
	painted int  // how many frames were painted
	lose    int  // how many frames fail from now on, since the context is lost
	turns   int  // what the scenes depend on: an odd number shows them in rust
	arc     bool // a rust disc at (320, 110) is shown
	size    image.Point
	scale   float32
	text    string
	clicks  int
	events  []pointer.Event
	keys    []key.Event
	focused bool
	dropped []string
	heeded  int
	returns int // how often the user came back to the window
}

func newTestApp() *testApp {
	t := material.NewTheme()
	// Gio's package gofont has this font, too, but beside ten others to compile.
	faces, err := opentype.ParseCollection(goregular.TTF)
	if err != nil {
		panic(err)
	}
	t.Shaper = text.NewShaper(text.NoSystemFonts(), text.WithCollection(faces))
	a := &testApp{theme: t}
	a.editor.SingleLine = true
	return a
}

// see returns what look finds in the App, between two frames.
func see[T any](a *testApp, look func(*testApp) T) T {
	a.mu.Lock()
	defer a.mu.Unlock()
	return look(a)
}

func (a *testApp) Layout(f host.Frame) {
	a.mu.Lock()
	defer a.mu.Unlock()
	gtx := f.Context()
	a.frames++
	a.size, a.scale = f.Size, f.Metric.PxPerDp
	if ask := a.ask; ask != nil {
		a.ask = nil
		ask(f)
	}
	box := clip.Rect(image.Rect(40, 40, 60, 60)).Op()
	paint.FillShape(gtx.Ops, rust, box)
	place(gtx, image.Rect(20, 90, 220, 115), material.Body1(a.theme, "Diptych").Layout)
	place(gtx, image.Rect(20, 120, 420, 150), material.Editor(a.theme, &a.editor, "type").Layout)
	if a.button.Clicked(gtx) {
		a.clicks++
	}
	place(gtx, image.Rect(440, 120, 540, 150), material.Button(a.theme, &a.button, "press").Layout)
	a.text = a.editor.Text()
	a.listen(gtx) // after the editor, which would else never see a key
}

// listen records what the pointer does on the pad and the keys that no editor takes.
func (a *testApp) listen(gtx layout.Context) {
	for {
		e, ok := gtx.Event(
			pointer.Filter{Target: &a.pad, Kinds: pointer.Press | pointer.Release | pointer.Drag |
				pointer.Move | pointer.Enter | pointer.Leave | pointer.Scroll | pointer.Cancel,
				ScrollX: pointer.ScrollRange{Min: -1000, Max: 1000},
				ScrollY: pointer.ScrollRange{Min: -1000, Max: 1000}},
			key.Filter{Optional: key.ModShift | key.ModCtrl | key.ModAlt},
			key.FocusFilter{Target: &a.pad},
		)
		if !ok {
			break
		}
		switch e := e.(type) {
		case pointer.Event:
			a.events = append(a.events, e)
		case key.Event:
			a.keys = append(a.keys, e)
		case key.FocusEvent:
			a.focused = e.Focus
		}
	}
	pad := clip.Rect(image.Rect(0, 160, gtx.Constraints.Max.X, gtx.Constraints.Max.Y)).Push(gtx.Ops)
	event.Op(gtx.Ops, &a.pad)
	pointer.CursorCrosshair.Add(gtx.Ops)
	pad.Pop()
}

// place lays w out in r.
func place(gtx layout.Context, r image.Rectangle, w layout.Widget) {
	defer op.Offset(r.Min).Push(gtx.Ops).Pop()
	gtx.Constraints = layout.Exact(r.Size())
	w(gtx)
}

// Paint shows the scene quad and, from (130, 20), a ramp of all values of a channel.
func (a *testApp) Paint(f *host.Scenes) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.lose > 0 {
		a.lose--
		return fmt.Errorf("drawing: %w", render.ErrContextLost)
	}
	a.painted++
	f.Ground = ground
	s := &scene.Scene{Size: geom.Size{W: 400, H: 60}}
	l := s.Layer(geom.Rect{})
	l.Fill(geom.Rect{X1: 100, Y1: 60}, []color.NRGBA{steel, rust}[a.turns%2])
	for v := range 256 {
		x := 110 + float32(v)
		l.Fill(geom.Rect{X0: x, X1: x + 1, Y1: 30}, color.NRGBA{uint8(v), uint8(255 - v), 90, 255})
		l.Fill(geom.Rect{X0: x, X1: x + 1, Y0: 30, Y1: 60}, color.NRGBA{30, 90, 190, uint8(v)})
	}
	f.Add(s, image.Rect(20, 20, 420, 80))
	if a.arc {
		disc := &scene.Scene{Size: geom.Size{W: 20, H: 20}}
		disc.Layer(geom.Rect{}).Arcs = []scene.Arc{
			{Centre: geom.Point{X: 10, Y: 10}, R0: 1, R1: 9, To: 2 * math.Pi, Fill: rust}}
		f.Add(disc, image.Rect(310, 100, 330, 120))
	}
	return nil
}

func (a *testApp) Heed() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.heeded++
}

func (a *testApp) Return() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.returns++
}

func (a *testApp) Drop(paths []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.dropped = append(a.dropped, paths...)
}
