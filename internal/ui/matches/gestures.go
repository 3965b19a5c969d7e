package matches

import (
	"image"
	"math"

	"gioui.org/gesture"
	"gioui.org/io/key"
	"gioui.org/io/pointer"
	"gioui.org/layout"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/scene/matches"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/pins"
	"diptych/internal/ui/view"
)

// pointer takes one event of the pointer over the view.
func (p *Pane) pointer(c *view.Context, gtx layout.Context, e pointer.Event) {
	p.at = geom.Point{X: e.Position.X, Y: e.Position.Y}
	switch e.Kind {
	case pointer.Leave, pointer.Cancel:
		p.inside, p.grab = false, kit.Grab{}
		c.S.SetHover(session.Target{})
		return
	case pointer.Press:
		p.press(c, gtx, e)
	case pointer.Drag:
		p.drag(c)
	case pointer.Release:
		p.release(c, e)
	case pointer.Scroll:
		p.wheel(c, e)
	}
	p.inside = true
	if side := p.view.Sides.At(p.at); side >= 0 {
		c.SetAim(pair.Side(side))
		c.S.SetViewpoint(pair.Side(side))
	}
}

func (p *Pane) press(c *view.Context, gtx layout.Context, e pointer.Event) {
	gtx.Execute(key.FocusCmd{}) // leave text fields
	side := p.view.Sides.At(p.at)
	if side < 0 || !e.Buttons.Contain(pointer.ButtonPrimary) {
		return
	}
	st := c.S.State()
	p.grab = kit.Grab{Kind: kit.Panning, Side: pair.Side(side), Press: p.at,
		Focus: st.Sides[side].Focus, Scroll: st.Scroll[side]}
	if e.Modifiers.Contain(key.ModShift) {
		p.grab.Kind = kit.Ranging
	}
}

func (p *Pane) drag(c *view.Context) {
	g := &p.grab
	dx, dy := p.at.X-g.Press.X, p.at.Y-g.Press.Y
	if !g.Moved && kit.Abs(dx) < c.Kit.Px(kit.DragThreshold) && kit.Abs(dy) < c.Kit.Px(kit.DragThreshold) {
		return
	}
	g.Moved = true
	h := &p.view.Sides[g.Side]
	if g.Kind == kit.Ranging {
		t0, t1 := h.Axis.T(g.Press.X), h.Axis.T(p.at.X)
		c.S.SelectRange(g.Side, geom.Span{Start: min(t0, t1), End: max(t0, t1)})
		return
	}
	c.S.SetFocus(g.Side, g.Focus.Shift(-float64(dx)*g.Focus.Len()/float64(h.Icicle.W())))
	if g.Side == pair.B {
		dy = -dy
	}
	c.S.Scroll(g.Side, min(g.Scroll-dy, h.MaxScroll))
}

func (p *Pane) release(c *view.Context, e pointer.Event) {
	if p.grab.Kind != kit.NoGrab {
		p.drag(c) // the last way may come with the release alone
	}
	g := p.grab
	p.grab = kit.Grab{}
	if g.Kind != kit.NoGrab && !g.Moved {
		p.click(c, e)
	}
}

// click selects the call under the pointer and slides the other trace to its match; a second click
// fits it. A match is clicked for both its calls.
func (p *Pane) click(c *view.Context, e pointer.Event) {
	again := p.clicked.Add(e) >= 2
	if head, ok := pins.At(p.pins, p.at, c.Kit.Px(1)); ok {
		head.Pin.Choose(c, head.Side)
		return
	}
	if h := p.view.Hint; h != nil && h.Rect.Contains(p.at) {
		followHint(c.S, h)
		return
	}
	if hit, ok := p.view.Pick(p.at); ok && hit.Call >= 0 {
		t := session.Target{Side: pair.Side(hit.Side), Ref: hit.Ref(), OK: true}
		c.S.Select(t)
		c.TurnToDetails()
		if again {
			p.fit(c, t)
		} else {
			slideTo(c, t)
		}
		return
	}
	l, ok := p.view.PickLink(p.at)
	if !ok {
		c.S.Select(session.Target{})
		return
	}
	for _, side := range []pair.Side{c.Aim().Other(), c.Aim()} {
		t := session.Target{Side: side, Ref: l.Ends[side].Ref, OK: true}
		c.S.Select(t)
		if again {
			p.fit(c, t)
		}
	}
}

// fit shows a call over the whole width, and its stack level where what it calls can be seen below.
func (p *Pane) fit(c *view.Context, t session.Target) {
	c.S.Fit(t)
	p.Raise(c, t)
}

// Raise implements view.Raiser: it scrolls a call's stack level towards the root edge if it is deep
// in a stack that does not fit.
func (p *Pane) Raise(c *view.Context, t session.Target) {
	st := c.S.State()
	if !t.OK || len(st.Tracks[t.Side]) != 1 || p.view == nil {
		return
	}
	h := &p.view.Sides[t.Side]
	if h.Drawing == nil || h.MaxScroll <= 0 {
		return
	}
	th, i := st.Call(t)
	at := h.Drawing.LevelOffset(int(th.Depth[i]))
	if first := st.Scroll[t.Side]; at < first || at > first+h.Icicle.H()/2 {
		c.S.Scroll(t.Side, min(max(0, at-h.Row), h.MaxScroll))
	}
}

// wheel zooms at the pointer; with Ctrl it makes rows taller or lower, with Shift it pans.
func (p *Pane) wheel(c *view.Context, e pointer.Event) {
	side := p.view.Sides.At(p.at)
	if side < 0 {
		return
	}
	h := &p.view.Sides[side]
	notches := float64(e.Scroll.Y / c.Kit.Px(kit.Notch))
	switch {
	case e.Modifiers.Contain(key.ModShift) || e.Scroll.X != 0 && e.Scroll.Y == 0:
		dx := e.Scroll.X + e.Scroll.Y
		c.S.Pan(pair.Side(side), float64(dx)*3*h.Axis.NsPerPx())
	case e.Modifiers.Contain(key.ModCtrl):
		c.S.ScaleRows(float32(math.Pow(kit.WheelZoom, notches)))
	default:
		c.S.Zoom(pair.Side(side), h.Axis.T(p.at.X), math.Pow(1/kit.WheelZoom, notches))
	}
}

// scroll moves the stacks of side by rows towards deeper levels.
func (p *Pane) scroll(c *view.Context, side pair.Side, rows float32) {
	if p.view == nil {
		return
	}
	st := c.S.State()
	to := st.Scroll[side] + rows*p.view.Sides[side].Row
	c.S.Scroll(side, min(to, p.view.Sides[side].MaxScroll))
}

// pointerTime is the time under the pointer, or the middle of focus when the pointer is elsewhere.
func (p *Pane) pointerTime(side pair.Side, focus geom.Span) float64 {
	if p.inside && p.view != nil && p.view.Sides.At(p.at) == int(side) {
		if t := p.view.Sides[side].Axis.T(p.at.X); focus.Contains(t) {
			return t
		}
	}
	return focus.Mid()
}

// divideSides lets the free band between the sides be dragged.
func (p *Pane) divideSides(c *view.Context, gtx layout.Context) {
	upper, lower := p.view.Sides[pair.A], p.view.Sides[pair.B]
	if upper.Drawing == nil || lower.Drawing == nil {
		return
	}
	h := lower.Bounds.Y1
	share := p.split
	if share <= 0 {
		share = .5
	}
	band := image.Rect(0, int(upper.Bounds.Y1), p.area.Dx(), int(lower.Bounds.Y0))
	size := p.divider.Update(c.Kit, gtx, band, gesture.Vertical, share*h/c.Kit.Px(1), +1)
	const least = .15 // of the height, for either side
	if split := kit.Bound(size*c.Kit.Px(1)/h, least, 1-least); split != p.split {
		p.split = split
		c.Rebuild(gtx)
	}
}

// rangeMark shows the selected stretch of time and how long it is.
func (p *Pane) rangeMark(c *view.Context, gtx layout.Context, st *session.State) {
	sel := st.Range
	if !sel.OK {
		return
	}
	h := &p.view.Sides[sel.Side]
	x0, x1 := h.Axis.X(sel.Span.Start), h.Axis.X(sel.Span.End)
	if h.Drawing == nil || x1 < h.Icicle.X0 || x0 > h.Icicle.X1 {
		return
	}
	r := image.Rect(int(max(x0, h.Icicle.X0)), int(h.Icicle.Y0), int(min(x1, h.Icicle.X1)), int(h.Icicle.Y1))
	kit.Fill(gtx, r, c.Kit.Pal.Faint(int(sel.Side)))
	kit.StrokeRound(gtx, r, 0, c.Kit.Px(1), c.Kit.Pal.Side(int(sel.Side)))
	text := geom.FormatValue(sel.Span.Len(), string(st.Sides[sel.Side].Trace.Unit))
	c.Kit.RangeLabel(gtx, r, sel.Side, p.area.Dx(), text)
}

// followHint shows the matches that a hint tells of.
func followHint(s *session.Session, h *matches.Hint) {
	for _, side := range []pair.Side{pair.A, pair.B} {
		switch h.Where[side] {
		case matches.Left, matches.Right:
			s.SetFocus(side, h.Focus[side])
		case matches.Above, matches.Below:
			s.Scroll(side, h.Scroll[side])
		}
	}
	if h.Context {
		s.SetStyle(func(st *session.Style) { st.Frames = true })
	}
}

// slideTo slides the other trace so that the match of t stands where t does.
func slideTo(c *view.Context, t session.Target) {
	if st := c.S.State(); st.Found != nil && st.Lock == session.Free && st.Both() {
		c.S.AlignTo(t)
	}
}
