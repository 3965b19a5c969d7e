package render

import (
	"image"
	"image/color"
	"slices"

	"diptych/internal/geom"
	"diptych/internal/scene"
)

// Programs that are compiled late take their time when they are used first: a driver that draws
// with the CPU compiles them once more for the state in which they draw, which takes as long as
// half of a frame. What else a frame shows need not wait for that. A window's frame is therefore
// brief: it leaves out what has no program yet, and the frame after it compiles what was lacking
// and shows all. A thread that compiles would not do: OpenGL belongs to one thread, and that work
// of the driver only begins with drawing. Where nothing happens for a while, Warm compiles ahead.

// Lacks reports whether the last Show left something out that the next one will draw.
func (r *Renderer) Lacks() bool { return len(r.lacking) > 0 }

// complete compiles what the last Show lacked, or, if it lacked nothing and f is brief, returns f
// without what it has no programs for.
func (r *Renderer) complete(f *Frame) (*Frame, error) {
	lacking := r.lacking
	r.lacking = nil
	for _, p := range lacking {
		if err := p.compile(); err != nil {
			return nil, err
		}
	}
	if !f.Brief || len(lacking) > 0 {
		return f, nil
	}
	for _, p := range r.late() {
		if !p.compiled() && f.needs(p) {
			r.lacking = append(r.lacking, p)
		}
	}
	if len(r.lacking) == 0 {
		return f, nil
	}
	return f.without(r.lacking), nil
}

// Warm compiles one program that no frame has needed yet, and reports whether there was one: in a
// window where nothing happens, nobody waits for it. It draws a shape where nobody sees it, as that
// is when a driver compiles.
func (r *Renderer) Warm() (bool, error) {
	for _, p := range r.late() {
		if p.compiled() {
			continue
		}
		o, err := newColours(image.Pt(1, 1), colours(r.shown.linear))
		if err == nil {
			defer o.Release()
			err = o.addDepths()
		}
		if err == nil {
			err = r.Draw(o.Target(1), r.example(p))
		}
		return err == nil, err
	}
	return false, nil
}

// example returns a scene of what p draws, one px large.
func (r *Renderer) example(p painter) *scene.Scene {
	s := &scene.Scene{Size: geom.Size{W: 1, H: 1}}
	l, ink, end := s.Layer(geom.Rect{}), color.NRGBA{A: 255}, geom.Point{X: 1, Y: 1}
	l.Tubes = scene.Tubes{Morph: 1, Lambda: 1, Line: 1, Knots: []scene.Knot{{}, {X: 1, Y: 1, At: 1}},
		Tubes: []scene.Tube{{Count: 2, W0: 1, W1: 1, Fill: ink}}}
	edge := [4]geom.Point{2: end, 3: end}
	l.Ribbons = []scene.Ribbon{{Edges: [2][4]geom.Point{edge, edge}, Fill: ink, Line: 1, Ink: ink}}
	l.Arcs = []scene.Arc{{R1: 1, To: 1, Fill: ink}}
	for _, other := range r.bent() {
		if other != p {
			other.omit(l)
		}
	}
	return s
}

// needs reports whether f has shapes that p draws.
func (f *Frame) needs(p painter) bool {
	for _, part := range f.Parts {
		for i := range part.Scene.Layers {
			if p.draws(&part.Scene.Layers[i]) {
				return true
			}
		}
	}
	return false
}

// without returns f less what the painters draw.
func (f *Frame) without(painters []painter) *Frame {
	g := *f
	g.Parts = slices.Clone(f.Parts)
	for i := range g.Parts {
		s := *g.Parts[i].Scene
		s.Layers = slices.Clone(s.Layers)
		for k := range s.Layers {
			for _, p := range painters {
				p.omit(&s.Layers[k])
			}
		}
		g.Parts[i].Scene = &s
	}
	return &g
}

func (*tubePainter) draws(l *scene.Layer) bool   { return len(l.Tubes.Tubes) > 0 }
func (*ribbonPainter) draws(l *scene.Layer) bool { return len(l.Ribbons) > 0 }
func (*arcPainter) draws(l *scene.Layer) bool    { return len(l.Arcs) > 0 }

func (*tubePainter) omit(l *scene.Layer)   { l.Tubes.Tubes = nil }
func (*ribbonPainter) omit(l *scene.Layer) { l.Ribbons = nil }
func (*arcPainter) omit(l *scene.Layer)    { l.Arcs = nil }
