package host

import (
	"time"

	"github.com/go-gl/glfw/v3.3/glfw"

	"gioui.org/f32"
	"gioui.org/io/key"
	"gioui.org/io/pointer"
)

// notch is how far one click of the wheel scrolls, in device-independent px.
const notch = 10

// mouse is what the window knows of the pointer.
type mouse struct {
	at      f32.Point
	buttons pointer.Buttons
	cursor  pointer.Cursor
	shapes  map[glfw.StandardCursor]*glfw.Cursor
}

var buttons = map[glfw.MouseButton]pointer.Buttons{
	glfw.MouseButtonLeft:   pointer.ButtonPrimary,
	glfw.MouseButtonRight:  pointer.ButtonSecondary,
	glfw.MouseButtonMiddle: pointer.ButtonTertiary,
	glfw.MouseButton4:      pointer.ButtonQuaternary,
	glfw.MouseButton5:      pointer.ButtonQuinary,
}

// pointerEvent returns an event of the mouse as it is now.
func (l *loop) pointerEvent(kind pointer.Kind) pointer.Event {
	return pointer.Event{
		Kind: kind, Source: pointer.Mouse, Position: l.mouse.at, Buttons: l.mouse.buttons,
		Time: l.clock(), Modifiers: l.modifiers(),
	}
}

// clock is the time stamp of events; Gio tells double clicks by it.
func (l *loop) clock() time.Duration {
	return time.Duration(glfw.GetTime() * float64(time.Second))
}

// modifiers returns the modifier keys that are down.
func (l *loop) modifiers() key.Modifiers {
	var m key.Modifiers
	for _, k := range modifierKeys {
		if l.window.GetKey(k.key) == glfw.Press {
			m |= k.modifier
		}
	}
	return m
}

// place converts a position in the window system's units to px.
func (l *loop) place(x, y float64) f32.Point {
	w, h := l.window.GetSize()
	if w <= 0 || h <= 0 {
		return l.mouse.at
	}
	return f32.Pt(float32(x)*float32(l.size.X)/float32(w), float32(y)*float32(l.size.Y)/float32(h))
}

func (l *loop) onMove(_ *glfw.Window, x, y float64) {
	l.mouse.at = l.place(x, y)
	l.take(l.pointerEvent(pointer.Move))
}

func (l *loop) onButton(w *glfw.Window, b glfw.MouseButton, a glfw.Action, _ glfw.ModifierKey) {
	bit, ok := buttons[b]
	if !ok {
		return
	}
	l.mouse.at = l.place(w.GetCursorPos())
	kind := pointer.Press
	if a == glfw.Release {
		kind = pointer.Release
		l.mouse.buttons &^= bit
	} else {
		l.mouse.buttons |= bit
	}
	l.take(l.pointerEvent(kind))
}

// onScroll converts notches of the wheel to px. Gio's y grows downwards, GLFW's away from the user.
// With Shift, a wheel with one axis scrolls sideways.
func (l *loop) onScroll(_ *glfw.Window, x, y float64) {
	e := l.pointerEvent(pointer.Scroll)
	px := -notch * l.scale
	e.Scroll = f32.Pt(float32(x)*px, float32(y)*px)
	if e.Modifiers == key.ModShift && x == 0 {
		e.Scroll = f32.Pt(e.Scroll.Y, 0)
	}
	l.take(e)
}

// onEnter ends all hovering when the pointer leaves the window, unless it is being dragged, which
// goes on outside.
func (l *loop) onEnter(_ *glfw.Window, entered bool) {
	if !entered && l.mouse.buttons == 0 {
		l.take(l.pointerEvent(pointer.Leave))
	}
}

// onFocus ends what the mouse and keyboard were doing when the window loses them.
func (l *loop) onFocus(_ *glfw.Window, focused bool) {
	if !focused {
		l.mouse.buttons = 0
		l.take(pointer.Event{Kind: pointer.Cancel})
	}
	l.take(key.FocusEvent{Focus: focused})
}

// show gives the pointer over w the shape that the widget beneath it asks for.
func (m *mouse) show(w *glfw.Window, c pointer.Cursor) {
	if c == m.cursor {
		return
	}
	m.cursor = c
	mode := glfw.CursorNormal
	if c == pointer.CursorNone {
		mode = glfw.CursorHidden
	}
	w.SetInputMode(glfw.CursorMode, mode)
	w.SetCursor(m.shape(standard(c)))
}

// shape returns a cursor of GLFW's, made when first used.
func (m *mouse) shape(s glfw.StandardCursor) *glfw.Cursor {
	if s == glfw.ArrowCursor {
		return nil // the system's own
	}
	c, ok := m.shapes[s]
	if !ok {
		c = glfw.CreateStandardCursor(s)
		if m.shapes == nil {
			m.shapes = make(map[glfw.StandardCursor]*glfw.Cursor)
		}
		m.shapes[s] = c
	}
	return c
}

// standard returns what comes nearest to c among the shapes every window system has.
func standard(c pointer.Cursor) glfw.StandardCursor {
	switch c {
	case pointer.CursorText, pointer.CursorVerticalText:
		return glfw.IBeamCursor
	case pointer.CursorPointer, pointer.CursorGrab, pointer.CursorGrabbing,
		pointer.CursorAllScroll:
		return glfw.HandCursor
	case pointer.CursorCrosshair:
		return glfw.CrosshairCursor
	case pointer.CursorColResize, pointer.CursorEastWestResize, pointer.CursorEastResize,
		pointer.CursorWestResize:
		return glfw.HResizeCursor
	case pointer.CursorRowResize, pointer.CursorNorthSouthResize, pointer.CursorNorthResize,
		pointer.CursorSouthResize:
		return glfw.VResizeCursor
	}
	return glfw.ArrowCursor
}
