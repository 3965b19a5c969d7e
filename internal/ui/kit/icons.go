package kit

import (
	"image"
	"image/color"
	"math"

	"gioui.org/f32"
	"gioui.org/layout"
	"gioui.org/op/clip"
	"gioui.org/op/paint"
	"gioui.org/widget"
)

// Icon is a drawing of polylines in a square of 16 by 16.
type Icon [][]f32.Point

// SwapIcon is two arrows that point past each other.
var SwapIcon = Icon{
	{{X: 2.5, Y: 5.5}, {X: 13, Y: 5.5}}, {{X: 10.2, Y: 2.8}, {X: 13, Y: 5.5}, {X: 10.2, Y: 8.2}},
	{{X: 13.5, Y: 10.5}, {X: 3, Y: 10.5}}, {{X: 5.8, Y: 7.8}, {X: 3, Y: 10.5}, {X: 5.8, Y: 13.2}},
}

// ring is a circle as a polyline.
func ring(centre f32.Point, radius float32) []f32.Point {
	const corners = 16
	var line []f32.Point
	for k := range corners + 1 {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / corners)
		line = append(line, centre.Add(f32.Pt(float32(cos), float32(sin)).Mul(radius)))
	}
	return line
}

// IconButton is an icon that does something when clicked.
func (k *Kit) IconButton(gtx layout.Context, c *widget.Clickable, i Icon,
	name string) layout.Dimensions {
	return k.Pressable(gtx, c, name, false, func(gtx layout.Context) layout.Dimensions {
		return layout.UniformInset(6).Layout(gtx, func(gtx layout.Context) layout.Dimensions {
			return i.Draw(gtx, k.Pal.Secondary)
		})
	})
}

// Draw paints the lines of an icon.
func (i Icon) Draw(gtx layout.Context, c color.NRGBA) layout.Dimensions {
	scale := gtx.Metric.PxPerDp
	for _, line := range i {
		var p clip.Path
		p.Begin(gtx.Ops)
		for n, at := range line {
			if n == 0 {
				p.MoveTo(at.Mul(scale))
			} else {
				p.LineTo(at.Mul(scale))
			}
		}
		paint.FillShape(gtx.Ops, c, clip.Stroke{Path: p.End(), Width: 1.4 * scale}.Op())
	}
	return layout.Dimensions{Size: image.Pt(gtx.Dp(16), gtx.Dp(16))}
}

// CrossIcon removes what it stands beside.
var CrossIcon = Icon{{{X: 4.5, Y: 4.5}, {X: 11.5, Y: 11.5}}, {{X: 11.5, Y: 4.5}, {X: 4.5, Y: 11.5}}}

// DownIcon says that something drops from a control.
var DownIcon = Icon{{{X: 4.5, Y: 6.5}, {X: 8, Y: 10}, {X: 11.5, Y: 6.5}}}

// PinIcon stands for an anchor: two heads of pins joined by a line.
var PinIcon = Icon{ring(f32.Pt(8, 4), 2.3), ring(f32.Pt(8, 12), 2.3),
	{{X: 8, Y: 6.3}, {X: 8, Y: 9.7}}}

// Polylines returns an icon of lines through points, given as x and y in the square of 16 by 16.
func Polylines(lines ...[][2]float32) Icon {
	var out Icon
	for _, line := range lines {
		var points []f32.Point
		for _, p := range line {
			points = append(points, f32.Pt(p[0], p[1]))
		}
		out = append(out, points)
	}
	return out
}
