package kit

import (
	"image"
	"image/color"
	"sync"

	"gioui.org/font"
	"gioui.org/font/opentype"
	"gioui.org/layout"
	"gioui.org/op/clip"
	"gioui.org/op/paint"
	"gioui.org/text"
	"gioui.org/widget/material"

	"diptych/internal/typeface"
)

// The families of the shipped fonts.
const (
	sans = font.Typeface(typeface.Sans)
	mono = font.Typeface(typeface.Mono)
)

// newTheme returns a theme with the shipped fonts alone.
func newTheme() *material.Theme {
	th := material.NewTheme()
	th.Shaper = text.NewShaper(text.NoSystemFonts(), text.WithCollection(faces()))
	th.Face = sans
	th.TextSize = 13
	return th
}

// faces are the shipped fonts, parsed once: a face may be used by several shapers. They are part
// of the program, so a broken one shows in every test.
var faces = sync.OnceValue(func() []font.FontFace {
	var out []font.FontFace
	add := func(ttf []byte, f font.Font, weights ...font.Weight) {
		face, err := opentype.Parse(ttf)
		if err != nil {
			return
		}
		for _, f.Weight = range weights {
			out = append(out, font.FontFace{Font: f, Face: face})
		}
	}
	add(typeface.Regular(), font.Font{Typeface: sans}, font.Normal)
	add(typeface.Medium(), font.Font{Typeface: sans}, font.Medium)
	add(typeface.Bold(), font.Font{Typeface: sans}, font.Bold)
	// A face of another weight is not asked for signs.
	add(typeface.Signs(), font.Font{Typeface: typeface.Sign}, font.Normal, font.Medium, font.Bold)
	add(typeface.Monospace(), font.Font{Typeface: mono}, font.Normal, font.Medium, font.Bold)
	return out
})

// Fill paints r.
func Fill(gtx layout.Context, r image.Rectangle, c color.NRGBA) {
	paint.FillShape(gtx.Ops, c, clip.Rect(r).Op())
}

// FillRound paints r with rounded corners.
func FillRound(gtx layout.Context, r image.Rectangle, radius int, c color.NRGBA) {
	paint.FillShape(gtx.Ops, c, clip.UniformRRect(r, radius).Op(gtx.Ops))
}

// StrokeRound outlines r.
func StrokeRound(gtx layout.Context, r image.Rectangle, radius int, width float32, c color.NRGBA) {
	paint.FillShape(gtx.Ops, c,
		clip.Stroke{Path: clip.UniformRRect(r, radius).Path(gtx.Ops), Width: width}.Op())
}
