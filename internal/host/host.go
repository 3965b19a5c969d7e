// Package host runs an App: in a GLFW window, where it stands in for what Gio's own window does
// (input, text, clipboard, cursors, focus, frames on demand), or without any window or display
// server, into a picture. It knows nothing of traces nor of what the App shows.
//
// OpenGL belongs to one thread. Run must be called on the main goroutine, locked to its thread (an
// init function of the main package calls runtime.LockOSThread); Headless, Snapshot and NewPicture
// lock the goroutine they are called on. An App's methods are called on that goroutine only; any
// other goroutine calls Wake to have a frame made.
package host

import (
	"image"
	"time"

	"gioui.org/io/input"
	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/unit"

	"diptych/internal/render"
)

// App is what a host shows.
type App interface {
	// Layout handles the events that arrived, and records the interface into f.Ops. It may be
	// called more than once before Paint is.
	Layout(f Frame)
	// Paint draws with OpenGL what lies beneath the interface last laid out. It must cover the
	// whole target: a frame begins with arbitrary content.
	Paint(r *render.Renderer, t render.Target) error
	// Heed is called after Wake, so that the App takes what it was woken for at once: the frame
	// that shows it may come later.
	Heed()
	// Drop is told of files that were dropped on the window.
	Drop(paths []string)
}

// Frame is what an App lays itself out with.
type Frame struct {
	Ops    *op.Ops
	Size   image.Point // of the window's content, px
	Metric unit.Metric
	Source input.Source // events since the last frame; takes commands
	Now    time.Time
	Window *Window // never nil
	// Heard says that something was pressed, released or typed since the last frame. Parts laid out
	// before the control that takes it show the change only in the next frame.
	Heard bool
}

// Context returns the layout context that Gio's widgets take.
func (f Frame) Context() layout.Context {
	return layout.Context{
		Ops: f.Ops, Metric: f.Metric, Now: f.Now, Source: f.Source,
		Constraints: layout.Exact(f.Size),
	}
}
