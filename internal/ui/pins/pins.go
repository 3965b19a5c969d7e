// Package pins draws where calls were aligned by hand: an anchor has a pin on both its calls, and a
// call that waits for one on the other side has one alone. Several views show them.
package pins

import (
	"diptych/internal/align"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/scene/icicle"
	"diptych/internal/session"
	"diptych/internal/ui/things"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// Pin is what a pin stands for: an anchor, or the call that waits to become one.
type Pin struct {
	Anchor align.Anchor
	Mark   session.Target // not OK for an anchor
}

// Ends returns the calls on both sides; one that is not OK is missing.
func (p *Pin) Ends() (t [2]session.Target) {
	for _, side := range []pair.Side{pair.A, pair.B} {
		switch {
		case !p.Mark.OK:
			t[side] = session.AnchorEnd(p.Anchor, side)
		case p.Mark.Side == side:
			t[side] = p.Mark
		}
	}
	return t
}

// Of lists what has a pin.
func Of(st *session.State) []Pin {
	var pins []Pin
	for _, x := range st.Anchors.All() {
		pins = append(pins, Pin{Anchor: x})
	}
	if st.Mark.OK {
		pins = append(pins, Pin{Mark: st.Mark})
	}
	return pins
}

// Head is a pin's head over the stacks.
type Head struct {
	Pin  Pin
	Side pair.Side
	At   geom.Point
}

// Heads returns where the heads of the pins lie over the stacks of both sides, by side; nil where
// there is none.
func Heads(st *session.State, drawings [2]*icicle.Drawing) []Head {
	var out []Head
	for _, p := range Of(st) {
		for side, t := range p.Ends() {
			d := drawings[side]
			if !t.OK || d == nil {
				continue
			}
			r, ok := d.CallRect(t.Ref)
			if !ok || r.X1 < d.View.X0 || r.X0 > d.View.X1 || r.Y1 <= d.View.Y0 || r.Y0 >= d.View.Y1 {
				continue
			}
			at := geom.Point{X: max(r.X0, d.View.X0), Y: (r.Y0 + r.Y1) / 2}
			out = append(out, Head{p, pair.Side(side), at})
		}
	}
	return out
}

// Draw draws heads of pins over a view.
func Draw(s *scene.Scene, st *session.State, heads []Head, pal *palette.Palette, dp float32) {
	if len(heads) == 0 {
		return
	}
	l := s.Layer(geom.Rect{})
	for _, d := range heads {
		fill, open := pal.Text, false
		if d.Pin.Mark.OK {
			fill = pal.Side(int(d.Side))
		} else {
			open = st.Holding(d.Pin.Anchor) != session.Held
		}
		scene.Pin(l, d.At, dp, fill, pal.Pane, open)
	}
}

// At returns the pin whose head is at p.
func At(heads []Head, p geom.Point, dp float32) (Head, bool) {
	const reach = scene.PinRadius + 2
	for _, d := range heads {
		if dx, dy := (p.X-d.At.X)/dp, (p.Y-d.At.Y)/dp; dx*dx+dy*dy <= reach*reach {
			return d, true
		}
	}
	return Head{}, false
}

// Box returns the surroundings of a pin's head, for its tooltip to keep off.
func (d *Head) Box(dp float32) geom.Rect {
	r := scene.PinRadius * dp
	return geom.Rect{X0: d.At.X - r, X1: d.At.X + r, Y0: d.At.Y - r, Y1: d.At.Y + r}
}

// Lines is what the tooltip says of a pin.
func (p *Pin) Lines(st *session.State) []string {
	if p.Mark.OK {
		return words.MarkLines(st)
	}
	return words.AnchorLines(st, p.Anchor)
}

// Choose selects the calls of a pin, that on the given side last.
func (p *Pin) Choose(c *view.Context, side pair.Side) {
	ends := p.Ends()
	for _, s := range []pair.Side{side.Other(), side} {
		if ends[s].OK {
			c.S.Select(ends[s])
		}
	}
	c.TurnToDetails()
}

// Thing is what can be done with a pin.
func (p *Pin) Thing(c *view.Context) view.Thing {
	if p.Mark.OK {
		return things.Mark(c)
	}
	return things.Anchor(c, p.Anchor)
}
