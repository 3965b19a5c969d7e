// Package icon draws the program's icon: the stacks of two traces and a tube between them. Window,
// packages and the SVG file have it from one list of shapes.
package icon

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"strings"

	"golang.org/x/image/vector"
)

// units is the width and height of the icon in the units of its shapes.
const units = 64

// Sizes are the widths in pixels that desktops ask for.
func Sizes() []int { return []int{16, 24, 32, 48, 64, 128, 256} }

// point is a place in the icon, in units from its upper left corner.
type point struct{ x, y float32 }

// shape is a closed outline of cubic Bézier curves that is filled: the first point, then three for
// each curve.
type shape struct {
	fill   color.NRGBA
	points []point
}

var (
	ground = color.NRGBA{0x22, 0x2b, 0x3a, 0xff}
	tube   = color.NRGBA{0xd9, 0xdf, 0xe8, 0xff}
	traceA = [2]color.NRGBA{{0xf2, 0xa5, 0x41, 0xff}, {0xf8, 0xc8, 0x85, 0xff}} // caller, callees
	traceB = [2]color.NRGBA{{0x5a, 0xb0, 0xe8, 0xff}, {0x9b, 0xd0, 0xf3, 0xff}}
)

// shapes is the icon, from the back to the front. Stacks grow to the middle, as in the window.
// Edges lie at multiples of four, which are whole pixels at 16 pixels and more.
var shapes = []shape{
	box(ground, 0, 0, 64, 64, 13),
	band(tube, 8, 24, 24, 32, 52, 40),
	box(traceA[0], 8, 8, 56, 16, 1),
	box(traceA[1], 8, 16, 24, 24, 1),
	box(traceA[1], 32, 16, 52, 24, 1),
	box(traceB[1], 12, 40, 24, 48, 1),
	box(traceB[1], 32, 40, 52, 48, 1),
	box(traceB[0], 8, 48, 56, 56, 1),
}

// line returns the curve that is a straight line between two points.
func line(a, b point) []point {
	return []point{{a.x + (b.x-a.x)/3, a.y + (b.y-a.y)/3}, {b.x - (b.x-a.x)/3, b.y - (b.y-a.y)/3}, b}
}

// box is a rectangle whose corners are rounded with radius r.
func box(fill color.NRGBA, x0, y0, x1, y1, r float32) shape {
	const k = 0.5523 // of the radius: how far the handles of a quarter of a circle reach
	h := r * (1 - k)
	corners := [][3]point{ // where a corner begins and ends, and in the middle its apex
		{{x1 - r, y0}, {x1, y0}, {x1, y0 + r}},
		{{x1, y1 - r}, {x1, y1}, {x1 - r, y1}},
		{{x0 + r, y1}, {x0, y1}, {x0, y1 - r}},
		{{x0, y0 + r}, {x0, y0}, {x0 + r, y0}},
	}
	s := shape{fill, []point{{x0 + r, y0}}}
	for _, c := range corners {
		s.points = append(s.points, line(s.points[len(s.points)-1], c[0])...)
		toward := func(p point) point {
			return point{c[1].x + (p.x-c[1].x)*h/r, c[1].y + (p.y-c[1].y)*h/r}
		}
		s.points = append(s.points, toward(c[0]), toward(c[2]), c[2])
	}
	return s
}

// band leads from the span between x0 and x1 at y0 down to that between u0 and u1 at y1.
func band(fill color.NRGBA, x0, x1, y0, u0, u1, y1 float32) shape {
	middle := (y0 + y1) / 2
	s := shape{fill, []point{{x0, y0}}}
	s.points = append(s.points, line(point{x0, y0}, point{x1, y0})...)
	s.points = append(s.points, point{x1, middle}, point{u1, middle}, point{u1, y1})
	s.points = append(s.points, line(point{u1, y1}, point{u0, y1})...)
	return shape{fill, append(s.points, point{u0, middle}, point{x0, middle}, point{x0, y0})}
}

// Image draws the icon with a width and height in pixels.
func Image(size int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, size, size))
	scale := float32(size) / units
	for _, s := range shapes {
		r := vector.NewRasterizer(size, size)
		at := func(i int) (x, y float32) { return s.points[i].x * scale, s.points[i].y * scale }
		r.MoveTo(at(0))
		for i := 1; i+2 < len(s.points); i += 3 {
			bx, by := at(i)
			cx, cy := at(i + 1)
			dx, dy := at(i + 2)
			r.CubeTo(bx, by, cx, cy, dx, dy)
		}
		r.ClosePath()
		r.DrawOp = draw.Over
		r.Draw(img, img.Bounds(), image.NewUniform(s.fill), image.Point{})
	}
	return img
}

// SVG writes the icon as an SVG file.
func SVG() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %[1]d">`+"\n", units)
	for _, s := range shapes {
		fmt.Fprintf(&b, `<path fill="#%02x%02x%02x" d="M%.5g %.5gC`, s.fill.R, s.fill.G, s.fill.B,
			s.points[0].x, s.points[0].y)
		for _, p := range s.points[1:] {
			fmt.Fprintf(&b, " %.5g %.5g", p.x, p.y)
		}
		b.WriteString("Z\"/>\n")
	}
	return b.String() + "</svg>\n"
}
