package icicle

import "diptych/internal/geom"

// Half is one side's part of a view that mirrors the stacks of two: those of the first side hang
// down from an axis at the top, those of the second stand on one at the bottom. All of it is zero
// if the side is not loaded or there is no room.
type Half struct {
	Bounds  geom.Rect // everything of the side, its time axis included
	Icicle  geom.Rect // the stacks' viewport
	Axis    geom.Axis // time to x, over Icicle's width
	Drawing *Drawing
	// MaxScroll is the largest useful scroll; the view is drawn as if no larger one were asked for.
	MaxScroll float32
	Row       float32 // height of a stack level, px
}

// Halves are the two sides of such a view, the upper one first.
type Halves [2]Half

// At returns the side whose half of the pane p is in, or −1 if none is drawn; between the halves it
// is the nearer one.
func (h *Halves) At(p geom.Point) int {
	a, b := &h[0], &h[1]
	switch {
	case a.Drawing == nil && b.Drawing == nil:
		return -1
	case b.Drawing == nil:
		return 0
	case a.Drawing == nil || p.Y > (a.Bounds.Y1+b.Bounds.Y0)/2:
		return 1
	}
	return 0
}
