package scene

import (
	"image/color"

	"diptych/internal/geom"
)

// Arc is a bent rectangle: what lies between two radii and two angles around a centre. Angles are in
// radians; 0 points to the right, and they grow clockwise, as y points down. One narrower than a
// pixel on its middle radius, or thinner than a pixel, is widened to one by the renderer, never
// dropped. U0 and U1 are what Quad has them for, along the angle; of the shades it knows Flat,
// Cushion, Hatch and Outline.
type Arc struct {
	Centre   geom.Point
	R0, R1   float32 // px, R0 < R1
	From, To float32 // From < To
	Fill     color.NRGBA
	Shade    Shade
	Line     float32 // border width in px for Outline
	U0, U1   float32
}

// Ribbon is the area between two cubic Bézier curves, each given by its four control points, and
// the straight lines that join their ends (SyncTrace, IV-D). Curves that end in one point make a
// spike.
type Ribbon struct {
	Edges [2][4]geom.Point
	Fill  color.NRGBA
	Line  float32 // width in px of a border along both curves, 0 for none
	Ink   color.NRGBA
}
