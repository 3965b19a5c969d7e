package aligned

import (
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene"
)

// Pin is two calls that were paired by hand, or one that waits for another.
type Pin struct {
	Calls [2]int // by side, pre-order index in the aligned thread; −1 for none
	Loud  bool   // is pointed at
}

// DrawnPin is where a pin lies.
type DrawnPin struct {
	Index  int           // into State.Pins
	Heads  [2]geom.Point // by side
	Drawn  [2]bool       // which of the heads are in sight
	Joined bool          // by a line: the calls are a pair
}

// pins draws the pins: a head at the start of each call, and a line from A's to B's where the
// alignment holds.
func (b *builder) pins() {
	for k := range b.st.Pins {
		pin := &b.st.Pins[k]
		d := DrawnPin{Index: k, Joined: b.holdsPin(pin)}
		for s, call := range pin.Calls {
			if call >= 0 {
				d.Heads[s], d.Drawn[s] = b.head(pair.Side(s), call)
			}
		}
		if d.Drawn == [2]bool{} {
			continue
		}
		d.Joined = d.Joined && d.Drawn[pair.A] && d.Drawn[pair.B]
		b.pin(pin, &d)
		b.v.Pins = append(b.v.Pins, d)
	}
}

// holdsPin reports whether both calls of a pin are partners.
func (b *builder) holdsPin(p *Pin) bool {
	return p.Calls[pair.A] >= 0 && p.Calls[pair.B] >= 0 &&
		int(b.p.Virtual.Partner[pair.A][p.Calls[pair.A]]) == p.Calls[pair.B]
}

// head returns where the head of a call's pin lies: at the call's start or, where that is out of
// sight while the call is not, at the border nearest to it.
func (b *builder) head(s pair.Side, call int) (geom.Point, bool) {
	h := &b.v.Sides[s]
	if h.Drawing == nil {
		return geom.Point{}, false
	}
	th := b.p.Sides[s].Threads[b.p.Virtual.Indices[s]]
	ref, _ := b.p.Ref(Node{Calls: [2]int{call, call}}, s)
	r, _ := h.Drawing.CallRect(ref)
	ax := b.v.Axis
	if ax.X(float64(th.End(call))) < ax.X0 || ax.X(float64(th.Start(call))) >= ax.X1 {
		return geom.Point{}, false
	}
	radius := scene.PinRadius * b.dp
	return geom.Point{X: max(r.X0, ax.X0),
		Y: min(max((r.Y0+r.Y1)/2, h.Bounds.Y0+radius), h.Bounds.Y1-radius)}, true
}

// pin draws a pin's line and heads. One that lacks a call is in the colour of the side it has.
func (b *builder) pin(p *Pin, d *DrawnPin) {
	pal := b.st.Palette
	fill, w := pal.Text, b.dp
	if p.Loud {
		fill, w = pal.Selection, 2*b.dp
	}
	l := b.v.Scene.Layer(geom.Rect{})
	if d.Joined {
		x := d.Heads[pair.A].X
		line := geom.Rect{X0: x - w/2, X1: x + w/2, Y0: d.Heads[pair.A].Y, Y1: d.Heads[pair.B].Y}
		halo := geom.Rect{X0: line.X0 - b.dp, X1: line.X1 + b.dp, Y0: line.Y0, Y1: line.Y1}
		l.Fill(halo, palette.WithAlpha(pal.Pane, 0xa0))
		l.Fill(line, fill)
	}
	for s := range d.Heads {
		if !d.Drawn[s] {
			continue
		}
		waits := p.Calls[1-s] < 0
		if waits && !p.Loud {
			fill = pal.Side(s)
		}
		scene.Pin(l, d.Heads[s], b.dp, fill, pal.Pane, !waits && !b.holdsPin(p))
	}
}

// pinReach is how far from a pin, in dp, it is still picked.
const pinReach = 3

// PickPin returns the pin at p as an index into State.Pins, and the side whose head is nearer.
func (v *View) PickPin(p geom.Point) (index int, side pair.Side, ok bool) {
	reach := pinReach * v.dp
	for k := len(v.Pins) - 1; k >= 0; k-- {
		d := &v.Pins[k]
		for s, at := range d.Heads {
			dx, dy, r := p.X-at.X, p.Y-at.Y, scene.PinRadius*v.dp+reach
			if d.Drawn[s] && dx*dx+dy*dy <= r*r {
				return d.Index, pair.Side(s), true
			}
		}
		a, b := d.Heads[pair.A], d.Heads[pair.B]
		if d.Joined && p.Y >= a.Y && p.Y <= b.Y && max(p.X-a.X, a.X-p.X) <= reach {
			if side = pair.A; p.Y > (a.Y+b.Y)/2 {
				side = pair.B
			}
			return d.Index, side, true
		}
	}
	return 0, pair.A, false
}
