package stacks

import (
	"gioui.org/layout"

	"diptych/internal/command"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/ui/view"
)

// Move carries out a command in a pane that shows a view.
type Move = func(*view.Context, layout.Context, view.View) bool

// holder is a view that embeds a Hand.
type holder interface{ hand() *Hand }

func (h *Hand) hand() *Hand { return h }

// Moves are the window's commands as a view that embeds a Hand carries them out.
func Moves() map[command.ID]Move {
	return map[command.ID]Move{
		command.ZoomIn:     zooming(view.ZoomStep),
		command.ZoomOut:    zooming(1 / view.ZoomStep),
		command.ScrollUp:   scrolling(-view.RowsStep),
		command.ScrollDown: scrolling(view.RowsStep),
	}
}

// acting returns the side that keys act on.
func acting(c *view.Context, st *session.State) pair.Side {
	if side := c.Aim(); st.Loaded(side) {
		return side
	}
	return c.Aim().Other()
}

// zooming zooms at the pointer.
func zooming(factor float64) Move {
	return func(c *view.Context, _ layout.Context, v view.View) bool {
		st := c.S.State()
		side := acting(c, st)
		c.S.Zoom(side, v.(holder).hand().time(side, st.Sides[side].Focus), factor)
		return true
	}
}

// time is the time under the pointer, or the middle of focus when the pointer is elsewhere.
func (h *Hand) time(side pair.Side, focus geom.Span) float64 {
	if h.Inside && h.Sides != nil && h.Sides.At(h.At) == int(side) {
		if t := h.Sides[side].Axis.T(h.At.X); focus.Contains(t) {
			return t
		}
	}
	return focus.Mid()
}

// scrolling moves the stacks by rows towards deeper levels.
func scrolling(rows float32) Move {
	return func(c *view.Context, _ layout.Context, v view.View) bool {
		st := c.S.State()
		side := acting(c, st)
		if sides := v.(holder).hand().Sides; sides != nil {
			half := &sides[side]
			c.S.Scroll(side, min(st.Scroll[side]+rows*half.Row, half.MaxScroll))
		}
		return true
	}
}
