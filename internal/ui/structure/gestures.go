package structure

import (
	"math"

	"gioui.org/io/key"
	"gioui.org/io/pointer"
	"gioui.org/layout"

	"diptych/internal/geom"
	"diptych/internal/pair"
	scene "diptych/internal/scene/structure"
	"diptych/internal/session"
	"diptych/internal/structure"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
)

// pointer takes one event of the pointer over the view.
func (p *Pane) pointer(c *view.Context, gtx layout.Context, e pointer.Event) {
	p.at = geom.Point{X: e.Position.X, Y: e.Position.Y}
	c.Dirty() // what is in focus follows the pointer
	switch e.Kind {
	case pointer.Leave, pointer.Cancel:
		p.inside, p.grab = false, kit.Grab{}
		c.S.SetHover(session.Target{})
		c.S.Brush(nil)
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

// drag moves time and stack levels of a side with the pointer, or selects a range of time.
func (p *Pane) drag(c *view.Context) {
	g := &p.grab
	dx, dy := p.at.X-g.Press.X, p.at.Y-g.Press.Y
	least := c.Kit.Px(kit.DragThreshold)
	h := &p.view.Sides[g.Side]
	if g.Kind == kit.NoGrab || h.Icicle.W() <= 0 ||
		!g.Moved && kit.Abs(dx) < least && kit.Abs(dy) < least {
		return
	}
	g.Moved = true
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
	p.drag(c) // the last way may come with the release alone
	g := p.grab
	p.grab = kit.Grab{}
	if g.Kind != kit.NoGrab && !g.Moved {
		p.click(c, e)
	}
}

// click selects the call or the code under the pointer for all views. A second click fits the call,
// or lets the code fill the pane.
func (p *Pane) click(c *view.Context, e pointer.Event) {
	again := p.clicked.Add(e) >= 2
	hit, ok := p.view.Pick(p.at)
	if t := target(hit); ok && t.OK {
		c.S.Select(t)
		c.TurnToDetails()
		if again {
			c.S.Fit(t)
			p.Raise(c, t)
		}
		return
	}
	t := treeIn(c.S.State())
	switch {
	case !ok || hit.Node <= 0 || t == nil:
		deselect(c.S)
	case again:
		zoomTo(c.S, t, p.inner(t, rootOf(t, ownOf(c.S.State())), hit.Node))
	default:
		choose(c.S, t, p.meant(hit.Node))
	}
}

// meant returns the node that a click on a cell is meant for: with the treemap as input target, the
// one whose subtree is in focus.
func (p *Pane) meant(node int) int {
	if f := &p.view.Focus; f.Mode == scene.Subtree {
		return f.Subtree
	}
	return node
}

// inner returns the node that a double click on a cell zooms into: the one whose subtree is in
// focus, if the wheel has chosen it, else the cell's ancestor on the next level below the root of
// the pane.
func (p *Pane) inner(t *structure.Tree, root, node int) int {
	if f := &p.view.Focus; f.Mode == scene.Subtree && f.Height > 0 && f.Subtree != root {
		return f.Subtree
	}
	root = t.ChainEnd(root)
	for int(t.Nodes[node].Parent) != root && t.Nodes[node].Parent > 0 {
		node = int(t.Nodes[node].Parent)
	}
	return node
}

// choose selects the code of a node for all views: its calls stand out, and its functions are
// listed.
func choose(s *session.Session, t *structure.Tree, node int) {
	if node <= 0 {
		deselect(s)
		return
	}
	s.Select(session.Target{})
	s.FindIn(placeOf(t, node))
}

// deselect selects nothing.
func deselect(s *session.Session) {
	s.Select(session.Target{})
	if s.State().Search.Place != nil {
		s.Find("")
	}
}

// wheel zooms time at the pointer or, with the treemap as input target, sets how many levels above
// the node under the pointer the focus begins; with Ctrl it makes rows taller or lower, with Shift
// it pans.
func (p *Pane) wheel(c *view.Context, e pointer.Event) {
	side := p.view.Sides.At(p.at)
	if side < 0 {
		return
	}
	h := &p.view.Sides[side]
	notches := e.Scroll.Y / c.Kit.Px(kit.Notch)
	switch {
	case e.Modifiers.Contain(key.ModShift) || e.Scroll.X != 0 && e.Scroll.Y == 0:
		dx := e.Scroll.X + e.Scroll.Y
		c.S.Pan(pair.Side(side), float64(dx)*3*h.Axis.NsPerPx())
	case e.Modifiers.Contain(key.ModCtrl):
		c.S.ScaleRows(float32(math.Pow(kit.WheelZoom, float64(notches))))
	case ownOf(c.S.State()).Input == scene.Treemap:
		p.climb(c.S, -notches)
	default:
		c.S.Zoom(pair.Side(side), h.Axis.T(p.at.X), math.Pow(1/kit.WheelZoom, float64(notches)))
	}
}

// climb moves the root of the focus so many levels up, in steps of whole levels, and not beyond the
// levels there are above the node under the pointer.
func (p *Pane) climb(s *session.Session, notches float32) {
	p.turned += notches
	steps := int(p.turned) // towards zero
	p.turned -= float32(steps)
	if steps == 0 {
		return
	}
	change(s, func(o *Own) {
		if f := &p.view.Focus; f.Mode == scene.Subtree {
			o.Height = min(o.Height, f.Height)
		}
		o.Height = min(max(o.Height+steps, 0), mostHeight)
	})
}

// mostHeight is more levels than any tree has.
const mostHeight = 64

// scroll moves the stacks of side by rows towards deeper levels.
func (p *Pane) scroll(c *view.Context, side pair.Side, rows float32) {
	if p.view == nil {
		return
	}
	h := &p.view.Sides[side]
	c.S.Scroll(side, min(c.S.State().Scroll[side]+rows*h.Row, h.MaxScroll))
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
