// Package overview is the pane that shows both traces whole: their stacks, the bars of their
// matches, and the focus rectangles, which can be dragged, resized and drawn anew.
package overview

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
	"diptych/internal/scene/legend"
	"diptych/internal/scene/overview"
	"diptych/internal/session"
	"diptych/internal/ui/flags"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// Pane shows both traces whole and lets the focus rectangles be dragged, resized and drawn
// anew.
type Pane struct {
	view  *overview.View
	arena overview.Arena
	texts kit.Texts
	area  image.Rectangle
	flags []flags.Flag
	stale bool // what is being drawn has changed

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

// New returns an overview with nothing in it yet.
func New() *Pane { return &Pane{side: -1} }

// Area returns the rectangle of the window that the overview was built for.
func (o *Pane) Area() image.Rectangle { return o.area }

// Shown returns what was built last; nil before that.
func (o *Pane) Shown() *overview.View { return o.view }

// Flags returns the flags of the notes that are drawn.
func (o *Pane) Flags() []flags.Flag { return o.flags }

// Stale reports whether the overview has to be built anew for what it alone knows of.
func (o *Pane) Stale() bool { return o.stale }

// Build implements view.View.
func (o *Pane) Build(c *view.Context, _ layout.Context, area image.Rectangle) {
	o.area, o.stale = area, false
	os := state(c.S.State(), c.Kit.Pal, c.Kit.Px(1))
	for i := range os.Sides {
		os.Sides[i].Drawn = o.drawn[i]
	}
	o.view = overview.Build(os, geom.Size{W: float32(area.Dx()), H: float32(area.Dy())}, &o.arena)
	o.flags = flagsIn(c.S.State(), o.view, c.Kit.Px(1))
	flags.Draw(o.view.Scene, o.flags, c.Kit.Pal, c.Kit.Px(1))
}

// flagsIn lays out the flags of the notes over the stacks.
func flagsIn(st *session.State, v *overview.View, dp float32) []flags.Flag {
	var sides [2]flags.Side
	for k := range v.Sides {
		h := &v.Sides[k]
		sides[k] = flags.Side{X: h.Axis.X, Strip: h.Stacks()}
	}
	return flags.Heads(st, sides, dp)
}

// Aim implements view.View; what is under the pointer changes nothing in the scenes.
func (o *Pane) Aim(*view.Context) {}

// Layout implements view.View.
func (o *Pane) Layout(c *view.Context, gtx layout.Context) {
	if o.view == nil {
		return
	}
	c.S.SetBars(intervals(o.area.Dx(), c.Kit.Px(1)))
	c.Card(o.area)
	kit.At(gtx, o.area, func(gtx layout.Context) {
		area := clip.Rect{Max: o.area.Size()}.Push(gtx.Ops)
		event.Op(gtx.Ops, o)
		semantic.LabelOp("Overview").Add(gtx.Ops)
		o.cursor().Add(gtx.Ops)
		area.Pop()
		o.texts.Draw(c.Kit, gtx, o.view.Scene)
		o.tooltip(c, gtx, c.S.State())
	})
}

// Scenes implements view.View.
func (o *Pane) Scenes() []view.Part {
	if o.view == nil {
		return nil
	}
	return []view.Part{{Scene: o.view.Scene, Area: o.area}}
}

// Legend explains the colours of the bars.
func (o *Pane) Legend(st *session.State, pal *palette.Palette) []legend.Entry {
	return barLegend(st, o.view, pal)
}

// intervals returns how many bars a pane so many px wide has room for, by side.
func intervals(width int, scale float32) [2]int {
	n := overview.Intervals(float32(width), scale)
	return [2]int{n, n}
}

// Picture builds the overview with its legend below, to stand alone. It outlives what is known for
// now only, so it has none of that.
func Picture(s *session.Session, pal *palette.Palette, size image.Point, scale float32) []view.Part {
	s.SetBars(intervals(size.X, scale))
	st := s.State().Final()
	os := state(st, pal, scale)
	dp := max(scale, 1e-3)
	all := geom.Size{W: float32(size.X), H: float32(size.Y)}
	v := overview.Build(os, all, nil)
	if room := kit.LegendHeight(barLegend(st, v, pal), all.W, dp); room > 0 {
		v = overview.Build(os, geom.Size{W: all.W, H: all.H - room}, nil)
		kit.AddLegend(v.Scene, barLegend(st, v, pal), pal, dp)
	}
	flags.Draw(v.Scene, flagsIn(st, v, dp), pal, dp)
	return []view.Part{{Scene: v.Scene, Area: image.Rectangle{Max: size}}}
}

// barLegend explains the colours of a view's bars.
func barLegend(st *session.State, v *overview.View, pal *palette.Palette) []legend.Entry {
	bars, sample := st.Bars()
	if !st.Both() || bars[0] == nil || v == nil {
		return nil
	}
	return legend.Overview(legend.Options{Palette: pal, Unit: words.UnitOf(st), Profile: st.Profile(), Turn: v.Turn,
		Lit: true, Open: sample != nil})
}

// state translates a session's snapshot for the overview. Bars that are not final are open.
func state(st *session.State, pal *palette.Palette, scale float32) *overview.State {
	os := &overview.State{Palette: pal, Scale: scale}
	bars, sample := st.Bars()
	for i := range st.Sides {
		sd := &st.Sides[i]
		if g := sd.Growing; sd.Trace == nil && g != nil {
			os.Sides[i] = overview.Side{Trace: g.Trace, Tracks: g.Tracks(st.Process), Focus: g.Span(), Room: g.Whole,
				Loading: true}
			continue
		}
		os.Sides[i] = overview.Side{Trace: sd.Trace, Tracks: st.Tracks[i], Focus: sd.Focus, Room: sd.Room}
		if os.Sides[i].Bars = bars[i]; st.Found != nil && bars[i] != nil {
			os.Sides[i].Lit = st.Found.Lit.Bars[i]
		}
		for k := range bars[i] {
			if sample != nil {
				os.Sides[i].Open = append(os.Sides[i].Open, !sample.Settled(pair.Side(i), k))
			}
		}
	}
	return os
}

// Update implements view.View.
func (o *Pane) Update(c *view.Context, gtx layout.Context) {
	for e := range kit.Pointed(gtx, o) {
		if o.view == nil {
			continue
		}
		dragged := o.drag.on
		if o.pointer(c, gtx, e); dragged || o.drag.on {
			o.stale = true // for what is being drawn
		}
	}
}

func (o *Pane) cursor() pointer.Cursor {
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

func (o *Pane) pointer(c *view.Context, gtx layout.Context, e pointer.Event) {
	o.at = geom.Point{X: e.Position.X, Y: e.Position.Y}
	if !o.drag.on {
		o.side, o.part = o.view.Hit(o.at)
	}
	if o.side >= 0 {
		c.SetAim(pair.Side(o.side))
	}
	o.inside = e.Kind != pointer.Leave && e.Kind != pointer.Cancel
	switch e.Kind {
	case pointer.Press:
		gtx.Execute(key.FocusCmd{})
		o.press(c, e)
	case pointer.Drag:
		o.move(c)
	case pointer.Release:
		o.release(c)
	case pointer.Cancel, pointer.Leave:
		if e.Kind == pointer.Cancel {
			o.drag, o.drawn = focusDrag{}, [2]geom.Span{}
		}
	case pointer.Scroll:
		if o.side >= 0 {
			axis := o.view.Sides[o.side].Axis
			c.S.Zoom(pair.Side(o.side), axis.T(o.at.X), math.Pow(1/kit.WheelZoom, float64(e.Scroll.Y/c.Kit.Px(kit.Notch))))
		}
	}
}

func (o *Pane) press(c *view.Context, e pointer.Event) {
	if o.side < 0 || !e.Buttons.Contain(pointer.ButtonPrimary) {
		return
	}
	st := c.S.State()
	o.drag = focusDrag{on: true, side: pair.Side(o.side), part: o.part, press: o.at,
		focus: st.Sides[o.side].Focus}
	o.drag.fresh = e.Modifiers.Contain(key.ModShift) || o.part == overview.Outside
}

func (o *Pane) move(c *view.Context) {
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
	c.S.SetFocus(d.side, f)
}

// release shows a newly drawn range; a click beside the rectangle moves it there.
func (o *Pane) release(c *view.Context) {
	o.move(c) // the last way may come with the release alone
	d := o.drag
	o.drag = focusDrag{}
	if !d.on || !d.fresh {
		return
	}
	axis := o.view.Sides[d.side].Axis
	drawn := o.drawn[d.side]
	o.drawn = [2]geom.Span{}
	if kit.Abs(o.at.X-d.press.X) < c.Kit.Px(kit.DragThreshold) {
		c.S.SetFocus(d.side, d.focus.Shift(axis.T(o.at.X)-d.focus.Mid()))
		return
	}
	c.S.SetFocus(d.side, drawn)
}

// tooltip says what the bar under the pointer stands for.
func (o *Pane) tooltip(c *view.Context, gtx layout.Context, st *session.State) {
	if !o.inside || o.drag.on || c.Quiet() {
		return
	}
	if f, ok := flags.At(o.flags, o.at); ok {
		c.Kit.TipBox(gtx, f.Lines(st), f.Box, o.at)
		return
	}
	known, sample := st.Bars()
	side, i, ok := o.view.Bar(o.at)
	if !ok || i >= len(known[side]) {
		return
	}
	bars := known[side]
	step := st.Sides[side].Extent() / float64(len(bars))
	from := step * float64(i)
	unit := words.UnitOf(st)
	title := words.BarTitle(pair.Side(side), geom.Span{Start: from, End: from + step}, unit)
	lines := words.BarLines(st, &bars[i], "BA"[side:side+1])
	if sample != nil {
		lines = words.SampledBarLines(st, sample, pair.Side(side), i)
	}
	c.Kit.TipBox(gtx, append([]string{title}, lines...), o.view.BarRect(side, i), o.at)
}
