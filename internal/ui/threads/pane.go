// Package threads is the view of who waits on whom (SyncTrace): for each side the thread in the
// middle and a circle of the others. With it comes the table of waits in the dock.
package threads

import (
	"image"
	"time"

	"gioui.org/layout"

	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene/threads"
	"diptych/internal/session"
	"diptych/internal/ui/flags"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
)

// Pane shows the threads of both sides.
type Pane struct {
	bar    bar
	top    image.Rectangle // of the bar, in the window
	circle circle
	shift  circleShift
	halves [2]half
	steps  int // lines to go on in the table of waits, as soon as there is one
}

// circleShift moves sections from the places they had to those they have got.
type circleShift struct {
	before [2][]threads.Section
	since  time.Time // zero while nothing moves
}

// shifting is how long sections take to move.
const shifting = 180 * time.Millisecond

// New returns a pane with nothing in it yet.
func New() view.View {
	p := &Pane{bar: newBar()}
	for k := range p.halves {
		p.halves[k] = half{pane: p, side: pair.Side(k), hit: nothingHit}
	}
	return p
}

// Shown returns what was built last of a side; nil if nothing is shown of it.
func (p *Pane) Shown(side pair.Side) *threads.View { return p.halves[side].view }

// Flags returns the flags of notes on a side.
func (p *Pane) Flags(side pair.Side) []flags.Flag { return p.halves[side].flags }

// Area returns the rectangle of the window that a side has.
func (p *Pane) Area(side pair.Side) image.Rectangle { return p.halves[side].area }

// Arrangement returns where the threads lie.
func (p *Pane) Arrangement() *threads.Arrangement { return &p.circle.arr }

// Shifting reports whether sections are on their way to other places.
func (p *Pane) Shifting() bool { return !p.shift.since.IsZero() }

// Update implements view.View.
func (p *Pane) Update(c *view.Context, gtx layout.Context) {
	p.bar.update(c, gtx)
	for k := range p.halves {
		p.halves[k].update(c, gtx)
	}
	p.step(c)
}

// step goes on in the table of waits, if that was asked for and the table is known.
func (p *Pane) step(c *view.Context) {
	st := c.S.State()
	list, ok := c.Panel(WaitsTab).(*Waits)
	if p.steps == 0 || !ok || st.WaitTable() == nil {
		return
	}
	list.step(c, st, p.steps)
	p.steps = 0
}

// Build implements view.View: the bar lies above both sides.
func (p *Pane) Build(c *view.Context, gtx layout.Context, area image.Rectangle) {
	st := c.S.State()
	areas := p.divide(c, st, area)
	for k := range p.halves {
		p.halves[k].renew(st, areas[k])
	}
	p.rearrange(c, gtx, st)
	p.circle.level(st, c.Kit.Pal, sizeOf(areas), c.Kit.Px(1))
	for k := range p.halves {
		p.halves[k].build(c, gtx, st)
	}
}

// smallGap is the distance between cards in a small pane, dp.
const smallGap = 4

// divide gives the bar and each side that is open their part of the pane.
func (p *Pane) divide(c *view.Context, st *session.State, area image.Rectangle) [2]image.Rectangle {
	gap := c.Kit.Dp(view.Gap)
	if p.bar.flow.Menu = view.Small(c, area); p.bar.flow.Menu {
		gap = c.Kit.Dp(smallGap)
	}
	p.top = area
	p.top.Max.Y = min(area.Min.Y+p.bar.height(c), area.Max.Y)
	area.Min.Y = min(p.top.Max.Y+gap, area.Max.Y)
	return divide(st, area, gap)
}

// rearrange works out where threads lie, and lets them move there from where they were.
func (p *Pane) rearrange(c *view.Context, gtx layout.Context, st *session.State) {
	before := p.circle.arr.Sections
	moved := p.circle.refresh(st)
	known := before[pair.A] != nil || before[pair.B] != nil
	if moved || !sameSections(before, p.circle.arr.Sections) {
		p.shift = circleShift{}
		if known && !st.Still {
			p.shift = circleShift{before, gtx.Now}
		}
	}
	if p.shift.since.IsZero() {
		return
	}
	if gtx.Now.Sub(p.shift.since) >= shifting {
		p.shift = circleShift{}
		return
	}
	c.Rebuild(gtx)
}

// sameSections reports whether nothing changes place from one arrangement to another.
func sameSections(x, y [2][]threads.Section) bool {
	for s := range x {
		if len(x[s]) != len(y[s]) {
			return false
		}
		for k := range x[s] {
			a, b := &x[s][k], &y[s][k]
			if a.Weight != b.Weight || len(a.Threads) != len(b.Threads) ||
				len(a.Threads) > 0 && a.Threads[0] != b.Threads[0] {
				return false
			}
		}
	}
	return true
}

// divide gives each side that is open its part of a rectangle: beside each other, or under each
// other where that makes for larger circles.
func divide(st *session.State, r image.Rectangle, between int) (parts [2]image.Rectangle) {
	if !st.Both() {
		for k := range parts {
			if st.Loaded(pair.Side(k)) {
				parts[k] = r
			}
		}
		return parts
	}
	return halve(r, between)
}

// sizeOf returns how large each side is.
func sizeOf(parts [2]image.Rectangle) image.Point {
	if parts[pair.A].Empty() {
		return parts[pair.B].Size()
	}
	return parts[pair.A].Size()
}

// halve divides r between both sides.
func halve(r image.Rectangle, between int) (parts [2]image.Rectangle) {
	parts[pair.A], parts[pair.B] = r, r
	if besideEachOther(r.Size()) {
		mid := (r.Min.X + r.Max.X) / 2
		parts[pair.A].Max.X, parts[pair.B].Min.X = mid-between/2, mid+between-between/2
	} else {
		mid := (r.Min.Y + r.Max.Y) / 2
		parts[pair.A].Max.Y, parts[pair.B].Min.Y = mid-between/2, mid+between-between/2
	}
	return parts
}

// ringShare is about what share of a side's height its circle gets.
const ringShare = .55

// besideEachOther reports whether circles become larger beside each other than under each other.
func besideEachOther(size image.Point) bool {
	w, h := float64(size.X), float64(size.Y)
	return min(w/4, ringShare*h) >= min(w/2, ringShare*h/2)
}

// Aim implements view.View.
func (p *Pane) Aim(c *view.Context) {
	for k := range p.halves {
		p.halves[k].aim(c)
	}
}

// Layout implements view.View.
func (p *Pane) Layout(c *view.Context, gtx layout.Context) {
	st := c.S.State()
	c.Card(p.top)
	kit.At(gtx, p.top, func(gtx layout.Context) { p.bar.layout(c, gtx, st, &p.circle) })
	for k := range p.halves {
		if h := &p.halves[k]; h.view != nil {
			c.Card(h.area)
			kit.At(gtx, h.area, func(gtx layout.Context) { h.layout(c, gtx, st) })
		}
	}
	if p.bar.grown() {
		c.Rebuild(gtx)
	}
}

// Scenes implements view.View.
func (p *Pane) Scenes() (parts []view.Part) {
	for k := range p.halves {
		if h := &p.halves[k]; h.view != nil {
			parts = append(parts, view.Part{Scene: h.view.Scene, Area: h.area})
		}
	}
	return parts
}

// Dismiss implements view.Dismisser.
func (p *Pane) Dismiss() bool { return p.bar.dismiss() }

// pointed returns the side the pointer is over, or nil.
func (p *Pane) pointed() *half {
	for k := range p.halves {
		if h := &p.halves[k]; h.inside && h.view != nil {
			return h
		}
	}
	return nil
}

// under returns what the pointer is over on a side. A label that is pointed at on the other one
// counts here too, for the thread across.
func (p *Pane) under(side pair.Side) threads.Hit {
	if h := &p.halves[side]; h.inside && h.view != nil {
		return h.hit
	}
	other := &p.halves[side.Other()]
	if h := other.hit; other.inside && other.view != nil && h.Part == threads.OnLabel &&
		h.Place >= 0 && h.Place < len(p.circle.arr.Sections[side]) {
		if th := p.circle.arr.Sections[side][h.Place].Threads; len(th) > 0 {
			return threads.Hit{Part: threads.OnLabel, Place: h.Place, Thread: th[0], Call: -1, Wait: -1}
		}
	}
	return nothingHit
}

// Picture builds both sides to stand alone.
func Picture(st *session.State, pal *palette.Palette, size image.Point, scale float32) []view.Part {
	var c circle
	c.refresh(st)
	areas := divide(st, image.Rectangle{Max: size}, int(view.Gap*scale))
	c.level(st, pal, sizeOf(areas), scale)
	var parts []view.Part
	for k, r := range areas {
		if !r.Empty() {
			ts := c.state(st, pair.Side(k), pal, scale)
			v := buildCircle(st, ts, r.Size(), nil)
			flags.Draw(v.Scene, flagsIn(st, pair.Side(k), v, scale), pal, scale)
			parts = append(parts, view.Part{Scene: v.Scene, Area: r})
		}
	}
	return parts
}
