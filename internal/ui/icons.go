package ui

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

// icon is a drawing of polylines in a square of 16 by 16.
type icon [][]f32.Point

// swapIcon is two arrows that point past each other.
var swapIcon = icon{
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

// iconButton is an icon that does something when clicked.
func (a *App) iconButton(gtx layout.Context, c *widget.Clickable, i icon, name string) layout.Dimensions {
	return a.pressable(gtx, c, name, false, func(gtx layout.Context) layout.Dimensions {
		return layout.UniformInset(6).Layout(gtx, func(gtx layout.Context) layout.Dimensions {
			return i.draw(gtx, a.look.pal.Secondary)
		})
	})
}

func (i icon) draw(gtx layout.Context, c color.NRGBA) layout.Dimensions {
	k := gtx.Metric.PxPerDp
	for _, line := range i {
		var p clip.Path
		p.Begin(gtx.Ops)
		for n, at := range line {
			if n == 0 {
				p.MoveTo(at.Mul(k))
			} else {
				p.LineTo(at.Mul(k))
			}
		}
		paint.FillShape(gtx.Ops, c, clip.Stroke{Path: p.End(), Width: 1.4 * k}.Op())
	}
	return layout.Dimensions{Size: image.Pt(gtx.Dp(16), gtx.Dp(16))}
}
