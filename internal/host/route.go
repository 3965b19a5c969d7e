package host

import (
	"time"

	"github.com/go-gl/glfw/v3.3/glfw"

	"gioui.org/io/pointer"
)

// listen has the window's events collected; route brings them to the App.
func (l *loop) listen() {
	w := l.window
	w.SetInputMode(glfw.LockKeyMods, glfw.True)
	w.SetCursorPosCallback(l.onMove)
	w.SetCursorEnterCallback(l.onEnter)
	w.SetMouseButtonCallback(l.onButton)
	w.SetScrollCallback(l.onScroll)
	w.SetKeyCallback(l.onKey)
	w.SetCharCallback(l.onChar)
	w.SetFocusCallback(l.onFocus)
	w.SetFramebufferSizeCallback(func(*glfw.Window, int, int) { l.measure() })
	w.SetContentScaleCallback(func(*glfw.Window, float32, float32) { l.measure() })
	w.SetRefreshCallback(func(*glfw.Window) { l.want(time.Time{}) })
	w.SetDropCallback(func(_ *glfw.Window, paths []string) { l.take(drop{paths}) })
}

// drop is files let go over the window. It waits among the other events, so that the App has seen
// the pointer where they were let go.
type drop struct{ paths []string }

// ImplementsEvent lets drops wait among the other events.
func (drop) ImplementsEvent() {}

// route brings the collected events to the App's widgets, in order.
//
// Text replaces the selection an editor reported in its last layout, so what an earlier stroke did
// to the editor is laid out before the next one is routed. Only the last one of several moves of
// the pointer in a row counts.
func (l *loop) route() {
	pending := l.input
	l.input = nil // what the App does to the window may bring further events
	for i, e := range pending {
		if i+1 < len(pending) && moves(e) && moves(pending[i+1]) {
			continue
		}
		switch e := e.(type) {
		case stroke:
			l.strike(e)
		case drop:
			l.settleIfStale()
			l.app.Drop(e.paths)
			l.want(time.Time{})
		default:
			l.queue(e)
		}
	}
	l.mouse.show(l.window, l.router.Cursor())
}

// strike routes a key and what it writes.
func (l *loop) strike(s stroke) {
	l.settleIfStale()
	if s.key.Name != "" {
		l.queue(s.key)
	}
	if s.text != "" {
		l.write(s.text)
	}
}

// settleIfStale lays the App out, without drawing it, if events wait for that.
func (l *loop) settleIfStale() {
	if !l.stale {
		return
	}
	l.layout(time.Now())
	l.serveClipboard()
	l.want(time.Time{})
}

func moves(e any) bool {
	p, ok := e.(pointer.Event)
	return ok && p.Kind == pointer.Move
}
