package scene

import "image/color"

// Tubes are curved bands from cell to cell (TraceDiff, IV-C). The axis of one is a uniform cubic
// B-spline over its knots, of which the first and the last count three times, so that it begins and
// ends at them. Knots are all that a view computes: the renderer evaluates the curves on the GPU,
// and Axis and Pick evaluate the same ones here.
//
// At share t of the way along the axis, by length, the half-width is
// φ(t)·((1−t)·W0/2 + t·W1/2), φ(t) = Lambda + (1−Lambda)/2·(1 + cos 2πt) (DESIGN §11), measured
// along x; what is thinner than a line is a line, whose width is measured across it. The profile
// across is a parabolic cushion, dark at the borders.
//
// The nearer tube hides the farther, wherever they cross. Those who list tubes list them from the
// back to the front, so that soft borders and translucent tubes blend with what lies behind them.
type Tubes struct {
	Knots  []Knot
	Tubes  []Tube
	Lambda float32 // thickness in the middle, as a share of that at the ends, 0 to 1
	Morph  float32 // 0 draws lines, 1 tubes, what is between what is between
	Line   float32 // width of a line, px
	Spine  float32 // opacity of a line along each tube's axis, 0 to 1
}

// Knot is a control point of an axis.
type Knot struct {
	X, Y float32 // px from the view's top left corner
	At   float32 // length of the control polygon up to here, as a share of all of it
}

// Tube is one band.
type Tube struct {
	First, Count uint32  // its knots are Tubes.Knots[First:First+Count]; at least two
	W0, W1       float32 // widths at the first and the last knot, px
	Z0, Z1       float32 // nearness at the ends, 0 to 1; the nearer hides the farther
	Fill         color.NRGBA
	Gloss        float32 // strength of a white highlight along the axis, 0 to 1
}
