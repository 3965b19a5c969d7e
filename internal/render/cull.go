package render

import (
	"image"
	"slices"

	"diptych/internal/geom"
	"diptych/internal/scene"
)

// culled holds storage for what is left of a layer where only a part of it is drawn. Shapes outside
// that part are not sent to the GPU.
type culled struct {
	tube   []scene.Tube
	ribbon []scene.Ribbon
	arc    []scene.Arc
	quad   []scene.Quad
}

// tubes returns the tubes of t that reach into the rectangle seen, px of the view.
func (c *culled) tubes(t *scene.Tubes, seen image.Rectangle) scene.Tubes {
	out := *t
	c.tube = kept(c.tube, t.Tubes, seen, func(b *scene.Tube) geom.Rect { return tubeBox(t, b) })
	out.Tubes = c.tube
	return out
}

func (c *culled) ribbons(all []scene.Ribbon, seen image.Rectangle) []scene.Ribbon {
	c.ribbon = c.ribbon[:0]
	for i := range all {
		boxes := ribbonBoxes(&all[i])
		if slices.ContainsFunc(boxes[:], func(r geom.Rect) bool { return overlaps(r, seen) }) {
			c.ribbon = append(c.ribbon, all[i])
		}
	}
	return c.ribbon
}

func (c *culled) arcs(all []scene.Arc, seen image.Rectangle) []scene.Arc {
	c.arc = kept(c.arc, all, seen, arcBox)
	return c.arc
}

func (c *culled) quads(all []scene.Quad, seen image.Rectangle) []scene.Quad {
	c.quad = kept(c.quad, all, seen, quadBox)
	return c.quad
}

// kept returns those of all, in order, whose boxes reach into seen, in the storage of into.
func kept[T any](into, all []T, seen image.Rectangle, box func(*T) geom.Rect) []T {
	into = into[:0]
	for i := range all {
		if overlaps(box(&all[i]), seen) {
			into = append(into, all[i])
		}
	}
	return into
}
