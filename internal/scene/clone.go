package scene

import "slices"

// Clone returns a scene that shares no storage with s, for work that goes on while s is drawn anew.
func (s *Scene) Clone() *Scene {
	c := &Scene{Size: s.Size, Layers: slices.Clone(s.Layers)}
	for i := range c.Layers {
		l := &c.Layers[i]
		l.Tubes.Knots, l.Tubes.Tubes = slices.Clone(l.Tubes.Knots), slices.Clone(l.Tubes.Tubes)
		l.Ribbons, l.Arcs = slices.Clone(l.Ribbons), slices.Clone(l.Arcs)
		l.Quads, l.Texts = slices.Clone(l.Quads), slices.Clone(l.Texts)
	}
	return c
}
