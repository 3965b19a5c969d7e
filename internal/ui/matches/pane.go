// Package matches is the view of TraceDiff: the stacks of both sides, mirrored, and between them
// tubes and lines that link matching calls.
package matches

import (
	"image"

	"gioui.org/layout"

	"diptych/internal/pair"
	"diptych/internal/scene/matches"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/ui/controls"
	"diptych/internal/ui/flags"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/pins"
	"diptych/internal/ui/stacks"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// Pane shows the mirrored icicles, the matches between them, and takes the gestures of all views.
type Pane struct {
	stacks.Hand

	tools   controls.Toolbar
	style   styleBar
	view    *matches.View
	arena   matches.Arena
	texts   kit.Texts
	whole   image.Rectangle    // of the pane, in the window
	bars    [2]image.Rectangle // above the view
	area    image.Rectangle    // of the view
	split   float32            // A's share of the height; 0 for one half
	divider kit.Splitter

	clicked kit.ClickCount
	tip     tip
	shape   shapeShift
	pointed *drawnMatch // under the pointer
	pins    []pins.Head
	flags   []flags.Flag
}

// drawnMatch is a match that is drawn: two calls of a pair of traces.
type drawnMatch struct {
	in   *pair.Pair
	ends [2]trace.CallRef
}

// New returns a pane with nothing in it yet.
func New() view.View { return &Pane{style: newStyleBar()} }

// Shown returns what was built last; nil before that.
func (p *Pane) Shown() *matches.View { return p.view }

// Area returns the rectangle of the window that the stacks and matches have.
func (p *Pane) Area() image.Rectangle { return p.area }

// Pins returns the heads of the pins that are drawn.
func (p *Pane) Pins() []pins.Head { return p.pins }

// Flags returns the flags of the notes that are drawn.
func (p *Pane) Flags() []flags.Flag { return p.flags }

// Update implements view.View.
func (p *Pane) Update(c *view.Context, gtx layout.Context) {
	for e := range kit.Pointed(gtx, p) {
		if p.view != nil {
			p.pointer(c, gtx, e)
		}
	}
}

// Build implements view.View: the bars lie above the stacks and matches.
func (p *Pane) Build(c *view.Context, gtx layout.Context, area image.Rectangle) {
	st := c.S.State()
	p.whole, p.bars = area, p.divide(c, st, area)
	bottom := area.Max.Y - c.Kit.Dp(8)
	p.area = image.Rect(area.Min.X, p.bars[1].Max.Y, area.Max.X, bottom)
	if st.Facing() {
		p.area.Min.Y += c.Kit.Dp(4)
	}
	if p.area.Empty() {
		p.view, p.Sides = nil, nil
		return
	}
	ms := StateOf(st, c.Kit.Pal, c.Kit.Px(1))
	ms.Split = p.split
	if p.pointed != nil && p.pointed.in != st.Pair {
		p.pointed = nil // other traces are shown, or the same on other sides
	}
	if p.pointed != nil {
		ms.Links.Pointed = &p.pointed.ends
		for k := range ms.Sides {
			ms.Sides[k].Hover = p.pointed.ends[k : k+1]
		}
	}
	if c.Moving(gtx) {
		ms.Links.Budget = movingBudget
	}
	var moving bool
	ms.Links.Morph, ms.Links.Spine, moving = p.shape.at(gtx.Now, st.Style.Shape, st.Still)
	if moving {
		c.Rebuild(gtx)
	}
	p.view = build(ms, st, p.area.Size(), &p.arena, c.BarLegend())
	p.pins = pins.Heads(st, drawings(p.view))
	p.flags = flagsIn(st, p.view, c.Kit.Px(1))
	p.Sides = &p.view.Sides
}

// divide returns the rectangles of the two bars: which threads are shown, and how matches are
// drawn.
func (p *Pane) divide(c *view.Context, st *session.State, area image.Rectangle) (bars [2]image.Rectangle) {
	bars[0] = area
	bars[0].Max.Y = area.Min.Y + c.Kit.Dp(controls.ToolbarHeight)
	bars[1] = area
	bars[1].Min.Y, bars[1].Max.Y = bars[0].Max.Y, bars[0].Max.Y
	p.style.flow.Menu = view.Small(c, area)
	if p.style.flow.Menu { // one bar for both
		bars[0].Max.Y = area.Min.Y
		bars[1].Min.Y = area.Min.Y
		bars[1].Max.Y = bars[1].Min.Y
	}
	if st.Facing() || p.style.flow.Menu {
		bars[1].Max.Y = bars[1].Min.Y + p.style.flow.Height(c.Kit)
	}
	return bars
}

// Aim implements view.View: it notes which call or which match the pointer is over.
func (p *Pane) Aim(c *view.Context) {
	was := p.pointed
	p.pointed = nil
	if p.Inside && p.view != nil {
		p.pick(c)
	}
	if !same(was, p.pointed) {
		c.Dirty()
	}
}

func (p *Pane) pick(c *view.Context) {
	var t session.Target
	if hit, ok := p.view.Pick(p.At); ok && hit.Call >= 0 && !p.Grab.Moved {
		t = session.Target{Side: pair.Side(hit.Side), Ref: hit.Ref(), OK: true}
	}
	c.S.SetHover(t)
	if l, ok := p.view.PickLink(p.At); ok && !p.Grab.Moved {
		p.pointed = &drawnMatch{c.S.State().Pair, [2]trace.CallRef{l.Ends[0].Ref, l.Ends[1].Ref}}
	}
}

func same(a, b *drawnMatch) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// Layout implements view.View.
func (p *Pane) Layout(c *view.Context, gtx layout.Context) {
	st := c.S.State()
	c.Card(p.whole)
	if !p.style.flow.Menu {
		kit.At(gtx, p.bars[0], func(gtx layout.Context) { p.tools.Layout(c, gtx, st) })
	}
	if p.view != nil {
		kit.At(gtx, p.area, func(gtx layout.Context) { p.over(c, gtx, st) })
	}
	if !p.bars[1].Empty() {
		kit.At(gtx, p.bars[1], func(gtx layout.Context) { p.style.layout(c, gtx, st, p) })
	}
}

// over draws what lies over the scene, and hears the pointer there.
func (p *Pane) over(c *view.Context, gtx layout.Context, st *session.State) {
	p.Listen(gtx, p, "Traces", p.area.Size())
	p.divideSides(c, gtx)
	p.texts.Draw(c.Kit, gtx, p.view.Scene)
	p.RangeMark(c, gtx, st, p.area.Dx())
	why := ""
	switch sides := &p.view.Sides; {
	case st.Apart != nil:
		why = words.Apart(st)
	case sides[pair.A].Icicle.Empty() && sides[pair.B].Icicle.Empty() && view.Cramped(c, p.area):
		why = kit.NoRoom
	}
	if why != "" {
		kit.Centred(gtx, func(gtx layout.Context) layout.Dimensions {
			return c.Kit.Label(gtx, why, c.Kit.Text())
		})
	}
	p.tooltip(c, gtx, st)
}

// Dismiss implements view.Dismisser.
func (p *Pane) Dismiss() bool { return p.style.flow.Close() || p.tools.Close() }

// Scenes implements view.View.
func (p *Pane) Scenes() []view.Part {
	if p.view == nil {
		return nil
	}
	return []view.Part{{Scene: p.view.Scene, Area: p.area}}
}
