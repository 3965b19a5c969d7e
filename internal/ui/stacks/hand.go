// Package stacks holds the gestures of views that mirror the stacks of both sides over a time axis
// each: dragging, the wheel, the keys that zoom, scroll and fit, and the mark of a selected range.
// A view embeds a Hand, tells it where the stacks are whenever it is built, and keeps for itself
// what a click means. The package knows no view: neither what is drawn beside the stacks nor what
// is under the pointer.
package stacks

import (
	"image"
	"math"

	"gioui.org/io/event"
	"gioui.org/io/key"
	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	"gioui.org/layout"
	"gioui.org/op/clip"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/scene/icicle"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
)

// Hand is the pointer over a view and what it holds.
type Hand struct {
	At     geom.Point // relative to the view
	Inside bool       // the pointer is over the view
	Grab   kit.Grab
	Sides  *icicle.Halves // as they were built last; nil while nothing is
}

// Own is what a view does in its own way.
type Own struct {
	// Click is called when the primary button comes up where it went down.
	Click func(c *view.Context, e pointer.Event)
	// Turn takes turns of the wheel that would zoom, downwards where positive, and reports whether
	// it has used them; may be nil.
	Turn func(c *view.Context, notches float32) bool
}

// Hear takes one event of the pointer over the view. Sides must not be nil.
func (h *Hand) Hear(c *view.Context, gtx layout.Context, e pointer.Event, own Own) {
	h.At = geom.Point{X: e.Position.X, Y: e.Position.Y}
	switch e.Kind {
	case pointer.Leave, pointer.Cancel:
		h.Inside, h.Grab = false, kit.Grab{}
		c.S.SetHover(session.Target{})
		return
	case pointer.Press:
		h.press(c, gtx, e)
	case pointer.Drag:
		h.drag(c)
	case pointer.Release:
		h.release(c, e, own.Click)
	case pointer.Scroll:
		h.wheel(c, e, own.Turn)
	}
	h.Inside = true
	if side := h.Sides.At(h.At); side >= 0 {
		c.SetAim(pair.Side(side))
	}
}

func (h *Hand) press(c *view.Context, gtx layout.Context, e pointer.Event) {
	gtx.Execute(key.FocusCmd{}) // leave text fields
	side := h.Sides.At(h.At)
	if side < 0 || !e.Buttons.Contain(pointer.ButtonPrimary) {
		return
	}
	st := c.S.State()
	h.Grab = kit.Grab{Kind: kit.Panning, Side: pair.Side(side), Press: h.At,
		Focus: st.Sides[side].Focus, Scroll: st.Scroll[side]}
	if e.Modifiers.Contain(key.ModShift) {
		h.Grab.Kind = kit.Ranging
	}
}

// drag moves time and stack levels of a side with the pointer, or selects a range of time. A drag
// with another button than the primary one has taken hold of nothing.
func (h *Hand) drag(c *view.Context) {
	g := &h.Grab
	dx, dy := h.At.X-g.Press.X, h.At.Y-g.Press.Y
	least := c.Kit.Px(kit.DragThreshold)
	half := &h.Sides[g.Side]
	if g.Kind == kit.NoGrab || half.Icicle.W() <= 0 ||
		!g.Moved && kit.Abs(dx) < least && kit.Abs(dy) < least {
		return
	}
	g.Moved = true
	if g.Kind == kit.Ranging {
		t0, t1 := half.Axis.T(g.Press.X), half.Axis.T(h.At.X)
		c.S.SelectRange(g.Side, geom.Span{Start: min(t0, t1), End: max(t0, t1)})
		return
	}
	c.S.SetFocus(g.Side, g.Focus.Shift(-float64(dx)*g.Focus.Len()/float64(half.Icicle.W())))
	if g.Side == pair.B {
		dy = -dy
	}
	c.S.Scroll(g.Side, min(g.Scroll-dy, half.MaxScroll))
}

func (h *Hand) release(c *view.Context, e pointer.Event, click func(*view.Context, pointer.Event)) {
	h.drag(c) // the last way may come with the release alone
	g := h.Grab
	h.Grab = kit.Grab{}
	if g.Kind != kit.NoGrab && !g.Moved {
		click(c, e)
	}
}

// wheel zooms at the pointer; with Ctrl it makes rows taller or lower, with Shift it pans.
func (h *Hand) wheel(c *view.Context, e pointer.Event, turn func(*view.Context, float32) bool) {
	side := h.Sides.At(h.At)
	if side < 0 {
		return
	}
	axis := h.Sides[side].Axis
	notches := e.Scroll.Y / c.Kit.Px(kit.Notch)
	switch {
	case e.Modifiers.Contain(key.ModShift) || e.Scroll.X != 0 && e.Scroll.Y == 0:
		dx := e.Scroll.X + e.Scroll.Y
		c.S.Pan(pair.Side(side), float64(dx)*3*axis.NsPerPx())
	case e.Modifiers.Contain(key.ModCtrl):
		c.S.ScaleRows(float32(math.Pow(kit.WheelZoom, float64(notches))))
	case turn != nil && turn(c, notches):
	default:
		c.S.Zoom(pair.Side(side), axis.T(h.At.X), math.Pow(1/kit.WheelZoom, float64(notches)))
	}
}

// Raise implements view.Raiser: it scrolls a call's stack level towards the root edge, so that what
// it calls can be seen below, if it is deep in a stack that does not fit.
func (h *Hand) Raise(c *view.Context, t session.Target) {
	st := c.S.State()
	if !t.OK || h.Sides == nil {
		return
	}
	half := &h.Sides[t.Side]
	if half.Drawing == nil || half.MaxScroll <= 0 {
		return
	}
	at, _, ok := half.Drawing.RowOf(t.Ref)
	if first := st.Scroll[t.Side]; ok && (at < first || at > first+half.Icicle.H()/2) {
		c.S.Scroll(t.Side, min(max(0, at-half.Row-half.Drawing.Header), half.MaxScroll))
	}
}

// Listen has the pointer heard over a view of that size, by its tag, under the name that the view
// has for screen readers. The cursor tells what a drag does.
func (h *Hand) Listen(gtx layout.Context, tag event.Tag, name string, size image.Point) {
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	event.Op(gtx.Ops, tag)
	semantic.LabelOp(name).Add(gtx.Ops)
	switch {
	case h.Grab.Kind == kit.Panning && h.Grab.Moved:
		pointer.CursorGrabbing.Add(gtx.Ops)
	case h.Grab.Kind == kit.Ranging:
		pointer.CursorCrosshair.Add(gtx.Ops)
	}
}

// RangeMark shows the selected stretch of time on both sides and how long it is, in a view of that
// width.
func (h *Hand) RangeMark(c *view.Context, gtx layout.Context, st *session.State, width int) {
	if !st.Range.OK {
		return
	}
	for _, side := range []pair.Side{pair.A, pair.B} {
		span, half := st.Range.On(side), &h.Sides[side]
		x0, x1 := half.Axis.X(span.Start), half.Axis.X(span.End)
		if span.Len() <= 0 || half.Drawing == nil || x1 < half.Icicle.X0 || x0 > half.Icicle.X1 {
			continue
		}
		r := image.Rect(int(max(x0, half.Icicle.X0)), int(half.Icicle.Y0),
			int(min(x1, half.Icicle.X1)), int(half.Icicle.Y1))
		text := geom.FormatValue(span.Len(), string(st.Sides[side].Trace.Unit))
		c.Kit.RangeMark(gtx, r, side, width, text)
	}
}
