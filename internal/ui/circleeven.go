package ui

import (
	"image"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene/threads"
	"diptych/internal/session"
)

// even is the splitter and the zero radius that both sides have where the user leaves them to the
// view: each side alone would have what its own stacks need, and partners would not lie across from
// each other.
type even struct {
	of    evenOf
	split float32 // share of the height above the splitter
	zero  float32 // zero radius as a share of the outer one
}

// evenOf is what an even depends on.
type evenOf struct {
	times int // how often threads have been arranged
	size  geom.Size
	style session.WaitStyle
	scale float32
}

// spareShare is what share of the room that a circle leaves below it the stacks get.
const spareShare = .5

// level works the two out for sides of the given size.
func (c *circle) level(st *session.State, pal *palette.Palette, size image.Point, scale float32) {
	of := evenOf{c.times, geom.Size{W: float32(size.X), H: float32(size.Y)}, st.WaitStyle, scale}
	if of == c.even.of {
		return
	}
	c.even = even{of: of}
	views := c.build(st, pal, size, scale)
	if st.WaitStyle.Split == 0 {
		for _, v := range views {
			c.even.split = max(c.even.split, v.SplitAt(v.Splitter.Y0))
		}
		views = c.build(st, pal, size, scale)
		spare := of.size.H
		for _, v := range views {
			spare = min(spare, v.Context.Y1-v.Ring.Centre.Y-v.Ring.Outer)
		}
		if len(views) > 0 && c.even.split > 0 && spare > 0 {
			c.even.split += spareShare * spare / views[0].Scene.Size.H
		}
	}
	if st.WaitStyle.Zero == 0 {
		for _, v := range views {
			if v.Ring.Outer > 0 && (c.even.zero == 0 || v.Ring.Zero/v.Ring.Outer < c.even.zero) {
				c.even.zero = v.Ring.Zero / v.Ring.Outer
			}
		}
	}
}

// build builds both sides as they are without anything under the pointer.
func (c *circle) build(st *session.State, pal *palette.Palette, size image.Point,
	scale float32) (views []*threads.View) {
	for _, side := range []pair.Side{pair.A, pair.B} {
		if st.WaitsOf(side) != nil {
			ts := c.state(st, side, pal, scale)
			if v := buildCircle(ts, size, threadsLegend(st, pal), nil); v.Ring.Outer > 0 {
				views = append(views, v)
			}
		}
	}
	return views
}
