// Package uitest does in tests what a user does to a part of the interface: points, clicks, drags,
// turns the wheel and presses keys, and finds controls by their accessible labels. Events go
// through Gio's own router, without a window or a picture. Only tests import the package; it knows
// neither the kit nor the session, so that the tests of both may use it. Package viewtest, below,
// adds a window for a view.
package uitest

import (
	"image"
	"strings"
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

// User is at a part of the interface. A bench embeds it and says how the part is shown.
type User struct {
	T      testing.TB
	Router input.Router
	Now    time.Duration // of the events and frames, since the first
	Show   func()        // shows what events have led to
	Settle func()        // waits for what a gesture leads to; nil if there is nothing to wait for

	held pointer.Buttons
}

// notch is how far one click of the wheel scrolls, px, as package host does it.
const notch = 10

// Metric is that of all frames: a dp is a px.
var Metric = unit.Metric{PxPerDp: 1, PxPerSp: 1}

// LayOut lays out one frame within these constraints.
func (u *User) LayOut(room layout.Constraints, show func(gtx layout.Context)) {
	var ops op.Ops
	show(layout.Context{Ops: &ops, Source: u.Router.Source(), Now: time.Unix(0, 0).Add(u.Now),
		Metric: Metric, Constraints: room})
	u.Router.Frame(&ops)
}

// Queue sends events and shows what they have led to.
func (u *User) Queue(events ...event.Event) {
	u.Router.Queue(events...)
	u.Show()
}

func (u *User) settle() {
	if u.Settle != nil {
		u.Settle()
	}
}

// Point has the pointer do something, at one moment with what it did before. What presses is the
// primary button.
func (u *User) Point(kind pointer.Kind, at image.Point, mods key.Modifiers) {
	switch kind {
	case pointer.Press:
		u.held = pointer.ButtonPrimary
	case pointer.Release:
		u.held = 0
	}
	u.Queue(pointer.Event{Kind: kind, Source: pointer.Mouse, Buttons: u.held, Time: u.Now,
		Modifiers: mods, Position: f32.Pt(float32(at.X), float32(at.Y))})
}

// Move moves the pointer.
func (u *User) Move(at image.Point) {
	u.Point(pointer.Move, at, 0)
	u.settle()
}

// ClickAt clicks at a point.
func (u *User) ClickAt(at image.Point) {
	u.Point(pointer.Move, at, 0)
	u.Point(pointer.Press, at, 0)
	u.Point(pointer.Release, at, 0)
	u.settle()
}

// DoubleClick clicks twice at one moment.
func (u *User) DoubleClick(at image.Point) {
	for range 2 {
		u.Point(pointer.Press, at, 0)
		u.Point(pointer.Release, at, 0)
	}
	u.settle()
}

// Drag moves the pointer from one point to another, in a few steps, with the button down.
func (u *User) Drag(from, to image.Point, mods key.Modifiers) {
	const steps = 4
	u.Point(pointer.Move, from, mods)
	u.Point(pointer.Press, from, mods)
	for k := 1; k <= steps; k++ {
		u.Point(pointer.Move, from.Add(to.Sub(from).Mul(k).Div(steps)), mods)
	}
	u.Point(pointer.Release, to, mods)
	u.settle()
}

// Scroll turns the wheel by so many notches, to the right and downwards where positive.
func (u *User) Scroll(at image.Point, x, y float32, mods key.Modifiers) {
	u.Point(pointer.Move, at, mods)
	u.Queue(pointer.Event{Kind: pointer.Scroll, Source: pointer.Mouse, Time: u.Now, Modifiers: mods,
		Position: f32.Pt(float32(at.X), float32(at.Y)), Scroll: f32.Pt(x, y).Mul(notch)})
	u.settle()
}

// Press strikes a key that writes nothing.
func (u *User) Press(name key.Name, mods key.Modifiers) {
	u.Queue(key.Event{Name: name, Modifiers: mods, State: key.Press},
		key.Event{Name: name, Modifiers: mods, State: key.Release})
	u.settle()
}

// Tab moves the focus to the next control, or to the one before, as the window does it.
func (u *User) Tab(direction key.FocusDirection) {
	u.Router.MoveFocus(direction)
	u.Show()
	u.settle()
}

// Write types into the field of that name.
func (u *User) Write(field, text string) {
	u.T.Helper()
	u.Click(field)
	u.Queue(key.EditEvent{Text: text})
	u.settle()
}

// Labels returns the names of all controls.
func (u *User) Labels() (names []string) {
	for _, n := range u.Router.AppendSemantics(nil) {
		if n.Desc.Label != "" {
			names = append(names, n.Desc.Label)
		}
	}
	return names
}

// Find returns where the control of that name is.
func (u *User) Find(name string) (image.Rectangle, bool) {
	for _, n := range u.Router.AppendSemantics(nil) {
		if n.Desc.Label == name {
			return n.Desc.Bounds, true
		}
	}
	return image.Rectangle{}, false
}

// Middle returns the middle of the control of that name.
func (u *User) Middle(name string) image.Point {
	u.T.Helper()
	r, ok := u.Find(name)
	if !ok {
		u.T.Fatalf("there is no %q among %s", name, strings.Join(u.Labels(), "\n"))
	}
	return r.Min.Add(r.Max).Div(2)
}

// Click clicks the control of that name.
func (u *User) Click(name string) {
	u.T.Helper()
	u.ClickAt(u.Middle(name))
}
