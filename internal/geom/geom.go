// Package geom holds the plain geometry every layer above the trace model shares: sizes, points and
// rectangles in device pixels, time spans in nanoseconds, and the transform between the two. It
// knows nothing of traces, drawing or windows.
package geom

// Point is a position in device pixels; x grows to the right, y downwards.
type Point struct{ X, Y float32 }

// Size is an extent in device pixels.
type Size struct{ W, H float32 }

// Rect is the half-open rectangle [X0,X1) × [Y0,Y1) in device pixels.
type Rect struct{ X0, Y0, X1, Y1 float32 }

// W returns the width of r.
func (r Rect) W() float32 { return r.X1 - r.X0 }

// H returns the height of r.
func (r Rect) H() float32 { return r.Y1 - r.Y0 }

// Empty reports whether r covers no area.
func (r Rect) Empty() bool { return r.X1 <= r.X0 || r.Y1 <= r.Y0 }

// Contains reports whether p lies in r, its right and bottom borders excluded.
func (r Rect) Contains(p Point) bool {
	return p.X >= r.X0 && p.X < r.X1 && p.Y >= r.Y0 && p.Y < r.Y1
}

// Intersect returns the common part of r and s; it is Empty when they do not meet.
func (r Rect) Intersect(s Rect) Rect {
	return Rect{max(r.X0, s.X0), max(r.Y0, s.Y0), min(r.X1, s.X1), min(r.Y1, s.Y1)}
}

// Inset returns r with d taken off each side.
func (r Rect) Inset(d float32) Rect { return Rect{r.X0 + d, r.Y0 + d, r.X1 - d, r.Y1 - d} }

// Offset returns r moved by (dx, dy).
func (r Rect) Offset(dx, dy float32) Rect {
	return Rect{r.X0 + dx, r.Y0 + dy, r.X1 + dx, r.Y1 + dy}
}
