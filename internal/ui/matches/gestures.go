package matches

import (
	"image"

	"gioui.org/gesture"
	"gioui.org/io/pointer"
	"gioui.org/layout"

	"diptych/internal/pair"
	"diptych/internal/scene/matches"
	"diptych/internal/session"
	"diptych/internal/ui/flags"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/pins"
	"diptych/internal/ui/stacks"
	"diptych/internal/ui/view"
)

// pointer takes one event of the pointer over the view. Trace-centric colours are those of the side
// that it is over.
func (p *Pane) pointer(c *view.Context, gtx layout.Context, e pointer.Event) {
	p.Hear(c, gtx, e, stacks.Own{Click: p.click})
	if side := p.Sides.At(p.At); p.Inside && side >= 0 {
		c.S.SetViewpoint(pair.Side(side))
	}
}

// click selects the call under the pointer and slides the other trace to its match; a second click
// fits it. A match is clicked for both its calls.
func (p *Pane) click(c *view.Context, e pointer.Event) {
	again := p.clicked.Add(e) >= 2
	if f, ok := flags.At(p.flags, p.At); ok {
		f.Choose(c, again)
		return
	}
	if head, ok := pins.At(p.pins, p.At, c.Kit.Px(1)); ok {
		head.Pin.Choose(c, head.Side)
		return
	}
	if h := p.view.Hint; h != nil && h.Rect.Contains(p.At) {
		followHint(c.S, h)
		return
	}
	for _, half := range p.view.Sides {
		if half.Drawing != nil && half.Drawing.TailRect().Contains(p.At) {
			c.S.ToggleQuiet()
			return
		}
	}
	if hit, ok := p.view.Pick(p.At); ok && hit.Call >= 0 {
		t := session.Target{Side: pair.Side(hit.Side), Ref: hit.Ref(), OK: true}
		c.S.Select(t)
		c.TurnToDetails()
		if again {
			c.S.Fit(t)
		} else {
			slideTo(c, t)
		}
		return
	}
	l, ok := p.view.PickLink(p.At)
	if !ok {
		c.S.Select(session.Target{})
		return
	}
	for _, side := range []pair.Side{c.Aim().Other(), c.Aim()} {
		t := session.Target{Side: side, Ref: l.Ends[side].Ref, OK: true}
		c.S.Select(t)
		if again {
			c.S.Fit(t)
		}
	}
}

// divideSides lets the free band between the sides be dragged.
func (p *Pane) divideSides(c *view.Context, gtx layout.Context) {
	upper, lower := p.view.Sides[pair.A], p.view.Sides[pair.B]
	if upper.Drawing == nil || lower.Drawing == nil {
		return
	}
	h := lower.Bounds.Y1
	share := p.split
	if share <= 0 {
		share = .5
	}
	band := image.Rect(0, int(upper.Bounds.Y1), p.area.Dx(), int(lower.Bounds.Y0))
	size := p.divider.Update(c.Kit, gtx, band, gesture.Vertical, share*h/c.Kit.Px(1), +1)
	const least = .15 // of the height, for either side
	if split := kit.Bound(size*c.Kit.Px(1)/h, least, 1-least); split != p.split {
		p.split = split
		c.Rebuild(gtx)
	}
}

// followHint shows the matches that a hint tells of.
func followHint(s *session.Session, h *matches.Hint) {
	for _, side := range []pair.Side{pair.A, pair.B} {
		switch h.Where[side] {
		case matches.Left, matches.Right:
			s.SetFocus(side, h.Focus[side])
		case matches.Above, matches.Below:
			s.Scroll(side, h.Scroll[side])
		}
	}
	if h.Context {
		s.SetStyle(func(st *session.Style) { st.Frames = true })
	}
}

// slideTo slides the other trace so that the match of t stands where t does.
func slideTo(c *view.Context, t session.Target) {
	if st := c.S.State(); st.Found != nil && st.Lock == session.Free && st.Both() {
		c.S.AlignTo(t)
	}
}
