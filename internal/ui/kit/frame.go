package kit

import (
	"image"

	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"

	"diptych/internal/scene"
)

// Bound keeps v within its limits; where they contradict each other the upper one wins.
func Bound(v, least, most float32) float32 { return min(max(v, least), most) }

// At runs draw with its origin at r's corner, clipped to r.
func At(gtx layout.Context, r image.Rectangle, draw func(gtx layout.Context)) {
	defer op.Offset(r.Min).Push(gtx.Ops).Pop()
	defer clip.Rect{Max: r.Size()}.Push(gtx.Ops).Pop()
	gtx.Constraints = layout.Exact(r.Size())
	draw(gtx)
}

// Card draws a pane's ground on a layer of a scene: a rounded rectangle with a hairline.
func (k *Kit) Card(l *scene.Layer, r image.Rectangle) {
	rad := k.Px(6)
	l.Quads = append(l.Quads,
		scene.Quad{Rect: Rect(r), Fill: k.Pal.Pane, Radius: rad, U1: 1},
		scene.Quad{Rect: Rect(r), Fill: k.Pal.Line, Shade: scene.Outline, Line: k.Px(1),
			Radius: rad, U1: 1})
}

// FloatingCard paints the ground of what lies over the views, such as a tooltip: a rounded
// rectangle with a hairline and a shadow.
func (k *Kit) FloatingCard(gtx layout.Context, r image.Rectangle) {
	FillRound(gtx, r.Add(image.Pt(0, gtx.Dp(2))).Inset(-gtx.Dp(1)), gtx.Dp(6), k.Pal.Shadow)
	FillRound(gtx, r, gtx.Dp(5), k.Pal.Pane)
	StrokeRound(gtx, r, gtx.Dp(5), k.Px(1), k.Pal.Line)
}
