// Package overview builds the strip that shows both traces whole (TraceDiff): upper half A, lower
// half B mirrored; in each a zoomed-out icicle towards the middle, bars towards the outside, and
// the focus rectangle, which says what the detail views show and can be dragged and resized.
//
// Build is a pure function of State and size. The package knows nothing of windows or input.
package overview

import (
	"image/color"

	"diptych/internal/geom"
	"diptych/internal/match"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/scene/icicle"
	"diptych/internal/trace"
)

// The two sides, as indices into State.Sides and View.Sides.
const (
	A = iota
	B
)

// State is all that the view depends on.
type State struct {
	Sides   [2]Side
	Palette *palette.Palette
	Scale   float32 // px per dp; 0 for 1
}

// Side is one half.
type Side struct {
	Trace  *trace.Trace // nil if none is loaded
	Tracks []int        // threads shown
	Focus  geom.Span
	Room   float64   // the time that the axis has room for, if that is more than the trace
	Drawn  geom.Span // a range that is being dragged out; empty if none is

	Bars []match.Bar // one for each of equal intervals of the trace; nil while none are known
	Open []bool      // by bar: there may be more to it than is known yet; nil if there is not
	Lit  []bool      // by bar: it holds matches of what is hovered; may be nil

	Loading bool // the trace is still being read: there is nothing in the half to point at
}

// View is the built scene and what lies where in it.
type View struct {
	Scene *scene.Scene
	Sides [2]Half
	Turn  float64 // mean shift from which bars have full colour, ns
	grip  float32
}

// Half is one side's part; zero if the side is not loaded or there is no room.
type Half struct {
	Bounds geom.Rect // everything of the side
	Axis   geom.Axis // the whole trace, and what room there is after it, to x
	Focus  geom.Rect // the focus rectangle
	bars   geom.Rect
	icicle geom.Rect

	intervals int // number of bars; 0 while there are none
}

// Stacks returns where the stacks of the half are.
func (h *Half) Stacks() geom.Rect { return h.icicle }

// Part is what of a half lies under a point.
type Part uint8

const (
	Outside Part = iota // beside the focus rectangle
	Body
	LeftHandle
	RightHandle
)

// Measures in dp.
const (
	gutter   = 36
	margin   = 12
	border   = 6 // above A and below B
	middle   = 6 // between the halves
	badge    = 18
	barShare = .5 // of a half's height
	lowHalf  = 16 // height of a half below which it has no stacks
	barWidth = 10
	leastRow = 2
	mostRow  = 4
	cueRoom  = 14 // height of the strip of a scale's bar
	cueText  = 11
	cueInset = 8 // of that bar from the end of the axis
	grip     = 5 // half the width in which a handle is caught
)

// Arena keeps buffers, and what does not depend on the focus, from one frame to the next.
type Arena struct {
	scene  scene.Scene
	stacks [2]stacks
}

// Build draws the view. A may be nil; with one, the View is valid until the arena's next Build.
func Build(st *State, size geom.Size, a *Arena) *View {
	if a == nil {
		a = &Arena{}
	}
	a.scene.Reset(size)
	dp := st.Scale
	if dp <= 0 {
		dp = 1
	}
	v := &View{Scene: &a.scene, grip: grip * dp}
	v.place(st, size, dp)
	y := st.yardstick()
	v.Turn = y.shift
	for k := range v.Sides {
		h := &v.Sides[k]
		if h.Axis.X1 <= h.Axis.X0 {
			continue
		}
		l := a.scene.Layer(h.Bounds)
		cached := a.stacks[k].of(h, &st.Sides[k], k, st.Palette, dp)
		l.Quads = append(l.Quads, cached...)
		h.matched(l, st, k, y, dp)
		v.focus(st, k, dp)
		big := min(badge*dp, h.Bounds.H())
		at := geom.Point{X: 8 * dp, Y: (h.Bounds.Y0 + h.Bounds.Y1 - big) / 2}
		scene.Badge(a.scene.Layer(geom.Rect{}), at, big, "AB"[k:k+1],
			st.Palette.Side(k), st.Palette.OnSide)
	}
	v.cues(st, dp)
	for k := range v.Sides {
		if st.Sides[k].Loading {
			v.Sides[k] = Half{}
		}
	}
	return v
}

// cues draws on both sides a bar that stands for the same time where they are at different scales:
// in the outer corner at the right, on a ground of its own, since bars may be there.
func (v *View) cues(st *State, dp float32) {
	if st.Sides[A].Trace == nil || st.Sides[B].Trace == nil ||
		min(v.Sides[A].bars.H(), v.Sides[B].bars.H()) < cueRoom*dp {
		return
	}
	cue := scene.NewCue(v.Sides[A].Axis, v.Sides[B].Axis, string(st.Sides[A].Trace.Unit), cueText*dp, dp)
	for k := range v.Sides {
		h := &v.Sides[k]
		strip := geom.Rect{X0: h.Axis.X0, X1: h.Axis.X1 - cueInset*dp, Y0: h.Bounds.Y0 + dp, Y1: h.Bounds.Y0 + (1+cueRoom)*dp}
		if k == B {
			strip.Y0, strip.Y1 = h.Bounds.Y1-(1+cueRoom)*dp, h.Bounds.Y1-dp
		}
		l := v.Scene.Layer(geom.Rect{})
		var over scene.Layer
		at := cue.Draw(&over, h.Axis, strip, st.Palette.Side(k), st.Palette.Text)
		if at.Empty() {
			return
		}
		at.X0, at.X1 = at.X0-4*dp, at.X1+4*dp
		l.Fill(at, st.Palette.Pane)
		l.Quads, l.Texts = append(l.Quads, over.Quads...), append(l.Texts, over.Texts...)
	}
}

// place divides the pane: bars outside, stacks towards the middle. In a low pane first the badges
// shrink, then the stacks go: bars tell more in a few pixels.
func (v *View) place(st *State, size geom.Size, dp float32) {
	mid := size.H / 2
	if st.Sides[A].Trace == nil {
		mid = 0
	} else if st.Sides[B].Trace == nil {
		mid = size.H
	}
	bounds := [2]geom.Rect{
		{X1: size.W, Y0: border * dp, Y1: mid - middle/2*dp},
		{X1: size.W, Y0: mid + middle/2*dp, Y1: size.H - border*dp},
	}
	for k := range v.Sides {
		sd, r := &st.Sides[k], bounds[k]
		if sd.Trace == nil || r.H() < leastRow*dp || r.W() <= (gutter+margin)*dp {
			continue
		}
		h := &v.Sides[k]
		h.Bounds = r
		whole := geom.Span{Start: 0, End: max(sd.extent(), sd.Room)}
		h.Axis = geom.Axis{Span: whole, X0: r.X0 + gutter*dp, X1: r.X1 - margin*dp}
		inner := geom.Rect{X0: h.Axis.X0, X1: h.Axis.X1, Y0: r.Y0, Y1: r.Y1}
		h.bars, h.icicle = inner, inner
		h.bars.X1 = h.Axis.X(sd.extent())
		share := float32(barShare)
		if r.H() < lowHalf*dp {
			share = 1
		}
		if k == A {
			h.bars.Y1 = r.Y0 + r.H()*share
			h.icicle.Y0 = h.bars.Y1
		} else {
			h.bars.Y0 = r.Y1 - r.H()*share
			h.icicle.Y1 = h.bars.Y0
		}
		h.intervals = len(sd.Bars)
		h.Focus = h.spanRect(sd.Focus, 2*dp)
	}
}

// extent returns the length of the trace; at least 1.
func (sd *Side) extent() float64 { return float64(max(sd.Trace.Duration, 1)) }

// spanRect returns the full-height rectangle over a time span, at least a few px wide.
func (h *Half) spanRect(s geom.Span, least float32) geom.Rect {
	x0, x1 := h.Axis.X(s.Start), h.Axis.X(s.End)
	if short := least - (x1 - x0); short > 0 {
		x0, x1 = x0-short/2, x1+short/2
	}
	x0 = min(max(x0, h.Axis.X0-1), h.Axis.X1+1)
	x1 = max(min(x1, h.Axis.X1+1), h.Axis.X0-1)
	return geom.Rect{X0: x0, X1: x1, Y0: h.Bounds.Y0, Y1: h.Bounds.Y1}
}

// focus draws the focus rectangle of side k with its handles, and the range being dragged out.
func (v *View) focus(st *State, k int, dp float32) {
	h, pal := &v.Sides[k], st.Palette
	l := v.Scene.Layer(geom.Rect{})
	rect := func(r geom.Rect, fill color.NRGBA, w float32) {
		l.Quads = append(l.Quads,
			scene.Quad{Rect: r, Fill: fill, Radius: 2 * dp, U1: 1},
			scene.Quad{
				Rect: r, Fill: pal.Side(k), Shade: scene.Outline, Line: w, Radius: 2 * dp, U1: 1,
			})
	}
	fill := pal.Faint(k)
	if s := st.Sides[k].Focus; s.Len() >= h.Axis.Span.Len() ||
		s.Start <= 0 && s.End >= st.Sides[k].extent() {
		fill.A = 0 // what covers all marks nothing
	}
	rect(h.Focus, fill, 1.5*dp)
	mid, tall := (h.Focus.Y0+h.Focus.Y1)/2, min(18*dp, h.Focus.H()*.6)
	for _, x := range []float32{h.Focus.X0, h.Focus.X1} {
		l.Quads = append(l.Quads, scene.Quad{
			Rect:   geom.Rect{X0: x - 2*dp, X1: x + 2*dp, Y0: mid - tall/2, Y1: mid + tall/2},
			Fill:   pal.Side(k),
			Radius: 2 * dp, U1: 1,
		})
	}
	if d := st.Sides[k].Drawn; d.Len() > 0 {
		rect(h.spanRect(d, 2*dp), pal.Faint(k), dp)
	}
}

// Hit returns the side and the part of its focus rectangle at p; side is −1 outside both halves. A
// handle wins over the body, unless the rectangle is so narrow that the body could not be caught
// otherwise.
func (v *View) Hit(p geom.Point) (side int, part Part) {
	for k := range v.Sides {
		h := &v.Sides[k]
		if h.Bounds.Empty() || !h.Bounds.Contains(p) {
			continue
		}
		f := h.Focus
		inside := min(v.grip, f.W()/4)
		switch {
		case p.X >= f.X0-v.grip && p.X < f.X0+inside:
			return k, LeftHandle
		case p.X >= f.X1-inside && p.X < f.X1+v.grip:
			return k, RightHandle
		case f.Contains(p):
			return k, Body
		}
		return k, Outside
	}
	return -1, Outside
}

// stackRows returns how high a level is and how many levels each of n tracks has in room px.
func stackRows(room float32, n, deepest int, dp float32) (row float32, levels int) {
	row = room / float32(max(n*deepest, 1))
	row = min(max(row, leastRow*dp), mostRow*dp)
	return row, max(1, int(room/row)/max(n, 1))
}

// plot is the icicle of a half.
func (h *Half) plot(sd *Side, k int, pal *palette.Palette, dp float32) icicle.Plot {
	room := h.icicle.H()
	tracks := busiest(sd.Trace, sd.Tracks, max(1, int(room/(leastRow*dp))))
	deepest := 1
	for _, t := range tracks {
		deepest = max(deepest, sd.Trace.Threads[t].MaxDepth())
	}
	row, levels := stackRows(room, len(tracks), deepest, dp)
	p := icicle.Plot{
		Trace: sd.Trace, Threads: tracks, Axis: h.Axis, View: h.icicle,
		Row: row, Levels: levels, Palette: pal,
	}
	if k == B {
		p.Dir = icicle.Up
	}
	return p
}
