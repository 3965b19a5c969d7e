package aggregate

import (
	"math"

	"gioui.org/f32"
	"gioui.org/io/key"
	"gioui.org/io/pointer"
	"gioui.org/layout"

	"diptych/internal/geom"
	"diptych/internal/pair"
	scene "diptych/internal/scene/aggregate"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
)

// The plots have one time: what moves one of them moves the others by the same share of what they
// show, so that timeslices stay comparable. Where the session locks the sides to each other, only
// the side under the pointer is moved, and the lock moves the other.

// pointer takes one event of the pointer over the view.
func (p *Pane) pointer(c *view.Context, gtx layout.Context, e pointer.Event) {
	p.at = geom.Point{X: e.Position.X, Y: e.Position.Y}
	switch e.Kind {
	case pointer.Leave, pointer.Cancel:
		p.inside, p.grab = false, kit.Grab{}
		c.Dirty()
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
	if k := p.plot(); k >= 0 && p.view.Plots[k].Of != scene.Difference {
		c.SetAim(pair.Side(p.view.Plots[k].Of))
	}
}

// plot returns the plot under the pointer.
func (p *Pane) plot() int { return p.view.PlotAt(p.at) }

func (p *Pane) press(c *view.Context, gtx layout.Context, e pointer.Event) {
	gtx.Execute(key.FocusCmd{}) // leave text fields
	k := p.plot()
	if k < 0 || !e.Buttons.Contain(pointer.ButtonPrimary) {
		return
	}
	p.of = p.view.Plots[k].Of
	p.grab = kit.Grab{Kind: kit.Panning, Press: p.at}
	if p.of != scene.Difference {
		p.grab.Side = pair.Side(p.of)
		if e.Modifiers.Contain(key.ModShift) {
			p.grab.Kind = kit.Ranging
		}
	}
	for s := range p.pressed {
		p.pressed[s] = c.S.State().Sides[s].Focus
	}
}

// drag moves time with the pointer, or selects a range of it.
func (p *Pane) drag(c *view.Context) {
	g := &p.grab
	dx, dy := p.at.X-g.Press.X, p.at.Y-g.Press.Y
	least := c.Kit.Px(kit.DragThreshold)
	k := p.find(p.of)
	if g.Kind == kit.NoGrab || k < 0 || !g.Moved && kit.Abs(dx) < least && kit.Abs(dy) < least {
		return
	}
	g.Moved = true
	ax := p.view.Plots[k].Axis
	if g.Kind == kit.Ranging {
		if !ownOf(c.S.State()).Virtual {
			t0, t1 := ax.T(g.Press.X), ax.T(p.at.X)
			c.S.SelectRangeOfAll(g.Side, geom.Span{Start: min(t0, t1), End: max(t0, t1)})
		}
		return
	}
	share := -float64(dx) / float64(ax.X1-ax.X0)
	// Each side moves from where it was pressed, not from where it is: a side that has come to the
	// end of its trace would leave its share of each event to the other one.
	for _, s := range led(c.S.State(), g.Side) {
		c.S.SetFocus(s, p.pressed[s].Shift(share*p.pressed[s].Len()))
	}
}

// find returns the index of the plot of a side or of the difference, −1 if it is not shown.
func (p *Pane) find(of int) int {
	for k := range p.view.Plots {
		if p.view.Plots[k].Of == of {
			return k
		}
	}
	return -1
}

// led returns the sides that are to be moved when one leads: both, unless a lock moves the other.
func led(st *session.State, side pair.Side) (list []pair.Side) {
	for _, s := range []pair.Side{pair.A, pair.B} {
		if st.Loaded(s) && (s == side || st.Lock == session.Free) {
			list = append(list, s)
		}
	}
	return list
}

// panBoth moves what is shown by a share of it.
func panBoth(s *session.Session, side pair.Side, share float64) {
	for _, x := range led(s.State(), side) {
		s.Pan(x, share*s.State().Sides[x].Focus.Len())
	}
}

// zoomBoth zooms by a factor and holds a place, as a share of what is shown.
func zoomBoth(s *session.Session, side pair.Side, at, factor float64) {
	for _, x := range led(s.State(), side) {
		f := s.State().Sides[x].Focus
		s.Zoom(x, f.Start+at*f.Len(), factor)
	}
}

func (p *Pane) release(c *view.Context, e pointer.Event) {
	p.drag(c) // the release may tell of a move that no drag told of
	g := p.grab
	p.grab = kit.Grab{}
	if g.Kind != kit.NoGrab && !g.Moved {
		p.click(c, e)
	}
}

// click folds or unfolds the node whose name is under the pointer, or zooms into the aggregate
// there. A second click shows the calls of the aggregate that the first one was on, whatever the
// first one has brought under the pointer.
func (p *Pane) click(c *view.Context, e pointer.Event) {
	first := p.first
	p.first = spot{}
	// Where in the window: the first click may have brought the trail, which moves the grids down.
	e.Position = e.Position.Add(f32.Pt(float32(p.area.Min.X), float32(p.area.Min.Y)))
	if p.clicked.Add(e) >= 2 && first.of != nil {
		showCalls(c, first)
		return
	}
	o := overviewIn(c.S.State())
	if o == nil {
		return
	}
	if k, label, ok := p.view.PickLabel(p.at); ok {
		t := p.built.state.Plots[k].Picture.Source.Tree()
		fold(c.S, scene.Key(&t.Nodes[label.Node]))
		return
	}
	if at, ok := p.pointed(o); ok {
		p.first = at
		zoomInto(c.S, at)
	}
}

// wheel zooms time at the pointer; with Shift it pans.
func (p *Pane) wheel(c *view.Context, e pointer.Event) {
	k := p.plot()
	if k < 0 {
		return
	}
	g := &p.view.Plots[k]
	side := c.Aim()
	if g.Of != scene.Difference {
		side = pair.Side(g.Of)
	}
	if e.Modifiers.Contain(key.ModShift) || e.Scroll.X != 0 && e.Scroll.Y == 0 {
		panBoth(c.S, side, float64((e.Scroll.X+e.Scroll.Y)*3/g.Plot.W()))
		return
	}
	notches := e.Scroll.Y / c.Kit.Px(kit.Notch)
	zoomBoth(c.S, side, p.share(k), math.Pow(1/kit.WheelZoom, float64(notches)))
}

// share returns where along a plot the pointer is, from 0 to 1; the middle if it is beside it.
func (p *Pane) share(k int) float64 {
	r := p.view.Plots[k].Plot
	if !p.inside || p.at.X < r.X0 || p.at.X > r.X1 {
		return .5
	}
	return float64((p.at.X - r.X0) / r.W())
}
