// Package structure is the view of where in the code the calls happen (ViewFusion): the code as a
// treemap, and the stacks of both sides over it. With it comes the tree of the code as a table in
// the dock.
package structure

import (
	"image"
	"reflect"

	"gioui.org/layout"

	"diptych/internal/pair"
	"diptych/internal/palette"
	scene "diptych/internal/scene/structure"
	"diptych/internal/session"
	"diptych/internal/ui/controls"
	"diptych/internal/ui/flags"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/stacks"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// Pane shows the treemap with the stacks over it.
type Pane struct {
	stacks.Hand

	tools controls.Toolbar
	style styleBar
	trail trail
	view  *scene.View
	arena scene.Arena
	flags []flags.Flag
	texts kit.Texts
	whole image.Rectangle // of the pane, in the window
	bars  bars
	area  image.Rectangle // of the view
	built builtOf

	turned  float32 // what the wheel was turned, in notches, and has not led to a step yet
	clicked kit.ClickCount
}

// bars are the rectangles above the view.
type bars struct{ tools, style, trail image.Rectangle }

// builtOf is what the scene was built of.
type builtOf struct {
	state *scene.State
	size  image.Point
	notes *session.Notes
}

// New returns a pane with nothing in it yet.
func New() view.View { return &Pane{style: newStyleBar()} }

// Shown returns what was built last; nil before that.
func (p *Pane) Shown() *scene.View { return p.view }

// Flags returns the flags of notes.
func (p *Pane) Flags() []flags.Flag { return p.flags }

// Area returns the rectangle of the window that the treemap and the stacks have.
func (p *Pane) Area() image.Rectangle { return p.area }

// Update implements view.View.
func (p *Pane) Update(c *view.Context, gtx layout.Context) {
	for e := range kit.Pointed(gtx, p) {
		if p.view != nil {
			p.pointer(c, gtx, e)
		}
	}
}

// Build implements view.View: the bars lie above the scene.
func (p *Pane) Build(c *view.Context, _ layout.Context, area image.Rectangle) {
	st := c.S.State()
	p.whole, p.bars = area, p.divide(c, st, area)
	p.area = area // which may be empty below the bars
	p.area.Min.Y, p.area.Max.Y = p.bars.trail.Max.Y, area.Max.Y-c.Kit.Dp(8)
	if p.area.Empty() {
		p.view, p.Sides = nil, nil
		return
	}
	ss := StateOf(st, c.Kit.Pal, c.Kit.Px(1))
	if p.Inside {
		at := p.At
		ss.Pointer, ss.Hover = &at, 0
		for k := range ss.Sides {
			ss.Sides[k].Hover = nil
		}
	}
	// The pointer's events change the session, too, after which all views are built once more.
	of := builtOf{ss, p.area.Size(), st.Notes}
	if p.view == nil || !reflect.DeepEqual(p.built, of) {
		p.view, p.built = build(ss, st, of.size, &p.arena), of
		p.flags = flagsIn(st, p.view, ss.Scale)
	}
	p.Sides = &p.view.Sides
}

// divide returns the rectangles of the bars: which threads are shown, how, and where in the code.
func (p *Pane) divide(c *view.Context, st *session.State, area image.Rectangle) (b bars) {
	b.tools, b.style, b.trail = area, area, area
	b.tools.Max.Y = area.Min.Y + c.Kit.Dp(controls.ToolbarHeight)
	if p.style.flow.Menu = view.Small(c, area); p.style.flow.Menu { // one bar for both
		b.tools.Max.Y = area.Min.Y
	}
	b.style.Min.Y = b.tools.Max.Y
	b.style.Max.Y = b.style.Min.Y + p.style.flow.Height(c.Kit)
	b.trail.Min.Y, b.trail.Max.Y = b.style.Max.Y, b.style.Max.Y
	if p.trail.needed(st) {
		b.trail.Max.Y += c.Kit.Dp(trailHeight)
	}
	return b
}

// Aim implements view.View: it notes which call or which code the pointer is over.
func (p *Pane) Aim(c *view.Context) {
	if !p.Inside || p.view == nil {
		return
	}
	call, node := p.pointed(c.S.State())
	c.S.SetHover(call)
	brush(c.S, node)
}

// pointed returns what is in focus: a call, or with the treemap as input target a node.
func (p *Pane) pointed(st *session.State) (call session.Target, node int) {
	f := &p.view.Focus
	switch {
	case p.Grab.Moved:
	case f.Mode == scene.Subtree:
		return call, f.Subtree
	case len(f.Items) > 0 && f.Items[0].Side >= 0:
		return target(f.Items[0]), 0
	}
	return call, 0
}

func target(h scene.Hit) session.Target {
	if h.Side < 0 || h.Pick.Call < 0 {
		return session.Target{}
	}
	return session.Target{Side: pair.Side(h.Side), Ref: h.Pick.Ref(), OK: true}
}

// brush makes the calls of a node stand out in all views; 0 ends that.
func brush(s *session.Session, node int) {
	st := s.State()
	t := treeIn(st)
	switch {
	case t == nil || node <= 0:
		s.Brush(nil)
	case st.Brushed.Place == nil || nodeAt(t, st.Brushed.Place) != node:
		s.Brush(placeOf(t, node))
	}
}

// Layout implements view.View.
func (p *Pane) Layout(c *view.Context, gtx layout.Context) {
	st := c.S.State()
	c.Card(p.whole)
	if !p.style.flow.Menu {
		kit.At(gtx, p.bars.tools, func(gtx layout.Context) { p.tools.Layout(c, gtx, st) })
	}
	if !p.bars.trail.Empty() {
		kit.At(gtx, p.bars.trail, func(gtx layout.Context) { p.trail.layout(c, gtx, st) })
	}
	if p.view != nil {
		kit.At(gtx, p.area, func(gtx layout.Context) { p.over(c, gtx, st) })
	}
	kit.At(gtx, p.bars.style, func(gtx layout.Context) { p.style.layout(c, gtx, st, p) })
}

// over draws what lies over the scene, and hears the pointer there.
func (p *Pane) over(c *view.Context, gtx layout.Context, st *session.State) {
	p.Listen(gtx, p, "Structure", p.area.Size())
	p.texts.Draw(c.Kit, gtx, p.view.Scene)
	p.RangeMark(c, gtx, st, p.area.Dx())
	why := empty(st)
	if why == "" && p.view.Treemap.Empty() {
		why = kit.NoRoom
	}
	if why != "" {
		kit.Centred(gtx, func(gtx layout.Context) layout.Dimensions {
			return c.Kit.Label(gtx, why, c.Kit.Text())
		})
	}
	p.tooltip(c, gtx, st)
}

// empty says why nothing is shown, or "".
func empty(st *session.State) string {
	t := treeIn(st)
	switch {
	case st.Apart != nil:
		return words.Apart(st)
	case t == nil:
		return "The calls are being sorted by where in the code they are."
	case len(t.Nodes) < 2:
		return "There are no calls."
	}
	return ""
}

// Scenes implements view.View.
func (p *Pane) Scenes() []view.Part {
	if p.view == nil {
		return nil
	}
	return []view.Part{{Scene: p.view.Scene, Area: p.area}}
}

// Dismiss implements view.Dismisser.
func (p *Pane) Dismiss() bool { return p.style.flow.Close() || p.tools.Close() }

// Picture builds the view to stand alone.
func Picture(st *session.State, pal *palette.Palette, size image.Point, scale float32) []view.Part {
	v := build(StateOf(st, pal, scale), st, size, nil)
	return []view.Part{{Scene: v.Scene, Area: image.Rectangle{Max: size}}}
}
