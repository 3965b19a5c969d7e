// Package aligned is the view of the alignment (Weber et al.): both sides on virtual time, what
// became of every call between them, and below them how dissimilar the runs are along the way and
// their skew.
package aligned

import (
	"image"

	"gioui.org/io/event"
	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	"gioui.org/layout"
	"gioui.org/op/clip"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/scene/aligned"
	"diptych/internal/session"
	"diptych/internal/ui/controls"
	"diptych/internal/ui/flags"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// Pane shows the alignment of its pair of threads on virtual time.
type Pane struct {
	bar   alignBar
	view  *aligned.View
	arena aligned.Arena
	texts kit.Texts
	whole image.Rectangle // of the pane, in the window
	tools image.Rectangle // of the toolbar
	under image.Rectangle // of the bar below it
	area  image.Rectangle // of the view

	rows    pairRows
	toolbar controls.Toolbar
	pending *int // a step from difference to difference that waits for the alignment
	seeking bool // the selected call's level, once the alignment is there

	at      geom.Point
	inside  bool
	grab    kit.Grab
	clicked kit.ClickCount
	cursor  float64 // virtual time that is marked under the pointer
	pointed int     // the pin under the pointer, as an index into pinsOf, or −1
	flags   []flags.Flag
}

// New returns a pane with nothing in it yet.
func New() view.View { return &Pane{bar: newAlignBar(), pointed: -1, rows: pairRows{scroll: -1}} }

// Shown returns what was built last; nil before that.
func (p *Pane) Shown() *aligned.View { return p.view }

// Area returns the rectangle of the window that the alignment has below the bars.
func (p *Pane) Area() image.Rectangle { return p.area }

// Flags returns the flags of the notes that are drawn.
func (p *Pane) Flags() []flags.Flag { return p.flags }

// Pointed returns the pin under the pointer as an index into pins.Of, or −1.
func (p *Pane) Pointed() int { return p.pointed }

// Filter returns which calls stand out.
func (p *Pane) Filter(st *session.State) aligned.Filter { return p.bar.filter(st) }

// Listing reports whether the list of anchors is open.
func (p *Pane) Listing() bool { return p.bar.anchors.drop.Open() }

// Dismiss implements view.Dismisser: it closes the list of anchors, or what drops from the bars.
func (p *Pane) Dismiss() bool {
	open := p.bar.anchors.drop.Open()
	p.bar.anchors.drop.Close()
	return open || p.bar.flow.Close() || p.toolbar.Close()
}

// Update implements view.View.
func (p *Pane) Update(c *view.Context, gtx layout.Context) {
	for e := range kit.Pointed(gtx, p) {
		if p.view != nil {
			p.pointer(c, gtx, e)
			c.Dirty() // the cursor follows the pointer
		}
	}
}

// Build implements view.View: the bars lie above the alignment.
func (p *Pane) Build(c *view.Context, _ layout.Context, area image.Rectangle) {
	st := c.S.State()
	if p.pending != nil && st.Shown() != nil {
		by := *p.pending
		p.pending = nil
		p.step(c, by)
		st = c.S.State()
	}
	p.divide(c, area)
	if p.area.Empty() {
		p.view = nil
		return
	}
	as := StateOf(st, c.Kit.Pal, c.Kit.Px(1))
	as.Scroll = st.Scroll[pair.A]
	as.Filter = p.bar.filter(st)
	as.Pairs, as.PairScroll = p.rows.update(st), p.rows.scroll
	if p.pointed >= 0 && p.pointed < len(as.Pins) {
		as.Pins[p.pointed].Loud = true
	}
	if p.inside && p.view != nil {
		p.cursor = p.view.Axis.T(p.at.X) // Aim looks whether the new axis still has it there
		as.Cursor = &p.cursor
	}
	p.view = build(as, st, p.area.Size(), true, &p.arena)
	if p.seeking && st.Shown() != nil {
		p.Raise(c, st.Selected)
	}
	p.flags = flagsIn(st, p.view, c.Kit.Px(1))
}

// divide gives the bars and the alignment their rectangles.
func (p *Pane) divide(c *view.Context, area image.Rectangle) {
	p.whole = area
	p.tools, p.under = area, area
	p.tools.Max.Y = area.Min.Y + c.Kit.Dp(controls.ToolbarHeight)
	small := view.Small(c, area)
	if p.bar.flow.Menu = small || float32(area.Dx()) < c.Kit.Px(roomForBar); small {
		p.tools.Max.Y = area.Min.Y // one bar for both
	}
	p.under.Min.Y = p.tools.Max.Y
	p.under.Max.Y = p.under.Min.Y + c.Kit.Dp(float32(kit.FlowRow))
	p.area = image.Rect(area.Min.X, p.under.Max.Y+c.Kit.Dp(4), area.Max.X, area.Max.Y-c.Kit.Dp(8))
}

// Layout implements view.View.
func (p *Pane) Layout(c *view.Context, gtx layout.Context) {
	st := c.S.State()
	c.Card(p.whole)
	if !p.tools.Empty() {
		kit.At(gtx, p.tools, func(gtx layout.Context) { p.toolbar.Layout(c, gtx, st) })
	}
	if p.view != nil {
		kit.At(gtx, p.area, func(gtx layout.Context) { p.over(c, gtx, st) })
	}
	kit.At(gtx, p.under, func(gtx layout.Context) { p.bar.layout(c, gtx, st, &p.toolbar, p.tools.Empty()) })
}

// over draws what lies over the scene, and hears the pointer there.
func (p *Pane) over(c *view.Context, gtx layout.Context, st *session.State) {
	area := clip.Rect{Max: p.area.Size()}.Push(gtx.Ops)
	event.Op(gtx.Ops, p)
	semantic.LabelOp("Alignment of the traces").Add(gtx.Ops)
	if p.grab.Moved {
		pointer.CursorGrabbing.Add(gtx.Ops)
	}
	area.Pop()
	p.texts.Draw(c.Kit, gtx, p.view.Scene)
	if st.Shown() == nil {
		kit.Centred(gtx, func(gtx layout.Context) layout.Dimensions {
			return c.Kit.Label(gtx, p.why(c, st), c.Kit.Faint())
		})
		return
	}
	if p.view.Status == nil && view.Cramped(c, p.area) {
		kit.Centred(gtx, func(gtx layout.Context) layout.Dimensions {
			return c.Kit.Label(gtx, kit.NoRoom, c.Kit.Faint())
		})
	}
	p.rows.layout(c, gtx, p.view)
	p.tooltip(c, gtx, st)
}

// Scenes implements view.View.
func (p *Pane) Scenes() []view.Part {
	if p.view == nil {
		return nil
	}
	return []view.Part{{Scene: p.view.Scene, Area: p.area}}
}

// why says why there is nothing to see.
func (p *Pane) why(c *view.Context, st *session.State) string {
	switch {
	case st.Aligned != nil && st.Pair != nil && st.Current < len(st.Pair.Threads):
		if t := st.Pair.Threads[st.Current]; t.A < 0 || t.B < 0 {
			return "This thread has no partner: choose a pair of threads."
		}
	case st.Apart != nil:
		return words.Apart(st)
	case st.Aligned == nil && len(c.S.Jobs()) == 0:
		return "The traces are not aligned."
	}
	return "Aligning…"
}
