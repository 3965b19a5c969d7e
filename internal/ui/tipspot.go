package ui

import (
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
