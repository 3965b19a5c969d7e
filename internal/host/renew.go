package host

import (
	"errors"
	"fmt"
	"image"

	"github.com/go-gl/glfw/v3.3/glfw"
)

// mostLost is how many contexts may be lost in a row, none of which showed a frame.
const mostLost = 3

// renew makes a new window with a new context in the place of the old one, which is how GLFW makes
// contexts, and draws on in it. The App, what it shows and what was typed into it stay: none of
// that is OpenGL's. lost is what the old context ended with.
func (l *loop) renew(lost error) (err error) {
	if l.lost++; l.lost > mostLost {
		return lost
	}
	defer func() {
		if e, ok := recover().(*glfw.Error); ok {
			err = errors.Join(lost, fmt.Errorf("host: open the window again: %w", e))
		}
	}()
	full := l.stage.window.full
	l.stage.window.SetFullScreen(false)
	x, y := l.window.GetPos()
	width, height := l.window.GetSize()
	w, err := newWindow(l.stage.window.title, image.Pt(width, height), 1) // the size is what it was
	if err != nil {
		return errors.Join(lost, err)
	}
	w.SetPos(x, y)
	l.window.Destroy() // and all that was made in its context
	l.window, l.stage.window.glfw = w, w
	if err := l.stage.prepare(); err != nil {
		return errors.Join(lost, err)
	}
	l.keys, l.mouse = keyboard{}, mouse{shapes: l.mouse.shapes}
	l.settle()
	l.stage.window.SetFullScreen(full)
	return nil
}

// noRenderer adds to an error what a user can do about it.
func noRenderer(err error) error {
	return fmt.Errorf("there is no renderer for OpenGL ES 3 (%w); install the packages libegl1 and "+
		"libgl1-mesa-dri (Debian, Ubuntu) or mesa-dri-drivers (Fedora)", err)
}
