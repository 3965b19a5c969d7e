package ui

import (
	"image"

	"diptych/internal/geom"
	"diptych/internal/scene/threads"
	"diptych/internal/trace"
)

// A correspondence has no side to stand at: it crosses the pane. Its tooltip stands at the corner of
// the pointer where it covers least of what the correspondence leads from and to.

// ends returns the boxes of the calls that what is hit leads from and to, and of their labels.
func (p *circlePane) ends() []geom.Rect {
	var boxes []geom.Rect
	for _, ref := range []trace.CallRef{p.hit.Ref(), p.hit.Release} {
		if ref.Thread < 0 {
			continue
		}
		if ref.Call >= 0 {
			if r, ok := p.view.CallRect(ref); ok {
				boxes = append(boxes, r)
			}
		}
		for k := range p.shown.Sections {
			if th := p.shown.Sections[k].Threads; len(th) > 0 && th[0] == int(ref.Thread) {
				boxes = append(boxes, p.view.HitRect(threads.Hit{Part: threads.OnLabel, Place: k}))
			}
		}
	}
	return boxes
}

// clearest places a box of the given size within the pane at a corner of p, the one where it covers
// least of the boxes; of equals to the right and below.
func clearest(boxes []geom.Rect, p geom.Point, size, pane image.Point, gap int) image.Point {
	at := image.Pt(int(p.X), int(p.Y))
	right, left := at.X+gap, at.X-gap-size.X
	below, above := at.Y+gap, at.Y-gap-size.Y
	var best image.Point
	least := float32(-1)
	for _, c := range []image.Point{{right, below}, {left, below}, {right, above}, {left, above}} {
		c.X = max(0, min(c.X, pane.X-size.X))
		c.Y = max(0, min(c.Y, pane.Y-size.Y))
		covered := covers(c, size, boxes)
		if at.In(image.Rectangle{Min: c, Max: c.Add(size)}) {
			covered += float32(pane.X * pane.Y) // what is pointed at counts for more than all else
		}
		if least < 0 || covered < least {
			best, least = c, covered
		}
	}
	return best
}

// covers returns how much of the boxes one at pos covers, px².
func covers(pos, size image.Point, boxes []geom.Rect) float32 {
	tip := geom.Rect{X0: float32(pos.X), X1: float32(pos.X + size.X),
		Y0: float32(pos.Y), Y1: float32(pos.Y + size.Y)}
	sum := float32(0)
	for _, b := range boxes {
		if r := tip.Intersect(b); !r.Empty() {
			sum += r.W() * r.H()
		}
	}
	return sum
}
