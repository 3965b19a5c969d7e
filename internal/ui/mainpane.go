package ui

import (
	"image"
	"math"

	"gioui.org/gesture"
	"gioui.org/io/event"
	"gioui.org/io/key"
	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/scene"
	"diptych/internal/scene/matches"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/ui/kit"
)

// mainPane shows the mirrored icicles and takes the gestures of DESIGN §11 "Everywhere".
type mainPane struct {
	tools  toolbar
	style  styleBar
	view   *matches.View
	arena  matches.Arena
	texts  kit.Texts
	area   image.Rectangle // of the view, in the window
	split  float32         // A's share of the height; 0 for one half
	divide kit.Splitter

	at      geom.Point // pointer, relative to area
	inside  bool
	grab    kit.Grab
	clicked kit.ClickCount
	tip     tip
	shape   shapeShift
	pointed *[2]trace.CallRef // the match under the pointer
	pins    []drawnPin
}

func (m *mainPane) layout(a *App, gtx layout.Context, st *session.State, r image.Rectangle) {
	tools := image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+a.kit.Dp(40))
	kit.At(gtx, tools, func(gtx layout.Context) { m.tools.layout(a, gtx, st) })
	if a.aligning(st) {
		bar := image.Rect(r.Min.X, tools.Max.Y, r.Max.X, tools.Max.Y+a.kit.Dp(float32(kit.FlowRow)))
		a.align.layout(a, gtx, st, bar, image.Rect(r.Min.X, bar.Max.Y+a.kit.Dp(4), r.Max.X, r.Max.Y-a.kit.Dp(8)))
		return
	}
	if st.Both() {
		bar := image.Rect(r.Min.X, tools.Max.Y, r.Max.X, tools.Max.Y+m.style.height(a))
		kit.At(gtx, bar, func(gtx layout.Context) { m.style.layout(a, gtx, st) })
		tools.Max.Y = bar.Max.Y + a.kit.Dp(4)
	}
	m.area = image.Rect(r.Min.X, tools.Max.Y, r.Max.X, r.Max.Y-a.kit.Dp(8))
	if m.area.Empty() {
		m.view = nil
		return
	}
	m.build(a, gtx, a.S.State())
	kit.At(gtx, m.area, func(gtx layout.Context) {
		m.input(a, gtx)
		m.divideSides(a, gtx)
		pointed := m.pointed
		m.aim(a) // the view may have moved under the pointer
		if now := a.S.State(); now.Rev != st.Rev || !same(m.pointed, pointed) {
			m.build(a, gtx, now)
		}
		m.texts.Draw(a.kit, gtx, m.view.Scene)
		m.rangeMark(a, gtx, a.S.State())
		m.tooltip(a, gtx, a.S.State())
	})
}

func (m *mainPane) build(a *App, gtx layout.Context, st *session.State) {
	ms := a.matchState(st)
	ms.Split = m.split
	if m.pointed != nil {
		ms.Links.Pointed = m.pointed
		for k := range ms.Sides {
			ms.Sides[k].Hover = m.pointed[k : k+1]
		}
	}
	if a.moving(gtx) {
		ms.Links.Budget = movingBudget
	}
	var moving bool
	ms.Links.Morph, ms.Links.Spine, moving = m.shape.at(gtx.Now, st.Style.Shape, st.Still)
	if moving {
		gtx.Execute(op.InvalidateCmd{})
	}
	m.view = buildMatches(ms, st, m.area.Size(), &m.arena, barLegend(st, a.overview.view, a.kit.Pal))
	m.pins = matchPins(st, m.view)
}

func (m *mainPane) scene() (*scene.Scene, image.Rectangle) {
	if m.view == nil {
		return nil, m.area
	}
	return m.view.Scene, m.area
}

// input handles the pointer over the view.
func (m *mainPane) input(a *App, gtx layout.Context) {
	area := clip.Rect{Max: m.area.Size()}.Push(gtx.Ops)
	event.Op(gtx.Ops, m)
	semantic.LabelOp("Traces").Add(gtx.Ops)
	switch {
	case m.grab.Kind == kit.Panning && m.grab.Moved:
		pointer.CursorGrabbing.Add(gtx.Ops)
	case m.grab.Kind == kit.Ranging:
		pointer.CursorCrosshair.Add(gtx.Ops)
	}
	area.Pop()
	for e := range kit.Pointed(gtx, m) {
		m.pointer(a, gtx, e)
	}
}

func (m *mainPane) pointer(a *App, gtx layout.Context, e pointer.Event) {
	m.at = geom.Point{X: e.Position.X, Y: e.Position.Y}
	switch e.Kind {
	case pointer.Leave, pointer.Cancel:
		m.inside, m.grab = false, kit.Grab{}
		a.S.SetHover(session.Target{})
		gtx.Execute(op.InvalidateCmd{})
		return
	case pointer.Press:
		m.press(a, gtx, e)
	case pointer.Drag:
		m.drag(a)
	case pointer.Release:
		m.release(a, e)
	case pointer.Scroll:
		m.wheel(a, e)
	}
	m.inside = true
	if side := m.view.Side(m.at); side >= 0 {
		a.aim = pair.Side(side)
		a.S.SetViewpoint(a.aim)
	}
	gtx.Execute(op.InvalidateCmd{})
}

// aim notes which call or which match the pointer is over.
func (m *mainPane) aim(a *App) {
	m.pointed = nil
	if !m.inside {
		return
	}
	var t session.Target
	if hit, ok := m.view.Pick(m.at); ok && hit.Call >= 0 && !m.grab.Moved {
		t = session.Target{Side: pair.Side(hit.Side), Ref: hit.Ref(), OK: true}
	}
	a.S.SetHover(t)
	if l, ok := m.view.PickLink(m.at); ok && !m.grab.Moved {
		m.pointed = &[2]trace.CallRef{l.Ends[0].Ref, l.Ends[1].Ref}
	}
}

func same(a, b *[2]trace.CallRef) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

func (m *mainPane) press(a *App, gtx layout.Context, e pointer.Event) {
	gtx.Execute(key.FocusCmd{}) // leave text fields
	side := m.view.Side(m.at)
	if side < 0 || !e.Buttons.Contain(pointer.ButtonPrimary) {
		return
	}
	st := a.S.State()
	m.grab = kit.Grab{Kind: kit.Panning, Side: pair.Side(side), Press: m.at,
		Focus: st.Sides[side].Focus, Scroll: st.Scroll[side]}
	if e.Modifiers.Contain(key.ModShift) {
		m.grab.Kind = kit.Ranging
	}
}

func (m *mainPane) drag(a *App) {
	g := &m.grab
	dx, dy := m.at.X-g.Press.X, m.at.Y-g.Press.Y
	if !g.Moved && kit.Abs(dx) < a.kit.Px(kit.DragThreshold) && kit.Abs(dy) < a.kit.Px(kit.DragThreshold) {
		return
	}
	g.Moved = true
	h := &m.view.Sides[g.Side]
	if g.Kind == kit.Ranging {
		t0, t1 := h.Axis.T(g.Press.X), h.Axis.T(m.at.X)
		a.S.SelectRange(g.Side, geom.Span{Start: min(t0, t1), End: max(t0, t1)})
		return
	}
	a.S.SetFocus(g.Side, g.Focus.Shift(-float64(dx)*g.Focus.Len()/float64(h.Icicle.W())))
	if g.Side == pair.B {
		dy = -dy
	}
	a.S.Scroll(g.Side, min(g.Scroll-dy, h.MaxScroll))
}

func (m *mainPane) release(a *App, e pointer.Event) {
	if m.grab.Kind != kit.NoGrab {
		m.drag(a) // the last way may come with the release alone
	}
	g := m.grab
	m.grab = kit.Grab{}
	if g.Kind != kit.NoGrab && !g.Moved {
		m.click(a, e)
	}
}

// click selects the call under the pointer and slides the other trace to its match; a second click
// fits it. A match is clicked for both its calls.
func (m *mainPane) click(a *App, e pointer.Event) {
	again := m.clicked.Add(e) >= 2
	if pin, ok := pinAt(m.pins, m.at, a.kit.Px(1)); ok {
		a.choosePin(&pin.pin, pin.side)
		return
	}
	if h := m.view.Hint; h != nil && h.Rect.Contains(m.at) {
		followHint(a.S, h)
		return
	}
	if hit, ok := m.view.Pick(m.at); ok && hit.Call >= 0 {
		t := session.Target{Side: pair.Side(hit.Side), Ref: hit.Ref(), OK: true}
		a.S.Select(t)
		a.dock.turnToDetails()
		if again {
			m.fit(a, t)
		} else {
			a.alignTo(t)
		}
		return
	}
	l, ok := m.view.PickLink(m.at)
	if !ok {
		a.S.Select(session.Target{})
		return
	}
	for _, side := range []pair.Side{a.aim.Other(), a.aim} {
		t := session.Target{Side: side, Ref: l.Ends[side].Ref, OK: true}
		a.S.Select(t)
		if again {
			m.fit(a, t)
		}
	}
}

// fit shows a call over the whole width, and its stack level where what it calls can be seen below.
func (m *mainPane) fit(a *App, t session.Target) {
	a.S.Fit(t)
	m.raise(a, t)
}

// raise scrolls a call's stack level towards the root edge if it is deep in a stack that does not
// fit.
func (m *mainPane) raise(a *App, t session.Target) {
	st := a.S.State()
	if !t.OK || len(st.Tracks[t.Side]) != 1 || m.view == nil {
		return
	}
	h := &m.view.Sides[t.Side]
	if h.Drawing == nil || h.MaxScroll <= 0 {
		return
	}
	th, i := st.Call(t)
	at := h.Drawing.LevelOffset(int(th.Depth[i]))
	if first := st.Scroll[t.Side]; at < first || at > first+h.Icicle.H()/2 {
		a.S.Scroll(t.Side, min(max(0, at-h.Row), h.MaxScroll))
	}
}

// wheel zooms at the pointer; with Ctrl it makes rows taller or lower, with Shift it pans.
func (m *mainPane) wheel(a *App, e pointer.Event) {
	side := m.view.Side(m.at)
	if side < 0 {
		return
	}
	h := &m.view.Sides[side]
	notches := float64(e.Scroll.Y / a.kit.Px(kit.Notch))
	switch {
	case e.Modifiers.Contain(key.ModShift) || e.Scroll.X != 0 && e.Scroll.Y == 0:
		dx := e.Scroll.X + e.Scroll.Y
		a.S.Pan(pair.Side(side), float64(dx)*3*h.Axis.NsPerPx())
	case e.Modifiers.Contain(key.ModCtrl):
		a.S.ScaleRows(float32(math.Pow(kit.WheelZoom, notches)))
	default:
		a.S.Zoom(pair.Side(side), h.Axis.T(m.at.X), math.Pow(1/kit.WheelZoom, notches))
	}
}

// scroll moves the stacks of side by rows towards deeper levels.
func (m *mainPane) scroll(a *App, side pair.Side, rows float32) {
	if m.view == nil {
		return
	}
	st := a.S.State()
	to := st.Scroll[side] + rows*m.view.Sides[side].Row
	a.S.Scroll(side, min(to, m.view.Sides[side].MaxScroll))
}

// pointerTime is the time under the pointer, or the middle of focus when the pointer is elsewhere.
func (m *mainPane) pointerTime(side pair.Side, focus geom.Span) float64 {
	if m.inside && m.view != nil && m.view.Side(m.at) == int(side) {
		if t := m.view.Sides[side].Axis.T(m.at.X); focus.Contains(t) {
			return t
		}
	}
	return focus.Mid()
}

// divideSides lets the free band between the sides be dragged.
func (m *mainPane) divideSides(a *App, gtx layout.Context) {
	upper, lower := m.view.Sides[pair.A], m.view.Sides[pair.B]
	if upper.Drawing == nil || lower.Drawing == nil {
		return
	}
	h := lower.Bounds.Y1
	share := m.split
	if share <= 0 {
		share = .5
	}
	band := image.Rect(0, int(upper.Bounds.Y1), m.area.Dx(), int(lower.Bounds.Y0))
	size := m.divide.Update(a.kit, gtx, band, gesture.Vertical, share*h/a.kit.Px(1), +1)
	const least = .15 // of the height, for either side
	m.split = kit.Bound(size*a.kit.Px(1)/h, least, 1-least)
}

// rangeMark shows the selected stretch of time and how long it is.
func (m *mainPane) rangeMark(a *App, gtx layout.Context, st *session.State) {
	sel := st.Range
	if !sel.OK {
		return
	}
	h := &m.view.Sides[sel.Side]
	x0, x1 := h.Axis.X(sel.Span.Start), h.Axis.X(sel.Span.End)
	if h.Drawing == nil || x1 < h.Icicle.X0 || x0 > h.Icicle.X1 {
		return
	}
	r := image.Rect(int(max(x0, h.Icicle.X0)), int(h.Icicle.Y0), int(min(x1, h.Icicle.X1)), int(h.Icicle.Y1))
	kit.Fill(gtx, r, a.kit.Pal.Faint(int(sel.Side)))
	kit.StrokeRound(gtx, r, 0, a.kit.Px(1), a.kit.Pal.Side(int(sel.Side)))
	text := geom.FormatValue(sel.Span.Len(), string(st.Sides[sel.Side].Trace.Unit))
	a.kit.RangeLabel(gtx, r, sel.Side, m.area.Dx(), text)
}
