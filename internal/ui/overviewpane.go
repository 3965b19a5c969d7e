package ui

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
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/scene/overview"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
)

// overviewPane shows both traces whole and lets the focus rectangles be dragged, resized and drawn
// anew.
type overviewPane struct {
	view  *overview.View
	arena overview.Arena
	texts kit.Texts
	area  image.Rectangle

	at     geom.Point
	inside bool
	part   overview.Part
	side   int
	drag   focusDrag
	drawn  [2]geom.Span
}

// focusDrag is a drag of a focus rectangle, or of a new one.
type focusDrag struct {
	on    bool
	fresh bool // draws a new rectangle
	side  pair.Side
	part  overview.Part
	press geom.Point
	focus geom.Span // when the drag began
}

func (o *overviewPane) layout(a *App, gtx layout.Context, st *session.State, r image.Rectangle) {
	o.area = r
	o.build(a, st)
	kit.At(gtx, r, func(gtx layout.Context) {
		before := a.S.State().Rev
		o.input(a, gtx)
		if now := a.S.State(); now.Rev != before || o.drag.fresh {
			o.build(a, now)
		}
		o.texts.Draw(a.kit, gtx, o.view.Scene)
		o.tooltip(a, gtx, a.S.State())
	})
}

func (o *overviewPane) build(a *App, st *session.State) {
	os := OverviewState(st, a.kit.Pal, a.kit.Px(1))
	for i := range os.Sides {
		os.Sides[i].Drawn = o.drawn[i]
	}
	size := geom.Size{W: float32(o.area.Dx()), H: float32(o.area.Dy())}
	o.view = overview.Build(os, size, &o.arena)
	a.S.SetBars(intervals(o.area.Dx(), a.kit.Px(1)))
}

// intervals returns how many bars a pane so many px wide has room for, by side.
func intervals(width int, scale float32) [2]int {
	n := overview.Intervals(float32(width), scale)
	return [2]int{n, n}
}

// buildOverview builds the overview with its legend below, to stand alone.
func buildOverview(os *overview.State, st *session.State, size image.Point) *scene.Scene {
	dp := max(os.Scale, 1e-3)
	all := geom.Size{W: float32(size.X), H: float32(size.Y)}
	v := overview.Build(os, all, nil)
	room := kit.LegendHeight(barLegend(st, v, os.Palette), all.W, dp)
	if room == 0 {
		return v.Scene
	}
	v = overview.Build(os, geom.Size{W: all.W, H: all.H - room}, nil)
	kit.AddLegend(v.Scene, barLegend(st, v, os.Palette), os.Palette, dp)
	return v.Scene
}

// OverviewState translates a session's snapshot for the overview; the headless renderer uses it
// too.
func OverviewState(st *session.State, pal *palette.Palette, scale float32) *overview.State {
	os := &overview.State{Palette: pal, Scale: scale}
	for i := range st.Sides {
		sd := &st.Sides[i]
		os.Sides[i] = overview.Side{Trace: sd.Trace, Tracks: st.Tracks[i], Focus: sd.Focus}
		if f := st.Found; f != nil && f.Rung != nil {
			os.Sides[i].Bars = f.Rung.Bars[i]
			os.Sides[i].Lit = f.Lit.Bars[i]
		}
	}
	return os
}

func (o *overviewPane) scene() (*scene.Scene, image.Rectangle) {
	if o.view == nil {
		return nil, o.area
	}
	return o.view.Scene, o.area
}

func (o *overviewPane) input(a *App, gtx layout.Context) {
	area := clip.Rect{Max: o.area.Size()}.Push(gtx.Ops)
	event.Op(gtx.Ops, o)
	semantic.LabelOp("Overview").Add(gtx.Ops)
	o.cursor().Add(gtx.Ops)
	area.Pop()
	for {
		e, ok := gtx.Event(pointer.Filter{Target: o,
			Kinds: pointer.Press | pointer.Drag | pointer.Release | pointer.Cancel |
				pointer.Move | pointer.Leave | pointer.Scroll,
			ScrollY: pointer.ScrollRange{Min: -1e6, Max: 1e6}})
		if !ok {
			return
		}
		if p, ok := e.(pointer.Event); ok {
			o.pointer(a, gtx, p)
		}
	}
}

func (o *overviewPane) cursor() pointer.Cursor {
	switch {
	case o.drag.on && o.drag.fresh:
		return pointer.CursorCrosshair
	case o.part == overview.LeftHandle || o.part == overview.RightHandle:
		return pointer.CursorColResize
	case o.drag.on:
		return pointer.CursorGrabbing
	case o.part == overview.Body:
		return pointer.CursorGrab
	}
	return pointer.CursorDefault
}

func (o *overviewPane) pointer(a *App, gtx layout.Context, e pointer.Event) {
	o.at = geom.Point{X: e.Position.X, Y: e.Position.Y}
	if !o.drag.on {
		o.side, o.part = o.view.Hit(o.at)
	}
	if o.side >= 0 {
		a.aim = pair.Side(o.side)
	}
	o.inside = e.Kind != pointer.Leave && e.Kind != pointer.Cancel
	switch e.Kind {
	case pointer.Press:
		gtx.Execute(key.FocusCmd{})
		o.press(a, e)
	case pointer.Drag:
		o.move(a)
	case pointer.Release:
		o.release(a)
	case pointer.Cancel, pointer.Leave:
		if e.Kind == pointer.Cancel {
			o.drag, o.drawn = focusDrag{}, [2]geom.Span{}
		}
	case pointer.Scroll:
		if o.side >= 0 {
			axis := o.view.Sides[o.side].Axis
			a.S.Zoom(pair.Side(o.side), axis.T(o.at.X), math.Pow(1/kit.WheelZoom, float64(e.Scroll.Y/a.kit.Px(kit.Notch))))
		}
	}
}

func (o *overviewPane) press(a *App, e pointer.Event) {
	if o.side < 0 || !e.Buttons.Contain(pointer.ButtonPrimary) {
		return
	}
	st := a.S.State()
	o.drag = focusDrag{on: true, side: pair.Side(o.side), part: o.part, press: o.at,
		focus: st.Sides[o.side].Focus}
	o.drag.fresh = e.Modifiers.Contain(key.ModShift) || o.part == overview.Outside
}

func (o *overviewPane) move(a *App) {
	d := &o.drag
	if !d.on {
		return
	}
	axis := o.view.Sides[d.side].Axis
	dt := axis.T(o.at.X) - axis.T(d.press.X)
	f := d.focus
	switch {
	case d.fresh:
		t0, t1 := axis.T(d.press.X), axis.T(o.at.X)
		o.drawn[d.side] = geom.Span{Start: min(t0, t1), End: max(t0, t1)}.Clamp(axis.Span)
		return
	case d.part == overview.Body:
		f = f.Shift(dt)
	case d.part == overview.LeftHandle:
		f.Start = max(axis.Span.Start, min(f.Start+dt, f.End-axis.NsPerPx()))
	case d.part == overview.RightHandle:
		f.End = min(axis.Span.End, max(f.End+dt, f.Start+axis.NsPerPx()))
	}
	a.S.SetFocus(d.side, f)
}

// release shows a newly drawn range; a click beside the rectangle moves it there.
func (o *overviewPane) release(a *App) {
	o.move(a) // the last way may come with the release alone
	d := o.drag
	o.drag = focusDrag{}
	if !d.on || !d.fresh {
		return
	}
	axis := o.view.Sides[d.side].Axis
	drawn := o.drawn[d.side]
	o.drawn = [2]geom.Span{}
	if kit.Abs(o.at.X-d.press.X) < a.kit.Px(kit.DragThreshold) {
		a.S.SetFocus(d.side, d.focus.Shift(axis.T(o.at.X)-d.focus.Mid()))
		return
	}
	a.S.SetFocus(d.side, drawn)
}
