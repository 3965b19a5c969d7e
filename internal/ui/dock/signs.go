package dock

import (
	"image"
	"image/color"

	"gioui.org/f32"
	"gioui.org/font"
	"gioui.org/op/clip"
	"gioui.org/op/paint"

	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
)

// signs stand before findings, by the name of their kind, and triangles before those that are
// slower or faster: the shape says what the colour says.
var signs = map[string]string{
	"missing": "−", "new": "+", "moved": "»", "renamed": "≈", "repeat": "×", "divergence": "|",
	"threads": "=", "called": "×", "burst": "*", "wait": "‖", "pace": "~", "io": "io", "idle": "…",
	"offCpu": "¦", "overlap": "‡",
}

// signColour returns the colour of a kind's sign.
func signColour(c *view.Context, kind string) color.NRGBA {
	switch kind {
	case "slower":
		return c.Kit.Pal.Past
	case "faster":
		return c.Kit.Pal.Future
	case "missing":
		return c.Kit.Pal.A
	case "new":
		return c.Kit.Pal.B
	}
	return c.Kit.Pal.Secondary
}

// sign draws the sign of a kind.
func sign(c *view.Context, gtx C, kind string) D {
	if kind != "slower" && kind != "faster" {
		return c.Kit.Label(gtx, signs[kind], kit.Style{Size: kit.Normal, Color: signColour(c, kind),
			Weight: font.Bold})
	}
	wide, top, tall := c.Kit.Px(9), c.Kit.Px(4), c.Kit.Px(7)
	base, tip := top+tall, top
	if kind == "faster" {
		base, tip = top, top+tall
	}
	var p clip.Path
	p.Begin(gtx.Ops)
	p.MoveTo(f32.Pt(0, base))
	p.LineTo(f32.Pt(wide, base))
	p.LineTo(f32.Pt(wide/2, tip))
	p.Close()
	paint.FillShape(gtx.Ops, signColour(c, kind), clip.Outline{Path: p.End()}.Op())
	return D{Size: image.Pt(gtx.Constraints.Min.X, gtx.Dp(16))}
}
