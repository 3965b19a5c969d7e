package icicle

import (
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/trace"
)

// Mark is why a call is outlined.
type Mark uint8

const (
	Hovered Mark = iota
	Selected
)

// leastOutline is how wide the outline of a call is that is itself too narrow to see, px.
const leastOutline = 5

// Outline marks a call with a border w px wide if it is in the viewport. A selected one stands off
// its surroundings by a second border in the pane's colour.
func (d *Drawing) Outline(l *scene.Layer, ref trace.CallRef, w float32, m Mark) {
	r, ok := d.CallRect(ref)
	if !ok || r.X1 <= d.View.X0 || r.X0 >= d.View.X1 || r.Y1 <= d.View.Y0 || r.Y0 >= d.View.Y1 {
		return
	}
	if r.W() < leastOutline {
		mid := (r.X0 + r.X1) / 2
		r.X0, r.X1 = mid-leastOutline/2, mid+leastOutline/2
	}
	if m == Hovered {
		l.Border(r, d.Palette.Hover, w)
		return
	}
	l.Border(r.Inset(w), palette.WithAlpha(d.Palette.Pane, 0xc0), w)
	l.Border(r, d.Palette.Selection, w)
}
