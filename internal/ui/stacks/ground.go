package stacks

import (
	"diptych/internal/pair"
	"diptych/internal/ui/things"
	"diptych/internal/ui/view"
)

// Ground is what is under the pointer where nothing is drawn.
func (h *Hand) Ground(c *view.Context) view.Thing {
	side := h.Sides.At(h.At)
	if side < 0 {
		side = int(c.Aim())
	}
	return things.Ground(c, pair.Side(side), h.time(pair.Side(side), c.S.State().Sides[side].Focus))
}
