package aligned

import (
	"math"

	"gioui.org/io/key"
	"gioui.org/io/pointer"
	"gioui.org/layout"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/scene/aligned"
	"diptych/internal/session"
	"diptych/internal/ui/flags"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/pins"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

func (p *Pane) pointer(c *view.Context, gtx layout.Context, e pointer.Event) {
	p.at = geom.Point{X: e.Position.X, Y: e.Position.Y}
	p.inside = e.Kind != pointer.Leave && e.Kind != pointer.Cancel
	switch e.Kind {
	case pointer.Leave, pointer.Cancel:
		p.grab = kit.Grab{}
		c.S.SetHover(session.Target{})
	case pointer.Press:
		gtx.Execute(key.FocusCmd{})
		p.bar.anchors.drop.Close()
		if !e.Buttons.Contain(pointer.ButtonPrimary) {
			return
		}
		st := c.S.State()
		p.grab = kit.Grab{Kind: kit.Panning, Press: p.at, Focus: st.Virtual, Scroll: st.Scroll[pair.A]}
	case pointer.Drag:
		p.drag(c)
	case pointer.Release:
		p.drag(c)
		if g := p.grab; g.Kind != kit.NoGrab && !g.Moved {
			p.click(c, gtx, e)
		}
		p.grab = kit.Grab{}
	case pointer.Scroll:
		p.wheel(c, e)
	}
}

// drag pans along virtual time and through the stack levels.
func (p *Pane) drag(c *view.Context) {
	g := &p.grab
	dx, dy := p.at.X-g.Press.X, p.at.Y-g.Press.Y
	if g.Kind == kit.NoGrab || !g.Moved && kit.Abs(dx) < c.Kit.Px(kit.DragThreshold) && kit.Abs(dy) < c.Kit.Px(kit.DragThreshold) {
		return
	}
	g.Moved = true
	width := p.view.Axis.X1 - p.view.Axis.X0
	c.S.SetVirtual(g.Focus.Shift(-float64(dx) * g.Focus.Len() / float64(max(width, 1))))
	c.S.Scroll(pair.A, min(max(g.Scroll-dy, 0), p.view.MaxScroll))
}

// wheel zooms at the pointer; with Ctrl it makes rows taller or lower, with Shift it pans.
func (p *Pane) wheel(c *view.Context, e pointer.Event) {
	st := c.S.State()
	notches := float64(e.Scroll.Y / c.Kit.Px(kit.Notch))
	hit, _ := p.view.Pick(p.at)
	switch {
	case hit.Part == aligned.Pairs && e.Modifiers == 0 && p.view.MaxPairScroll > 0:
		p.rows.scrollBy(p.view, e.Scroll.Y*3)
	case e.Modifiers.Contain(key.ModShift) || e.Scroll.X != 0 && e.Scroll.Y == 0:
		c.S.SetVirtual(st.Virtual.Shift(float64(e.Scroll.X+e.Scroll.Y) * 3 * p.view.Axis.NsPerPx()))
	case e.Modifiers.Contain(key.ModCtrl):
		c.S.ScaleRows(float32(math.Pow(kit.WheelZoom, notches)))
	default:
		c.S.ZoomVirtual(p.view.Axis.T(p.at.X), math.Pow(1/kit.WheelZoom, notches))
	}
}

// Aim implements view.View: it notes which call the pointer is over.
func (p *Pane) Aim(c *view.Context) {
	was := p.pointed
	p.pointed = -1
	if p.inside && p.view != nil && !p.grab.Moved {
		p.pick(c)
	}
	moved := p.inside && p.view != nil && p.view.Axis.T(p.at.X) != p.cursor
	if p.pointed != was || moved {
		c.Dirty()
	}
}

func (p *Pane) pick(c *view.Context) {
	st := c.S.State()
	if k, side, ok := p.view.PickPin(p.at); ok && k < len(pins.Of(st)) {
		p.pointed = k
		pin := pins.Of(st)[k]
		c.S.SetHover(pin.Ends()[side])
		return
	}
	c.S.SetHover(p.target(st))
}

// target returns the call under the pointer: of the status, that of A if there is one.
func (p *Pane) target(st *session.State) session.Target {
	hit, ok := p.view.Pick(p.at)
	v := st.Shown()
	if !ok || !hit.OnCall || v == nil {
		return session.Target{}
	}
	sides := []pair.Side{pair.A, pair.B}
	if hit.Part == aligned.SideB {
		sides = []pair.Side{pair.B, pair.A}
	}
	for _, side := range sides {
		if ref, ok := v.Prepared.Ref(hit.Node, side); ok {
			return session.Target{Side: side, Ref: ref, OK: true}
		}
	}
	return session.Target{}
}

// click selects what is under the pointer, or shows the threads whose line it is; a second click
// fits it.
func (p *Pane) click(c *view.Context, gtx layout.Context, e pointer.Event) {
	st := c.S.State()
	if f, ok := flags.At(p.flags, p.at); ok {
		f.Choose(c, p.clicked.Add(e) >= 2)
		return
	}
	if k, side, ok := p.view.PickPin(p.at); ok && k < len(pins.Of(st)) {
		pins.Of(st)[k].Choose(c, side)
		return
	}
	if hit, ok := p.view.Pick(p.at); ok && hit.Part == aligned.Pairs {
		if p.rows.folded {
			c.Perform(gtx, FoldPairs)
		} else if hit.Row < len(p.rows.shown) {
			c.S.ShowPair(p.rows.shown[hit.Row].Pair)
		}
		return
	}
	t := p.target(st)
	c.S.Select(t)
	c.TurnToDetails()
	if p.clicked.Add(e) >= 2 && t.OK {
		hit, _ := p.view.Pick(p.at)
		p.show(c, hit.Node, .1)
		p.Raise(c, t)
	}
}

// show makes a node visible with a margin on either side, as a share of its length.
func (p *Pane) show(c *view.Context, n aligned.Node, margin float64) {
	length := max(float64(n.End-n.Start), 1)
	c.S.SetVirtual(geom.Span{Start: float64(n.Start) - margin*length, End: float64(n.End) + margin*length})
}

// step goes to the difference after (or before) the middle of what is shown, or to the first of
// all.
func (p *Pane) step(c *view.Context, by int) {
	st := c.S.State()
	v := st.Shown()
	if v == nil {
		p.pending = &by
		return
	}
	at := int64(st.Virtual.Mid())
	if n, ok := p.Selected(st); ok {
		at = n.Start
	}
	filter := p.bar.filter(st)
	var n aligned.Node
	var ok bool
	switch {
	case by > 0:
		n, ok = v.Prepared.Next(at, filter)
	case by < 0:
		n, ok = v.Prepared.Previous(at, filter)
	default:
		n, ok = v.Prepared.First()
	}
	if !ok {
		return
	}
	for _, side := range []pair.Side{pair.B, pair.A} {
		if ref, has := v.Prepared.Ref(n, side); has {
			c.S.Select(session.Target{Side: side, Ref: ref, OK: true})
		}
	}
	if s := st.Virtual; float64(n.Start) < s.Start || float64(n.End) > s.End ||
		float64(n.End-n.Start) < s.Len()/200 {
		p.show(c, n, 4)
	}
	p.Raise(c, c.S.State().Selected)
}

// Raise implements view.Raiser. The stacks of both sides scroll together, so only the selected call
// counts.
func (p *Pane) Raise(c *view.Context, t session.Target) {
	st := c.S.State()
	v := st.Shown()
	if !t.OK || t != st.Selected {
		return
	}
	if p.seeking = v == nil || p.view == nil; p.seeking || int(t.Ref.Thread) != v.Indices[t.Side] {
		return // Build goes on once the alignment is there
	}
	half := &p.view.Sides[t.Side]
	if half.Drawing == nil || p.view.MaxScroll <= 0 {
		return
	}
	from, to, ok := half.Drawing.RowOf(t.Ref)
	if first := st.Scroll[pair.A]; ok && (from < first || to > first+half.Bounds.H()) {
		c.S.Scroll(pair.A, min(max(0, from-p.view.Row), p.view.MaxScroll))
	}
}

// Selected returns the node of the selected call.
func (p *Pane) Selected(st *session.State) (aligned.Node, bool) {
	v, t := st.Shown(), st.Selected
	if v == nil || !t.OK || int(t.Ref.Thread) != v.Indices[t.Side] {
		return aligned.Node{}, false
	}
	return v.Prepared.Node(v.Prepared.NodeOf(t.Side, int(t.Ref.Call))), true
}

// tooltip says what is under the pointer on both sides.
func (p *Pane) tooltip(c *view.Context, gtx layout.Context, st *session.State) {
	if !p.inside || p.grab.Moved || c.Quiet() {
		return
	}
	if f, ok := flags.At(p.flags, p.at); ok {
		c.Kit.TipBox(gtx, f.Lines(st), f.Box, p.at)
		return
	}
	if all := pins.Of(st); p.pointed >= 0 && p.pointed < len(all) {
		near := geom.Rect{X0: p.at.X, X1: p.at.X, Y0: p.at.Y - 6, Y1: p.at.Y + 6}
		c.Kit.TipBox(gtx, all[p.pointed].Lines(st), near, p.at)
		return
	}
	hit, ok := p.view.Pick(p.at)
	v := st.Shown()
	if !ok || v == nil {
		return
	}
	if !hit.OnCall {
		if lines, strip := words.StripLines(st, p.view, p.rows.shown, &hit); lines != nil {
			c.Kit.TipBox(gtx, lines, strip, p.at)
		}
		return
	}
	c.Kit.TipBox(gtx, words.AlignLines(st, v, &hit), hit.Pick.Rect, p.at)
}
