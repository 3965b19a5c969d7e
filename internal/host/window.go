package host

import (
	"image"
	"sync"
	"time"

	"github.com/go-gl/glfw/v3.3/glfw"
)

// Window is an App's handle on the window it is shown in. Its methods are for the goroutine that
// runs the App. In a Picture they concern no window, and the clipboard is the Picture's own.
type Window struct {
	glfw    *glfw.Window // nil where there is no window
	stage   *stage
	title   string
	content string // of the clipboard, where there is no window

	fixed   float32 // scale that overrides the monitor's, or 0
	chosen  bool    // it was chosen in the window
	rescale func()  // takes a changed one; nil where there is no window
	full    bool
	restore image.Rectangle // where the window was before it filled the screen
}

// SetTitle names the window.
func (w *Window) SetTitle(title string) {
	if w.glfw != nil && title != w.title {
		w.title = title
		w.glfw.SetTitle(title)
	}
}

// Scale returns how many px make a device-independent px.
func (w *Window) Scale() float32 { return w.stage.scale }

// FixedScale returns the scale that overrides the monitor's, or 0.
func (w *Window) FixedScale() float32 { return w.fixed }

// Rescaled reports whether SetScale was called.
func (w *Window) Rescaled() bool { return w.chosen }

// SetScale overrides the monitor's scale; 0 leaves it to the monitor. A picture has no monitor and
// keeps its own for 0.
func (w *Window) SetScale(scale float32) {
	w.fixed, w.chosen = scale, true
	switch {
	case w.rescale != nil:
		w.rescale()
	case scale > 0:
		w.stage.scale = scale
		w.Invalidate()
	}
}

// Invalidate has another frame made after this one.
func (w *Window) Invalidate() { w.stage.want(time.Time{}) }

// Close ends Run after this frame.
func (w *Window) Close() {
	if w.glfw != nil {
		w.glfw.SetShouldClose(true)
	}
}

// FullScreen reports whether the window fills the screen.
func (w *Window) FullScreen() bool { return w.full }

// SetFullScreen has the window fill the screen it is on, or takes it back to where it was.
func (w *Window) SetFullScreen(full bool) {
	if w.glfw == nil || full == w.full {
		return
	}
	if !full {
		w.full = false
		r := w.restore
		w.glfw.SetMonitor(nil, r.Min.X, r.Min.Y, r.Dx(), r.Dy(), glfw.DontCare)
		return
	}
	var x, y int
	if !fromDesktop {
		x, y = w.glfw.GetPos()
	}
	width, height := w.glfw.GetSize()
	w.restore = image.Rect(x, y, x+width, y+height)
	m := monitorAt(w.restore)
	if m == nil {
		return
	}
	mode := m.GetVideoMode()
	w.full = true
	w.glfw.SetMonitor(m, 0, 0, mode.Width, mode.Height, mode.RefreshRate)
}

// monitorAt returns the monitor that shows the largest part of r, or nil if none is connected.
func monitorAt(r image.Rectangle) *glfw.Monitor {
	best, most := glfw.GetPrimaryMonitor(), 0
	for _, m := range glfw.GetMonitors() {
		mode := m.GetVideoMode()
		if mode == nil {
			continue
		}
		x, y := m.GetPos()
		common := r.Intersect(image.Rect(x, y, x+mode.Width, y+mode.Height))
		if area := common.Dx() * common.Dy(); area > most {
			best, most = m, area
		}
	}
	return best
}

func (w *Window) setClipboard(text string) {
	if w.glfw == nil {
		w.content = text
		return
	}
	w.glfw.SetClipboardString(text)
}

func (w *Window) clipboard() string {
	if w.glfw == nil {
		return w.content
	}
	return w.glfw.GetClipboardString()
}

// wakeup is how other goroutines reach the one of the window. An event is posted to GLFW only while
// that one waits for events: GLFW has one place for the last error of all threads, so a goroutine
// that posted while the window is made again could take an error of that for its own. At other
// times what stirs is noticed before the next wait.
//
//	running  there is a window
//	waiting  it waits for events
//	stirred  there is something to look at besides events
//	woken    a frame was asked for since the window last looked
//	quit     the window is to close
var wakeup struct {
	sync.Mutex
	running, waiting, stirred, woken, quit bool
}

// Quit closes the window that runs, or the next one as soon as it is open. It may be called from
// any goroutine.
func Quit() {
	wakeup.Lock()
	wakeup.quit = true
	wakeup.Unlock()
	Wake()
}

// Wake has a frame made. It may be called from any goroutine, at any time; where no window runs it
// does nothing.
func Wake() {
	wakeup.Lock()
	defer wakeup.Unlock()
	if wakeup.running && !wakeup.woken {
		wakeup.woken = true
		stir()
	}
}

// nudge has the loop look at what there is besides events; no frame is made for that.
func nudge() {
	wakeup.Lock()
	defer wakeup.Unlock()
	if wakeup.running {
		stir()
	}
}

// stir ends the window's wait for events, or keeps it from beginning. Wakeup has to be locked.
func stir() {
	wakeup.stirred = true
	if wakeup.waiting {
		glfw.PostEmptyEvent()
	}
}

// mayWait reports whether the window may wait for events, and notes that it does.
func mayWait() bool {
	wakeup.Lock()
	defer wakeup.Unlock()
	wakeup.waiting = !wakeup.stirred
	return wakeup.waiting
}

// waited notes that the window waits no more.
func waited() {
	wakeup.Lock()
	defer wakeup.Unlock()
	wakeup.waiting, wakeup.stirred = false, false
}

func setRunning(running bool) {
	wakeup.Lock()
	defer wakeup.Unlock()
	wakeup.running, wakeup.woken, wakeup.stirred = running, false, false
	wakeup.quit = wakeup.quit && running // what is left of a closed window concerns no other
}

// quitting reports whether Quit was called.
func quitting() bool {
	wakeup.Lock()
	defer wakeup.Unlock()
	return wakeup.quit
}

// takeWake reports whether Wake was called since it was last asked.
func takeWake() bool {
	wakeup.Lock()
	defer wakeup.Unlock()
	woken := wakeup.woken
	wakeup.woken = false
	return woken
}
