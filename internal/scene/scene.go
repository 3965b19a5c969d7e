// Package scene turns traces and view state into plain geometry: each view is a pure function from
// (state, size) to a Scene, which the window, the headless renderer and the tests share. It knows
// nothing of OpenGL or Gio. Picking uses the very rectangles that are drawn.
//
// The subpackages build the views: overview, matches, aligned, threads, structure and aggregate.
// They are made of icicle (one side's stacks), links (which matches are drawn), bundle (their
// routes) and legend. Package fleet draws the pairs of a batch, histogram a small picture within
// the dock, and svg writes any of them as SVG.
package scene

import (
	"image/color"

	"diptych/internal/geom"
)

// Scene is one view as typed primitives, in device pixels relative to the view's top left corner.
// Layers are drawn in order; within a layer, tubes first and texts last.
type Scene struct {
	Size   geom.Size
	Layers []Layer
}

// Layer is a set of primitives clipped to one rectangle: tubes, over them ribbons, arcs, quads and
// texts in this order. An empty Clip means the whole scene.
type Layer struct {
	Clip    geom.Rect
	Tubes   Tubes
	Ribbons []Ribbon
	Arcs    []Arc
	Quads   []Quad
	Texts   []Text
}

// Shade selects how a quad's fill varies over its area.
type Shade uint8

const (
	// Flat fills evenly.
	Flat Shade = iota
	// Cushion darkens the fill towards the quad's left and right borders and, slightly, its lower
	// one, so that neighbours in the same colour stay apart without border lines.
	Cushion
	// CushionUp is Cushion with the slight vertical falloff towards the upper border; side B, which
	// grows upwards, mirrors side A with it.
	CushionUp
	// Hatch draws diagonal stripes of the fill, 6 device-independent pixels apart, leaving the gaps
	// clear.
	Hatch
	// Outline draws only a border of Quad.Line pixels inside the rectangle.
	Outline
	// GradientX fades the fill's alpha from full at the left border to zero at the right one.
	GradientX
	// Dashed is Outline with gaps.
	Dashed
	// Glide shades a call in focus by its distance from the pointer (ViewFusion): U0 and U1 tell
	// how near the left and the right border are to it, from 0, dark, at the far end of the whole
	// shape to 1, bright, at the pointer. U0 is larger if the pointer is to the left.
	Glide
	// GlideUp is Glide mirrored in height, for side B.
	GlideUp
	// Nested multiplies what lies beneath by the luminance of a treemap's cell Quad.Line levels
	// below the root (ViewFusion, eq. 1). The fill does not matter.
	Nested
)

// Quad is an axis-parallel rectangle. One narrower than a pixel is widened to one by the renderer,
// never dropped. U0 and U1 are the parts of the shaded shape the rectangle shows: a call cut by the
// viewport keeps the cushion of the whole call (0 and 1 for a whole one).
type Quad struct {
	Rect   geom.Rect
	Fill   color.NRGBA
	Shade  Shade
	Radius float32 // corner radius in px
	Line   float32 // border width in px for Outline
	U0, U1 float32
}

// Align places a text within its rectangle.
type Align uint8

const (
	AlignLeft Align = iota
	AlignCentre
	AlignRight
)

// Text is one line of text, vertically centred in Rect and never wider than it: the view has
// measured and shortened it before. It is turned around the middle of Rect.
type Text struct {
	Rect  geom.Rect
	Text  string
	Fill  color.NRGBA
	Size  float32 // px
	Align Align
	Bold  bool
	Turn  float32 // radians, clockwise
}

// Count returns the number of primitives in s.
func (s *Scene) Count() int {
	n := 0
	for i := range s.Layers {
		l := &s.Layers[i]
		n += len(l.Tubes.Tubes) + len(l.Ribbons) + len(l.Arcs) + len(l.Quads) + len(l.Texts)
	}
	return n
}

// Layer appends an empty layer clipped to clip and returns it. The pointer is valid until the next
// call. After a Reset it reuses the storage of the layer that was in its place.
func (s *Scene) Layer(clip geom.Rect) *Layer {
	if n := len(s.Layers); n < cap(s.Layers) {
		s.Layers = s.Layers[:n+1]
		old := &s.Layers[n]
		*old = Layer{
			Clip:    clip,
			Tubes:   Tubes{Knots: old.Tubes.Knots[:0], Tubes: old.Tubes.Tubes[:0]},
			Ribbons: old.Ribbons[:0], Arcs: old.Arcs[:0], Quads: old.Quads[:0], Texts: old.Texts[:0],
		}
		return old
	}
	s.Layers = append(s.Layers, Layer{Clip: clip})
	return &s.Layers[len(s.Layers)-1]
}

// Reset empties s for a view of the given size and keeps its storage.
func (s *Scene) Reset(size geom.Size) { s.Size, s.Layers = size, s.Layers[:0] }

// Fill appends a flat rectangle.
func (l *Layer) Fill(r geom.Rect, c color.NRGBA) {
	l.Quads = append(l.Quads, Quad{Rect: r, Fill: c, U1: 1})
}

// Border appends the outline of r, w px wide and inside it.
func (l *Layer) Border(r geom.Rect, c color.NRGBA, w float32) {
	l.Quads = append(l.Quads, Quad{Rect: r, Fill: c, Shade: Outline, Line: w, U1: 1})
}

// Line appends a straight line, w px wide: a ribbon whose two edges are the same.
func (l *Layer) Line(p, q geom.Point, c color.NRGBA, w float32) {
	at := func(t float32) geom.Point {
		return geom.Point{X: p.X + t*(q.X-p.X), Y: p.Y + t*(q.Y-p.Y)}
	}
	edge := [4]geom.Point{p, at(1. / 3), at(2. / 3), q}
	l.Ribbons = append(l.Ribbons, Ribbon{Edges: [2][4]geom.Point{edge, edge}, Line: w, Ink: c})
}

// Write appends a text.
func (l *Layer) Write(t Text) { l.Texts = append(l.Texts, t) }
