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

// Span is the time range [Start, End] in ns. It is kept in floating point so that repeated zooming
// and panning does not accumulate rounding; a float64 holds ns exactly up to 104 days.
type Span struct{ Start, End float64 }

// Len returns the length of s in ns.
func (s Span) Len() float64 { return s.End - s.Start }

// Mid returns the middle of s.
func (s Span) Mid() float64 { return (s.Start + s.End) / 2 }

// Contains reports whether t lies in s, borders included.
func (s Span) Contains(t float64) bool { return t >= s.Start && t <= s.End }

// Shift returns s moved by dt.
func (s Span) Shift(dt float64) Span { return Span{s.Start + dt, s.End + dt} }

// ZoomAt returns s scaled by factor (below 1 zooms in) with the time at held in place.
func (s Span) ZoomAt(at, factor float64) Span {
	return Span{at + (s.Start-at)*factor, at + (s.End-at)*factor}
}

// Clamp returns s moved, and where it is longer than limit shortened, so that it lies in limit.
func (s Span) Clamp(limit Span) Span {
	if s.Len() >= limit.Len() {
		return limit
	}
	if s.Start < limit.Start {
		return s.Shift(limit.Start - s.Start)
	}
	if s.End > limit.End {
		return s.Shift(limit.End - s.End)
	}
	return s
}

// Axis maps the time Span onto the pixel range [X0, X1] linearly.
type Axis struct {
	Span   Span
	X0, X1 float32
}

// X returns the pixel position of time t. It is computed in float64 relative to the span's start,
// so that neighbouring calls keep their order at any zoom.
func (a Axis) X(t float64) float32 {
	return float32(float64(a.X0) + (t-a.Span.Start)*float64(a.X1-a.X0)/a.Span.Len())
}

// T returns the time at pixel position x.
func (a Axis) T(x float32) float64 {
	return a.Span.Start + float64(x-a.X0)*a.NsPerPx()
}

// NsPerPx returns how many ns one pixel covers.
func (a Axis) NsPerPx() float64 { return a.Span.Len() / float64(a.X1-a.X0) }
