package host

import (
	"fmt"
	"image"
	"time"

	"gioui.org/io/event"
	"gioui.org/io/input"
	"gioui.org/io/key"

	"diptych/internal/render"
)

// Picture shows an App in memory, without window or display server: for rendering to a file and for
// tests, which drive it with events as a user would.
type Picture struct {
	stage   *stage
	context *Context
	target  *render.Offscreen
	now     time.Time
}

// step is how far a Picture's clock moves from frame to frame: farther than any animation lasts, so
// that a picture shows where things come to rest and does not depend on the time it takes.
const step = time.Second

// began is when every Picture's clock starts.
var began = time.Unix(0, 0).UTC()

// settling bounds the frames that Settle makes for an App that always wants another one.
const settling = 8

// NewPicture makes a picture of size px for app; scale is the number of px per device-independent
// pixel. It locks the calling goroutine to its thread until Close.
func NewPicture(app App, size image.Point, scale float32) (*Picture, error) {
	c, err := Headless()
	if err != nil {
		return nil, err
	}
	p := &Picture{context: c, now: began}
	if p.target, err = render.NewOffscreen(size); err != nil {
		c.Close()
		return nil, fmt.Errorf("host: %w", err)
	}
	if p.stage, err = newStage(app, nil); err != nil {
		p.target.Release()
		c.Close()
		return nil, err
	}
	p.stage.size, p.stage.scale = size, scale
	return p, nil
}

// Close frees what NewPicture took.
func (p *Picture) Close() {
	p.stage.release()
	p.target.Release()
	p.context.Close()
}

// Queue routes events, in px from the picture's top left corner, to the App, which sees them in the
// next Layout. key.EditEvent enters its text at the caret of the focused editor.
func (p *Picture) Queue(events ...event.Event) {
	for _, e := range events {
		if edit, ok := e.(key.EditEvent); ok {
			p.stage.write(edit.Text)
			continue
		}
		p.stage.queue(e)
	}
}

// Layout lays the App out once and does what its widgets asked of the clipboard.
func (p *Picture) Layout() { p.LayoutAt(p.now.Add(step)) }

// LayoutAt is Layout at a time of the App's clock, for what moves.
func (p *Picture) LayoutAt(now time.Time) {
	p.now = now
	p.stage.layout(p.now)
	p.stage.serveClipboard()
}

// Settle lays the App out until it wants no further frame; at least twice, since some widgets learn
// their size in the first. Of frames that are wanted for later it makes two in a row at most: where
// the second asks for another one, a caret blinks or a job reports, and that has no end.
func (p *Picture) Settle() {
	for n, later := 0, false; n < 2 || p.stage.wanted && n < settling; n++ {
		before := later
		p.Layout()
		if later = p.stage.wanted && p.stage.due.After(p.now); before && later {
			return
		}
	}
}

// Image draws what was laid out last and returns it.
func (p *Picture) Image() (*image.RGBA, error) {
	if err := p.stage.paint(p.target.Target(p.stage.scale)); err != nil {
		return nil, err
	}
	return p.target.ReadImage()
}

// Draw draws what was laid out last and waits until that is done, as a window does that shows it.
func (p *Picture) Draw() error {
	if err := p.stage.paint(p.target.Target(p.stage.scale)); err != nil {
		return err
	}
	render.Finish()
	return nil
}

// Hurry has the picture leave out at first what takes long to begin with, as a window does.
func (p *Picture) Hurry() { p.stage.brief = true }

// Wants reports whether another frame is wanted since the last Layout.
func (p *Picture) Wants() bool { return p.stage.wanted }

// Forget has the next picture drawn from scratch, for tests.
func (p *Picture) Forget() { p.stage.renderer.Forget() }

// Drawn returns the parts of the window, px, that the last picture had drawn anew.
func (p *Picture) Drawn() []image.Rectangle { return p.stage.renderer.Drawn() }

// Painted returns the rectangles, px, in which Gio has drawn controls and texts over the scenes,
// one for each painting of the last picture.
func (p *Picture) Painted() []image.Rectangle {
	var out []image.Rectangle
	for _, m := range p.stage.marks.marks {
		out = append(out, m.Bounds)
	}
	return out
}

// Router gives access to what the App's last layout offers: the cursor, the focus, the semantic
// tree. Its WakeupTime belongs to the Picture.
func (p *Picture) Router() *input.Router { return &p.stage.router }

// Snapshot returns app drawn once, at rest, without a window.
func Snapshot(app App, size image.Point, scale float32) (*image.RGBA, error) {
	p, err := NewPicture(app, size, scale)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	p.Settle()
	return p.Image()
}
