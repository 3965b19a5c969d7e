package ui

import (
	"diptych/internal/align"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/scene/aligned"
	"diptych/internal/scene/matches"
	"diptych/internal/session"
	"diptych/internal/ui/words"
)

// pinned is what a pin stands for: an anchor, or the call that waits to become one.
type pinned struct {
	anchor align.Anchor
	mark   session.Target // not OK for an anchor
}

// ends returns the calls on both sides; one that is not OK is missing.
func (p *pinned) ends() (t [2]session.Target) {
	for _, side := range []pair.Side{pair.A, pair.B} {
		switch {
		case !p.mark.OK:
			t[side] = session.AnchorEnd(p.anchor, side)
		case p.mark.Side == side:
			t[side] = p.mark
		}
	}
	return t
}

// pinsOf lists what has a pin.
func pinsOf(st *session.State) []pinned {
	var pins []pinned
	for _, x := range st.Anchors.All() {
		pins = append(pins, pinned{anchor: x})
	}
	if st.Mark.OK {
		pins = append(pins, pinned{mark: st.Mark})
	}
	return pins
}

// alignedPins returns the pins for the view of the alignment: all of pinsOf, in that order, without
// calls those of other threads.
func alignedPins(st *session.State, v *session.Shown) []aligned.Pin {
	var pins []aligned.Pin
	for _, p := range pinsOf(st) {
		pin := aligned.Pin{Calls: [2]int{-1, -1}}
		for side, t := range p.ends() {
			if t.OK && int(t.Ref.Thread) == v.Indices[side] {
				pin.Calls[side] = int(t.Ref.Call)
			}
		}
		pins = append(pins, pin)
	}
	return pins
}

// drawnPin is a pin's head in the view of the matches.
type drawnPin struct {
	pin  pinned
	side pair.Side
	at   geom.Point
}

// matchPins returns where the heads of the pins lie in the view of the matches.
func matchPins(st *session.State, v *matches.View) []drawnPin {
	var out []drawnPin
	for _, p := range pinsOf(st) {
		for side, t := range p.ends() {
			d := v.Sides[side].Drawing
			if !t.OK || d == nil {
				continue
			}
			r, ok := d.CallRect(t.Ref)
			if !ok || r.X1 < d.View.X0 || r.X0 > d.View.X1 || r.Y1 <= d.View.Y0 || r.Y0 >= d.View.Y1 {
				continue
			}
			at := geom.Point{X: max(r.X0, d.View.X0), Y: (r.Y0 + r.Y1) / 2}
			out = append(out, drawnPin{p, pair.Side(side), at})
		}
	}
	return out
}

// drawPins draws heads of pins over a view.
func drawPins(s *scene.Scene, st *session.State, pins []drawnPin, pal *palette.Palette, dp float32) {
	if len(pins) == 0 {
		return
	}
	l := s.Layer(geom.Rect{})
	for _, d := range pins {
		fill, open := pal.Text, false
		if d.pin.mark.OK {
			fill = pal.Side(int(d.side))
		} else {
			open = st.Holding(d.pin.anchor) != session.Held
		}
		scene.Pin(l, d.at, dp, fill, pal.Pane, open)
	}
}

// pinAt returns the pin whose head is at p.
func pinAt(pins []drawnPin, p geom.Point, dp float32) (drawnPin, bool) {
	const reach = scene.PinRadius + 2
	for _, d := range pins {
		if dx, dy := (p.X-d.at.X)/dp, (p.Y-d.at.Y)/dp; dx*dx+dy*dy <= reach*reach {
			return d, true
		}
	}
	return drawnPin{}, false
}

// box returns the surroundings of a pin's head, for its tooltip to keep off.
func (d *drawnPin) box(dp float32) geom.Rect {
	r := scene.PinRadius * dp
	return geom.Rect{X0: d.at.X - r, X1: d.at.X + r, Y0: d.at.Y - r, Y1: d.at.Y + r}
}

// pinLines is what the tooltip says of a pin.
func pinLines(st *session.State, p *pinned) []string {
	if p.mark.OK {
		return words.MarkLines(st)
	}
	return words.AnchorLines(st, p.anchor)
}

// choosePin selects the calls of a pin, that on the given side last.
func (a *App) choosePin(p *pinned, side pair.Side) {
	ends := p.ends()
	for _, s := range []pair.Side{side.Other(), side} {
		if ends[s].OK {
			a.S.Select(ends[s])
		}
	}
	a.dock.turnToDetails()
}
