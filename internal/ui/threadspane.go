package ui

import (
	"image"
	"time"

	"gioui.org/layout"
	"gioui.org/op"

	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/render"
	"diptych/internal/scene/threads"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
)

// threadsPane shows who waits on whom (SyncTrace; DESIGN §11): for each side the focus thread and a
// circle of the others.
type threadsPane struct {
	bar    threadsBar
	circle circle
	shift  circleShift
	sides  [2]circlePane
}

// circleShift moves sections from the places they had to those they have got.
type circleShift struct {
	before [2][]threads.Section
	since  time.Time // zero while nothing moves
}

// threading reports whether the main pane shows threads.
func (a *App) threading(st *session.State) bool { return st.View == session.Threads && st.Any() }

func (p *threadsPane) layout(a *App, gtx layout.Context, st *session.State, r image.Rectangle) {
	bar := image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+p.bar.height(a))
	a.card(bar)
	kit.At(gtx, bar, func(gtx layout.Context) { p.bar.layout(a, gtx, st) })
	st = a.S.State()
	p.rearrange(gtx, st)
	rest := image.Rect(r.Min.X, bar.Max.Y+a.kit.Dp(gap), r.Max.X, r.Max.Y)
	parts := divide(st, rest, a.kit.Dp(gap))
	p.circle.level(st, a.kit.Pal, sizeOf(parts), a.kit.Px(1))
	for k, area := range parts {
		s := &p.sides[k]
		if s.side, s.area = pair.Side(k), area; area.Empty() {
			s.view = nil
			continue
		}
		a.card(area)
		s.layout(a, gtx, area)
	}
}

// rearrange works out where threads lie, and lets them move there from where they were.
func (p *threadsPane) rearrange(gtx layout.Context, st *session.State) {
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
	gtx.Execute(op.InvalidateCmd{})
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

// divide gives each side that is open its part of the pane: beside each other, or under each other
// where that makes for larger circles.
func divide(st *session.State, r image.Rectangle, between int) (parts [2]image.Rectangle) {
	if !st.Both() {
		for k := range parts {
			if st.Loaded(pair.Side(k)) {
				parts[k] = r
			}
		}
		return parts
	}
	return halves(r, between)
}

// sizeOf returns how large each side is.
func sizeOf(parts [2]image.Rectangle) image.Point {
	if parts[pair.A].Empty() {
		return parts[pair.B].Size()
	}
	return parts[pair.A].Size()
}

// halves divides r between both sides.
func halves(r image.Rectangle, between int) (parts [2]image.Rectangle) {
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

// buildThreads builds both sides to stand alone.
func buildThreads(st *session.State, pal *palette.Palette, size image.Point, scale float32) []part {
	var c circle
	c.refresh(st)
	areas := divide(st, image.Rectangle{Max: size}, int(gap*scale))
	c.level(st, pal, sizeOf(areas), scale)
	var parts []part
	for k, r := range areas {
		if !r.Empty() {
			ts := c.state(st, pair.Side(k), pal, scale)
			v := buildCircle(ts, r.Size(), threadsLegend(st, pal), nil)
			parts = append(parts, part{v.Scene, r})
		}
	}
	return parts
}

// paint draws what is shown of both sides.
func (p *threadsPane) paint(r *render.Renderer, t render.Target) error {
	for k := range p.sides {
		if s := &p.sides[k]; s.view != nil {
			if err := r.Draw(t.At(s.area), s.view.Scene); err != nil {
				return err
			}
		}
	}
	return nil
}

// pointed returns the side the pointer is over, or nil.
func (p *threadsPane) pointed() *circlePane {
	for k := range p.sides {
		if s := &p.sides[k]; s.inside && s.view != nil {
			return s
		}
	}
	return nil
}
