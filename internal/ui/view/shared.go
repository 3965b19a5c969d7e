package view

import (
	"image"

	"diptych/internal/pair"
	"diptych/internal/scene/icicle"
	"diptych/internal/session"
	"diptych/internal/trace"
)

// Steps of the keys that move what is shown, as shares of what is visible and in rows.
const (
	ZoomStep = 0.7
	PanStep  = 0.2
	RowsStep = 5
)

// Gap is the distance between cards, dp.
const Gap = 12

// Emphasis makes calls stand out on a side: those of the place in the code under the pointer, else
// search hits. Without either it is nil.
func Emphasis(st *session.State, side pair.Side) func(thread, from, to int) icicle.Emphasis {
	if st.Brushed.Place != nil {
		return brushed(st, side)
	}
	if st.Search.Query == "" {
		return nil
	}
	return func(thread, from, to int) icicle.Emphasis {
		switch some, known := st.Search.Found(side, thread, from, to); {
		case !known:
			return icicle.Normal
		case some:
			return icicle.Strong
		}
		return icicle.Pale
	}
}

// brushed makes the calls of the place under the pointer stand out.
func brushed(st *session.State, side pair.Side) func(thread, from, to int) icicle.Emphasis {
	return func(thread, from, to int) icicle.Emphasis {
		switch some, known := st.Brushed.Found(st, int(side), thread, from, to); {
		case !known:
			return icicle.Normal
		case some:
			return icicle.Strong
		}
		return icicle.Pale
	}
}

// Panes smaller than this, in dp, have their controls behind one button.
const smallWidth, smallHeight = 420, 320

// Cramped reports whether the axes of a view leave no room for calls in an area. A higher one that
// shows none is of traces in which there are none.
func Cramped(c *Context, area image.Rectangle) bool { return area.Dy() < c.Kit.Dp(crampedArea) }

// crampedArea is the height of such an area in dp.
const crampedArea = 60

// Small reports whether a pane of that size has its controls behind one button.
func Small(c *Context, area image.Rectangle) bool {
	return float32(area.Dx()) < c.Kit.Px(smallWidth) || float32(area.Dy()) < c.Kit.Px(smallHeight)
}

// RefsOn returns those of some calls that lie on a side.
func RefsOn(side pair.Side, targets ...session.Target) []trace.CallRef {
	var refs []trace.CallRef
	for _, t := range targets {
		if t.OK && t.Side == side {
			refs = append(refs, t.Ref)
		}
	}
	return refs
}
