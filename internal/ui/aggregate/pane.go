// Package aggregate is the overview by aggregation (Ocelotl): a whole trace, or two and their
// difference, as a grid of few aggregates of resources and time. The slider of p with the quality
// curves chooses how few. With it comes a tab of the dock that tells the states of the aggregate
// under the pointer, and where the sides differ most.
package aggregate

import (
	"image"
	"reflect"

	"gioui.org/io/event"
	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	"gioui.org/layout"
	"gioui.org/op/clip"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	scene "diptych/internal/scene/aggregate"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// Pane shows the grids of aggregates below their controls.
type Pane struct {
	bar    bar
	trail  trail
	view   *scene.View
	arena  scene.Arena
	texts  kit.Texts
	whole  image.Rectangle // of the pane, in the window
	head   image.Rectangle // of the controls
	crumbs image.Rectangle // of the trail
	area   image.Rectangle // of the view
	built  builtOf

	at      geom.Point // pointer, relative to area
	inside  bool
	grab    kit.Grab
	of      int          // the plot that was pressed: A, B or Difference
	pressed [2]geom.Span // what the sides showed then
	clicked kit.ClickCount
	first   spot // what the first of two clicks was on

	under  spot      // the aggregate that is under the pointer, or was last
	over   bool      // the pointer is over it now
	across [3][2]int // by plot: the leaves of its resources
	lines  []string  // that explain it; nil until they are asked for
}

// builtOf is what the scene was built of.
type builtOf struct {
	state *scene.State
	size  image.Point
}

// spot is an aggregate in the words of the overview, which outlast a scene.
type spot struct {
	of    *overview
	plot  int // A, B or Difference
	place scene.Place
	area  scene.Area
}

// New returns a pane with nothing in it yet.
func New() view.View { return &Pane{bar: newBar()} }

// Shown returns what was built last; nil before that.
func (p *Pane) Shown() *scene.View { return p.view }

// Area returns the rectangle of the window that the grids have.
func (p *Pane) Area() image.Rectangle { return p.area }

// Update implements view.View.
func (p *Pane) Update(c *view.Context, gtx layout.Context) {
	for e := range kit.Pointed(gtx, p) {
		if p.view != nil {
			p.pointer(c, gtx, e)
		}
	}
}

// Build implements view.View: the controls lie above the scene.
func (p *Pane) Build(c *view.Context, _ layout.Context, area image.Rectangle) {
	st := c.S.State()
	p.letGo(st.Pair)
	p.whole, p.head, p.crumbs = area, area, area
	p.head.Max.Y = min(area.Min.Y+p.bar.height(c, area), area.Max.Y)
	p.crumbs.Min.Y, p.crumbs.Max.Y = p.head.Max.Y, p.head.Max.Y
	if len(ownOf(st).Zoom) > 0 {
		p.crumbs.Max.Y = min(p.crumbs.Min.Y+c.Kit.Dp(trailHeight), area.Max.Y)
	}
	p.area = area
	p.area.Min.Y, p.area.Max.Y = p.crumbs.Max.Y, area.Max.Y-c.Kit.Dp(8)
	if p.area.Empty() {
		p.view = nil
		return
	}
	ss := StateOf(st, c.Kit.Pal, c.Kit.Px(1))
	if p.inside && p.over && p.under.of == overviewIn(st) {
		p.mark(ss)
	}
	of := builtOf{ss, p.area.Size()}
	if p.view == nil || p.built.size != of.size || !sameState(p.built.state, of.state) {
		p.view, p.built = build(ss, st, of.size, &p.arena), of
	}
}

// letGo drops what was pointed at in traces that are shown no longer, so that they are not held.
func (p *Pane) letGo(shown *pair.Pair) {
	if of := p.under.of; of != nil && of.cut.Pair != shown {
		p.under, p.over, p.lines = spot{}, false, nil
	}
	if of := p.first.of; of != nil && of.cut.Pair != shown {
		p.first = spot{}
	}
}

// sameState compares two states but for the functions in them, which follow from the rest.
func sameState(a, b *scene.State) bool {
	plain := func(s *scene.State) scene.State {
		c := *s
		c.Plots = append([]scene.Plot(nil), s.Plots...)
		for i := range c.Plots {
			c.Plots[i].Ticks = nil
		}
		return c
	}
	return reflect.DeepEqual(plain(a), plain(b))
}

// mark marks what is under the pointer, and the same resources and time in the other plots.
func (p *Pane) mark(ss *scene.State) {
	for i := range ss.Plots {
		if ss.Plots[i].Of == p.under.plot {
			ss.Hover = p.under.place
			ss.Hover.Plot = i
			continue
		}
		ss.Plots[i].Hovered = p.under.place
		ss.Plots[i].Hovered.Leaves = p.across[ss.Plots[i].Of]
	}
}

// span returns the leaves of some resources: the first and the end of them, none if they do not
// stand side by side.
func (p *part) span(of []int) (leaves [2]int) {
	want := map[int]bool{}
	for _, r := range of {
		want[r] = true
	}
	for i, r := range p.of {
		if !want[r] {
			continue
		}
		if leaves[0] == leaves[1] {
			leaves = [2]int{i, i}
		}
		if leaves[1] != i {
			return [2]int{}
		}
		leaves[1] = i + 1
	}
	return leaves
}

// Aim implements view.View: it notes which aggregate the pointer is over.
func (p *Pane) Aim(c *view.Context) {
	o := overviewIn(c.S.State())
	if !p.inside || p.view == nil || o == nil {
		return
	}
	now, ok := p.pointed(o)
	if ok != p.over || ok && now != p.under {
		c.Dirty()
	}
	if p.over = ok; ok && now != p.under {
		p.under, p.lines = now, nil
		for k, part := range o.parts {
			if part != nil {
				p.across[k] = part.span(now.resources())
			}
		}
	}
}

// pointed returns the aggregate under the pointer.
func (p *Pane) pointed(o *overview) (spot, bool) {
	a, ok := p.view.Pick(p.at)
	if !ok || p.grab.Moved {
		return spot{}, false
	}
	of := p.built.state.Plots[a.Plot].Of
	if a.Place.Leaves[1] > len(o.parts[of].of) { // the scene is of another overview
		return spot{}, false
	}
	return spot{of: o, plot: of, place: a.Place, area: a}, true
}

// Layout implements view.View.
func (p *Pane) Layout(c *view.Context, gtx layout.Context) {
	st := c.S.State()
	c.Card(p.whole)
	if !p.crumbs.Empty() {
		kit.At(gtx, p.crumbs, func(gtx layout.Context) { p.trail.layout(c, gtx, st) })
	}
	if p.view != nil {
		kit.At(gtx, p.area, func(gtx layout.Context) { p.overlay(c, gtx, st) })
	}
	kit.At(gtx, p.head, func(gtx layout.Context) { p.bar.layout(c, gtx, st) })
}

// overlay draws what lies over the scene, and hears the pointer there.
func (p *Pane) overlay(c *view.Context, gtx layout.Context, st *session.State) {
	area := clip.Rect{Max: p.area.Size()}.Push(gtx.Ops)
	event.Op(gtx.Ops, p)
	semantic.LabelOp("Overview by aggregation").Add(gtx.Ops)
	switch {
	case p.grab.Kind == kit.Panning && p.grab.Moved:
		pointer.CursorGrabbing.Add(gtx.Ops)
	case p.grab.Kind == kit.Ranging:
		pointer.CursorCrosshair.Add(gtx.Ops)
	case p.inside && p.clickable():
		pointer.CursorPointer.Add(gtx.Ops)
	}
	area.Pop()
	p.texts.Draw(c.Kit, gtx, p.view.Scene)
	p.rangeMark(c, gtx, st)
	if why := empty(st, p.view); why != "" {
		kit.Centred(gtx, func(gtx layout.Context) layout.Dimensions {
			return c.Kit.Label(gtx, why, c.Kit.Text())
		})
	}
	p.tooltip(c, gtx, st)
}

// clickable reports whether a click does something where the pointer is.
func (p *Pane) clickable() bool {
	_, _, label := p.view.PickLabel(p.at)
	_, area := p.view.Pick(p.at)
	return label || area
}

// empty says why nothing is shown, or "".
func empty(st *session.State, v *scene.View) string {
	o := overviewIn(st)
	switch {
	case st.Apart != nil:
		return words.Apart(st)
	case o == nil && ownOf(st).Virtual && st.Both() && aligned(st) == nil:
		return "Virtual time is known once the threads are aligned."
	case o == nil:
		return "The traces are being aggregated."
	case o.leaves() == 0:
		return "Nothing runs in what is shown."
	case len(v.Plots) == 0:
		return kit.NoRoom
	}
	return ""
}

// leaves returns how many resources there are on both sides.
func (o *overview) leaves() (n int) {
	for _, p := range o.parts[:scene.Difference] {
		if p != nil {
			n += len(p.of)
		}
	}
	return n
}

// rangeMark shows the selected stretch of time and how long it is.
func (p *Pane) rangeMark(c *view.Context, gtx layout.Context, st *session.State) {
	sel := st.Range
	if !sel.OK || ownOf(st).Virtual {
		return
	}
	for i := range p.view.Plots {
		g := &p.view.Plots[i]
		x0, x1 := g.Axis.X(sel.Span.Start), g.Axis.X(sel.Span.End)
		if g.Of != int(sel.Side) || x1 < g.Plot.X0 || x0 > g.Plot.X1 {
			continue
		}
		r := image.Rect(int(max(x0, g.Plot.X0)), int(g.Plot.Y0), int(min(x1, g.Plot.X1)),
			int(g.Plot.Y1))
		c.Kit.RangeMark(gtx, r, sel.Side, p.area.Dx(), value(st, sel.Span.Len()))
	}
}

// Scenes implements view.View.
func (p *Pane) Scenes() []view.Part {
	if p.view == nil {
		return nil
	}
	return []view.Part{{Scene: p.view.Scene, Area: p.area}}
}

// Dismiss implements view.Dismisser.
func (p *Pane) Dismiss() bool { return p.bar.close() }

// Picture builds the view to stand alone.
func Picture(st *session.State, pal *palette.Palette, size image.Point, scale float32) []view.Part {
	v := build(StateOf(st, pal, scale), st, size, nil)
	return []view.Part{{Scene: v.Scene, Area: image.Rectangle{Max: size}}}
}
