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
	"image/color"
	"time"

	"gioui.org/io/input"
	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/unit"

	"diptych/internal/render"
	"diptych/internal/scene"
)

// App is what a host shows.
type App interface {
	// Layout handles the events that arrived, and records the interface into f.Ops. It may be
	// called more than once before Paint is.
	Layout(f Frame)
	// Paint tells what lies beneath the interface last laid out: the ground and the scenes on it.
	Paint(f *Scenes) error
	// Heed is called after Wake, so that the App takes what it was woken for at once: the frame
	// that shows it may come later.
	Heed()
	// Drop is told of files that were dropped on the window.
	Drop(paths []string)
}

// Returner is an App that wants to know when the user comes back to its window from another one,
// where files may have been written anew.
type Returner interface{ Return() }

// Scenes are what lies beneath an interface: a ground, and scenes on it with their texts.
type Scenes struct {
	Ground color.NRGBA
	Parts  []render.Part
	Type   Type // sets the texts; nil leaves them out
}

// Add adds a scene that fills a rectangle of the window, px, over the others.
func (s *Scenes) Add(of *scene.Scene, area image.Rectangle) {
	s.Parts = append(s.Parts, render.Part{Scene: of, Area: area})
}

// Type sets the texts of scenes with Gio.
type Type interface {
	// Room returns how large a picture of the text has to be, px, and where in it the line box
	// begins.
	Room(x *scene.Text) (size, inset image.Point)
	// Place returns where in its view the line box of a text begins, px.
	Place(x *scene.Text) image.Point
	// Shape returns what draws a text in white.
	Shape(x *scene.Text) op.CallOp
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
