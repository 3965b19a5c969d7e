package kit

import (
	"iter"
	"time"

	"gioui.org/io/event"
	"gioui.org/io/pointer"
	"gioui.org/layout"

	"diptych/internal/geom"
	"diptych/internal/pair"
)

// anyScroll is how far a pane lets itself be scrolled in one event: as far as the wheel says.
var anyScroll = pointer.ScrollRange{Min: -1e6, Max: 1e6}

// Pointed yields what the pointer has done to a pane since the last frame.
func Pointed(gtx layout.Context, pane event.Tag) iter.Seq[pointer.Event] {
	return func(yield func(pointer.Event) bool) {
		for {
			e, ok := gtx.Event(pointer.Filter{Target: pane,
				Kinds: pointer.Press | pointer.Drag | pointer.Release | pointer.Cancel |
					pointer.Move | pointer.Enter | pointer.Leave | pointer.Scroll,
				ScrollX: anyScroll, ScrollY: anyScroll})
			if !ok {
				return
			}
			if e, ok := e.(pointer.Event); ok && !yield(e) {
				return
			}
		}
	}
}

// ClickCount tells double clicks from two clicks.
type ClickCount struct {
	n    int
	at   time.Duration
	x, y float32
}

// doubleClick is the longest time between the two presses of a double click.
const doubleClick = 350 * time.Millisecond

// Add counts a click and returns how many there have been in a row at one place: 2 for a double
// click.
func (c *ClickCount) Add(e pointer.Event) int {
	near := Abs(e.Position.X-c.x) < 6 && Abs(e.Position.Y-c.y) < 6
	if c.n > 0 && near && e.Time-c.at < doubleClick {
		c.n++
	} else {
		c.n = 1
	}
	c.at, c.x, c.y = e.Time, e.Position.X, e.Position.Y
	return c.n
}

// Grab is a drag that began in a pane: what it does, and what it began with.
type Grab struct {
	Kind   GrabKind
	Side   pair.Side
	Press  geom.Point // where it began
	Focus  geom.Span  // when the drag began
	Scroll float32    // when the drag began
	Moved  bool       // by more than DragThreshold
}

// GrabKind is what a drag does.
type GrabKind uint8

// The kinds of drags.
const (
	NoGrab  GrabKind = iota
	Panning          // moves what is shown
	Ranging          // Shift-drag: selects a range
)

// DragThreshold is how far the pointer moves, in dp, before a press is a drag rather than a click.
const DragThreshold = 4

// Zooming by the wheel: one notch of about 10 dp scales by WheelZoom.
const (
	Notch     = 10
	WheelZoom = 0.8
)
