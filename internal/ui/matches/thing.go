package matches

import (
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/ui/flags"
	"diptych/internal/ui/pins"
	"diptych/internal/ui/things"
	"diptych/internal/ui/view"
)

// Thing implements view.View: a note's flag, a pin, a call, a match, or a time.
func (p *Pane) Thing(c *view.Context, pointed bool) view.Thing {
	switch {
	case !pointed:
		return things.Chosen(c, p.area, p.where)
	case p.view == nil:
		return view.Thing{}
	}
	if f, ok := flags.At(p.flags, p.At); ok {
		return things.Note(c, f.Note)
	}
	if head, ok := pins.At(p.pins, p.At, c.Kit.Px(1)); ok {
		return head.Pin.Thing(c)
	}
	if hit, ok := p.view.Pick(p.At); ok && hit.Call >= 0 {
		return things.Call(c, session.Target{Side: pair.Side(hit.Side), Ref: hit.Ref(), OK: true})
	}
	if l, ok := p.view.PickLink(p.At); ok {
		return things.Match(c, &l)
	}
	return p.Ground(c)
}

// where returns where a call is drawn.
func (p *Pane) where(t session.Target) (r geom.Rect, ok bool) {
	if p.view == nil || p.view.Sides[t.Side].Drawing == nil {
		return r, false
	}
	return p.view.Sides[t.Side].Drawing.CallRect(t.Ref)
}
