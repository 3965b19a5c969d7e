package kit

import (
	"image"
	"testing"
	"time"

	"gioui.org/f32"
	"gioui.org/io/event"
	"gioui.org/io/input"
	"gioui.org/io/key"
	"gioui.org/io/pointer"
	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/unit"
)

// bench lays a widget out in frames of an event router, without a window or a picture, and does to
// it what a user's hands do.
type bench struct {
	t      *testing.T
	kit    *Kit
	w      layout.Widget
	router input.Router
	size   image.Point
	now    time.Duration
	dims   layout.Dimensions // of the widget in the last frame
}

// show lays w out in the upper left corner of a window of 400 × 300 px.
func show(t *testing.T, k *Kit, w layout.Widget) *bench {
	b := &bench{t: t, kit: k, w: w, size: image.Pt(400, 300)}
	b.frame()
	return b
}

// frame lays the widget out twice: what an event changes is drawn in the frame after it.
func (b *bench) frame() {
	for range 2 {
		var ops op.Ops
		b.now += time.Second / 60
		metric := unit.Metric{PxPerDp: 1, PxPerSp: 1}
		b.kit.Begin(metric, b.size)
		b.dims = b.w(layout.Context{Ops: &ops, Source: b.router.Source(), Metric: metric,
			Now: time.Unix(0, 0).Add(b.now), Constraints: layout.Constraints{Max: b.size}})
		b.router.Frame(&ops)
	}
}

func (b *bench) queue(events ...event.Event) {
	b.router.Queue(events...)
	b.frame()
}

func (b *bench) point(kind pointer.Kind, at image.Point) {
	e := pointer.Event{Kind: kind, Source: pointer.Mouse, Time: b.now,
		Position: f32.Pt(float32(at.X), float32(at.Y))}
	if kind == pointer.Press || kind == pointer.Move {
		e.Buttons = pointer.ButtonPrimary
	}
	b.queue(e)
}

func (b *bench) clickAt(at image.Point) {
	b.point(pointer.Press, at)
	b.point(pointer.Release, at)
}

func (b *bench) drag(from, to image.Point) {
	b.point(pointer.Press, from)
	b.point(pointer.Move, from.Add(to).Div(2))
	b.point(pointer.Move, to)
	b.point(pointer.Release, to)
}

func (b *bench) wheel(at image.Point, notches float32) {
	b.queue(pointer.Event{Kind: pointer.Scroll, Source: pointer.Mouse, Time: b.now,
		Position: f32.Pt(float32(at.X), float32(at.Y)), Scroll: f32.Pt(0, notches*Notch)})
}

func (b *bench) press(name key.Name) {
	b.queue(key.Event{Name: name, State: key.Press}, key.Event{Name: name, State: key.Release})
}

// find returns where the control of that name is.
func (b *bench) find(name string) (image.Rectangle, bool) {
	for _, n := range b.router.AppendSemantics(nil) {
		if n.Desc.Label == name {
			return n.Desc.Bounds, true
		}
	}
	return image.Rectangle{}, false
}

// at returns the middle of the control of that name.
func (b *bench) at(name string) image.Point {
	b.t.Helper()
	r, ok := b.find(name)
	if !ok {
		b.t.Fatalf("there is no %q", name)
	}
	return r.Min.Add(r.Max).Div(2)
}

func (b *bench) click(name string) {
	b.t.Helper()
	b.clickAt(b.at(name))
}
