package host

import (
	"errors"
	"fmt"
	"image"
	"os"
	"strconv"
	"time"

	"github.com/go-gl/glfw/v3.3/glfw"

	"gioui.org/io/event"

	"diptych/internal/render"
)

// Options say how the window opens.
type Options struct {
	Title string
	Size  image.Point // of the content, in device-independent px; zero means 1440 × 900
	Fit   bool        // make it no larger than the monitor has room for
	// Scale is the number of px per device-independent px. Zero takes it from the environment
	// variable DIPTYCH_SCALE, or else from the monitor.
	Scale      float32
	FullScreen bool
	// Icons draws the window's icon in several sizes; may be nil. It is called in a goroutine of
	// its own, so that the window need not wait for it.
	Icons func() []image.Image
	// Last says that the process ends with the window. So what the window holds is not given back,
	// which can take longer than a user waits for a window to close: the system frees it.
	Last bool
}

// ScaleVariable names the environment variable that overrides the monitor's scale.
const ScaleVariable = "DIPTYCH_SCALE"

// minimum is the smallest content a window can be resized to, in device-independent px.
var minimum = image.Pt(640, 400)

// loop is a window while it runs.
type loop struct {
	*stage
	window *glfw.Window
	icons  []image.Image
	draws  func() []image.Image // icons; nil if there are none, or once it was called
	drawn  chan []image.Image   // where icons come from once they are drawn
	input  []event.Event        // what arrived and was not routed yet
	keys   keyboard
	mouse  mouse
	last   time.Time     // when the last frame began
	pace   time.Duration // shortest time between the beginnings of two frames
	rested time.Time     // when drawing may go on that nobody waits for
	cold   bool          // there may be programs that no frame has needed yet
	idle   bool          // nothing has happened for a while
	lost   int           // contexts that were lost since a frame was shown
	// resized says that the window's framebuffer may be another one than that of the last frame.
	resized bool
}

// Run opens a window and shows app in it until it is closed. Frames are made on demand: when an
// event concerns a widget, when a widget or the App asked for one, or on Wake.
func Run(o Options, app App) error {
	if err := connect(); err != nil {
		return fmt.Errorf("host: %w", err)
	}
	if !o.Last {
		defer glfw.Terminate()
	}
	l, err := open(o, app)
	if err != nil {
		return err
	}
	setRunning(true)
	defer setRunning(false)
	if !o.Last {
		defer l.release()
	}
	return l.run()
}

// open makes the window and its context current. GLFW panics on errors of the platform that it does
// not expect; here they become errors of opening.
func open(o Options, app App) (l *loop, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *glfw.Error:
			l, err = nil, fmt.Errorf("host: open window: %w", e)
		default:
			panic(e)
		}
	}()
	fixed, err := fixedScale(o)
	if err != nil {
		return nil, err
	}
	size := o.Size
	if size == (image.Point{}) {
		size = image.Pt(1440, 900)
	}
	if o.Fit {
		size = fitting(size, fixed)
	}
	w, err := newWindow(o.Title, size, fixed)
	if err != nil {
		return nil, err
	}
	s, err := newStage(app, w)
	if err != nil {
		w.Destroy()
		return nil, err
	}
	s.window.title, s.brief = o.Title, true
	l = &loop{stage: s, window: w, cold: true, drawn: make(chan []image.Image, 1), pace: pace()}
	if !fromDesktop {
		l.draws = o.Icons
	}
	s.window.fixed, s.window.rescale = fixed, l.measure
	l.settle()
	s.window.SetFullScreen(o.FullScreen)
	return l, nil
}

// fitting returns a size, or what the monitor has room for if that is less. Where the desktop
// places windows, it sees to that.
func fitting(size image.Point, fixed float32) image.Point {
	m := glfw.GetPrimaryMonitor()
	if m == nil || fromDesktop {
		return size
	}
	scale := fixed
	if scale == 0 {
		scale, _ = m.GetContentScale()
	}
	_, _, width, height := m.GetWorkarea()
	room := image.Pt(int(float32(width)/scale), int(float32(height)/scale))
	return image.Pt(min(size.X, max(room.X, minimum.X)), min(size.Y, max(room.Y, minimum.Y)))
}

// settle prepares a new window.
func (l *loop) settle() {
	l.measure()
	if len(l.icons) > 0 {
		l.window.SetIcon(l.icons)
	}
	least := scaled(minimum, l.windowScale())
	l.window.SetSizeLimits(least.X, least.Y, glfw.DontCare, glfw.DontCare)
	l.listen()
}

// newWindow makes a window with its context, which becomes current: OpenGL ES through EGL, since
// Gio ships only ES shaders on Linux, encoding to sRGB if the driver can. Unless the scale is
// fixed, GLFW applies the monitor's to the size.
func newWindow(title string, size image.Point, fixed float32) (*glfw.Window, error) {
	ofMonitor := glfw.True
	if fixed != 0 {
		ofMonitor, size = glfw.False, scaled(size, fixed)
	}
	glfw.WindowHint(glfw.ClientAPI, glfw.OpenGLESAPI)
	glfw.WindowHint(glfw.ContextCreationAPI, glfw.EGLContextAPI)
	glfw.WindowHint(glfw.ContextVersionMajor, 3)
	glfw.WindowHint(glfw.ContextVersionMinor, 0)
	glfw.WindowHint(glfw.SRGBCapable, glfw.True)
	// All is drawn into a picture of the renderer's, which has its own depths.
	glfw.WindowHint(glfw.DepthBits, 0)
	glfw.WindowHint(glfw.StencilBits, 0)
	glfw.WindowHint(glfw.ScaleToMonitor, ofMonitor)
	glfw.WindowHintString(glfw.X11ClassName, "diptych")
	glfw.WindowHintString(glfw.X11InstanceName, "diptych")
	// Told of a lost context, a window makes another one; not every driver can tell.
	glfw.WindowHint(glfw.ContextRobustness, glfw.LoseContextOnReset)
	w, err := glfw.CreateWindow(size.X, size.Y, title, nil, nil)
	if err != nil {
		glfw.WindowHint(glfw.ContextRobustness, glfw.NoRobustness)
		w, err = glfw.CreateWindow(size.X, size.Y, title, nil, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("host: open window: %w", noRenderer(err))
	}
	w.MakeContextCurrent()
	glfw.SwapInterval(1)
	return w, nil
}

// fixedScale returns the scale that o or the environment asks for, or 0.
func fixedScale(o Options) (float32, error) {
	if o.Scale != 0 {
		return o.Scale, nil
	}
	text := os.Getenv(ScaleVariable)
	if text == "" {
		return 0, nil
	}
	v, err := strconv.ParseFloat(text, 32)
	if err != nil || !(v >= 0.25 && v <= 8) { // which NaN is not
		return 0, fmt.Errorf("host: %s=%q is not a scale from 0.25 to 8", ScaleVariable, text)
	}
	return float32(v), nil
}

// scaled returns p times s.
func scaled(p image.Point, s float32) image.Point {
	return image.Pt(int(float32(p.X)*s+0.5), int(float32(p.Y)*s+0.5))
}

// pace returns three quarters of the monitor's refresh interval: short enough to leave vertical
// synchronisation in charge where there is any, long enough not to spin where there is none.
func pace() time.Duration {
	rate := 60
	if m := glfw.GetPrimaryMonitor(); m != nil {
		if mode := m.GetVideoMode(); mode != nil && mode.RefreshRate > 0 {
			rate = mode.RefreshRate
		}
	}
	return time.Second * 3 / 4 / time.Duration(rate)
}

// run makes frames until the window closes.
func (l *loop) run() error {
	l.want(time.Time{})
	for !l.window.ShouldClose() && !quitting() {
		l.wait()
		l.iconise()
		l.route()
		if takeWake() {
			l.guard(l.app.Heed)
			l.want(l.rested)
		}
		if wait, ok := l.untilFrame(); !ok || wait > 0 {
			l.warm()
			continue
		}
		err := l.frame()
		if errors.Is(err, render.ErrContextLost) {
			err = l.renew(err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// drawIcons has the icons drawn, once a frame is shown: that would take processors from the first.
func (l *loop) drawIcons() {
	if draws := l.draws; draws != nil {
		l.draws = nil
		go func() {
			l.drawn <- draws()
			nudge()
		}()
	}
}

// iconise gives the window its icon when that has been drawn.
func (l *loop) iconise() {
	select {
	case l.icons = <-l.drawn:
		l.window.SetIcon(l.icons)
	default:
	}
}

// warm compiles a program that some later frame will need, if nothing has happened for a while:
// that frame would have to wait for it. What fails here fails there, and is told then.
func (l *loop) warm() {
	if l.idle && l.cold {
		l.cold, _ = l.renderer.Warm()
	}
	l.idle = false
}

// wait sleeps until something happens or the next frame is due.
func (l *loop) wait() {
	switch d, ok := l.untilFrame(); {
	case ok && d <= 0 || !mayWait():
		glfw.PollEvents()
	case !ok && l.cold:
		began := time.Now()
		glfw.WaitEventsTimeout(mostRest.Seconds())
		l.idle = time.Since(began) >= mostRest
	case !ok:
		glfw.WaitEvents()
	default:
		glfw.WaitEventsTimeout(d.Seconds())
	}
	waited()
	l.keys.flush(l)
}

// untilFrame returns how long it is until the next frame is to be made, if one is wanted.
func (l *loop) untilFrame() (time.Duration, bool) {
	if !l.wanted || l.size.X <= 0 || l.size.Y <= 0 { // nothing can be seen of a minimised window
		return 0, false
	}
	due := l.due
	if paced := l.last.Add(l.pace); due.Before(paced) {
		due = paced
	}
	return time.Until(due), true
}

// frame lays out, draws and shows the App.
func (l *loop) frame() error {
	l.last = time.Now()
	l.guard(func() { l.layout(l.last) })
	l.serveClipboard()
	if err := l.paint(render.Target{Size: l.size, Scale: l.scale, Kept: l.kept && !l.resized}); err != nil {
		return err
	}
	l.resized = false
	l.rest()
	l.window.SwapBuffers()
	if err := render.Shown(); err != nil {
		return fmt.Errorf("host: %w", err)
	}
	l.lost = 0
	l.drawIcons()
	l.mouse.show(l.window, l.router.Cursor())
	return nil
}

// mostRest bounds how long drawing rests.
const mostRest = 250 * time.Millisecond

// rest has what nobody waits for, as the progress of work, drawn only after as long a time as the
// frame took: where drawing is slow, that work would have to share the processors with it. What
// follows a movement or a key, and what moves by itself, is drawn at once.
func (l *loop) rest() {
	l.rested = time.Now().Add(min(time.Since(l.last), mostRest))
	if l.wanted && l.due.After(l.last) && l.due.Before(l.rested) {
		l.due = l.rested
	}
}

// measure takes the window's size and scale and has a frame made for them.
func (l *loop) measure() {
	w, h := l.window.GetFramebufferSize()
	l.size, l.resized = image.Pt(w, h), true
	l.scale = l.stage.window.fixed
	if l.scale == 0 {
		x, y := l.window.GetContentScale()
		l.scale = max(x, y, 0.5)
	}
	l.want(time.Time{})
}

// windowScale is how many of the window system's units make a device-independent px.
func (l *loop) windowScale() float32 {
	w, _ := l.window.GetSize()
	if w <= 0 || l.size.X <= 0 {
		return 1
	}
	return l.scale * float32(w) / float32(l.size.X)
}
