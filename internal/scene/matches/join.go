package matches

import (
	"slices"

	"diptych/internal/geom"
	"diptych/internal/scene/icicle"
	"diptych/internal/scene/links"
	"diptych/internal/trace"
)

// reserve makes the first layer that of the tubes, if there is something to join: icicles lie over
// tubes, but what tubes join is known only when the icicles are drawn.
func (b *builder) reserve() bool {
	upper, lower := &b.v.Sides[A], &b.v.Sides[B]
	if b.st.Links.Graph == nil || upper.Icicle.Empty() || lower.Icicle.Empty() {
		return false
	}
	b.v.Scene.Layer(geom.Rect{
		X0: upper.Icicle.X0, Y0: upper.Icicle.Y0, X1: upper.Icicle.X1, Y1: lower.Icicle.Y1,
	})
	return true
}

// join fills the layer that was reserved.
func (b *builder) join() {
	drawn := [2]*icicle.Drawing{b.v.Sides[A].Drawing, b.v.Sides[B].Drawing}
	layer := &b.v.Scene.Layers[0]
	b.v.Links = links.Build(&b.st.Links, b.pane(), drawn, &layer.Tubes, &b.a.links)
	if b.v.Links.Drawn == 0 {
		b.hint()
	}
	if b.st.Links.Pointed == nil {
		b.partners(drawn)
	}
}

// mostPartners bounds how many partners of a hovered call are outlined.
const mostPartners = 64

// partners outlines the calls that matches join with the hovered ones.
func (b *builder) partners(drawn [2]*icicle.Drawing) {
	for k := range drawn {
		hover := b.st.Sides[k].Hover
		var ends []trace.CallRef
		for i := 0; len(hover) > 0 && i < b.v.Links.Drawn && len(ends) < mostPartners; i++ {
			at := b.v.Links.Link(i).Ends
			if slices.Contains(hover, at[k].Ref) {
				ends = append(ends, at[1-k].Ref)
			}
		}
		if len(ends) == 0 {
			continue
		}
		over := b.v.Scene.Layer(drawn[1-k].View)
		for _, ref := range ends {
			drawn[1-k].Outline(over, ref, b.dp, icicle.Hovered)
		}
	}
}

// pane returns where links are drawn.
func (b *builder) pane() links.Pane {
	upper, lower := &b.v.Sides[A], &b.v.Sides[B]
	return links.Pane{
		Top: upper.Icicle.Y0, Bottom: lower.Icicle.Y1, Mid: (upper.Bounds.Y1 + lower.Bounds.Y0) / 2,
		Scale: b.dp, Palette: b.st.Palette,
	}
}

// PickLink returns the match whose tube is seen at p; where stacks are, none is.
func (v *View) PickLink(p geom.Point) (links.Link, bool) {
	if v.Links == nil {
		return links.Link{}, false
	}
	if _, ok := v.Pick(p); ok {
		return links.Link{}, false
	}
	return v.Links.Pick(p)
}
