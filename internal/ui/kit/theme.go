package kit

import (
	"image"
	"image/color"

	"gioui.org/font"
	"gioui.org/font/opentype"
	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/op/paint"
	"gioui.org/text"
	"gioui.org/unit"
	"gioui.org/widget"
	"gioui.org/widget/material"

	"diptych/internal/typeface"
)

// The families of the shipped fonts.
const (
	sans = font.Typeface("Roboto")
	mono = font.Typeface("Go Mono")
)

// newTheme returns a theme with the shipped fonts alone.
func newTheme() *material.Theme {
	th := material.NewTheme()
	th.Shaper = text.NewShaper(text.NoSystemFonts(), text.WithCollection(faces()))
	th.Face = sans
	th.TextSize = 13
	return th
}

// faces parses the shipped fonts; they are part of the program, so a broken one shows in every
// test.
func faces() []font.FontFace {
	var out []font.FontFace
	add := func(ttf []byte, f font.Font) {
		if face, err := opentype.Parse(ttf); err == nil {
			out = append(out, font.FontFace{Font: f, Face: face})
		}
	}
	add(typeface.Regular(), font.Font{Typeface: sans})
	add(typeface.Medium(), font.Font{Typeface: sans, Weight: font.Medium})
	add(typeface.Bold(), font.Font{Typeface: sans, Weight: font.Bold})
	add(typeface.Monospace(), font.Font{Typeface: mono})
	return out
}

// Style is how a line of text looks.
type Style struct {
	Size   unit.Sp
	Color  color.NRGBA
	Weight font.Weight
	Mono   bool
	Align  text.Alignment
	Lines  int // 0 for one line
}

// Sizes of the one sans family, in sp.
const (
	Small  unit.Sp = 11
	Normal unit.Sp = 12
	Large  unit.Sp = 13
)

// Text is how a line of text looks that is read.
func (k *Kit) Text() Style { return Style{Size: Normal, Color: k.Pal.Text} }

// Faint is how a text looks that explains another.
func (k *Kit) Faint() Style { return Style{Size: Normal, Color: k.Pal.Secondary} }

// Caption is how a small text looks that stands beside or below another.
func (k *Kit) Caption() Style { return Style{Size: Small, Color: k.Pal.Secondary} }

// Label lays out s within the constraints, shortened with … where it does not fit.
func (k *Kit) Label(gtx layout.Context, s string, st Style) layout.Dimensions {
	lines := max(st.Lines, 1)
	f := font.Font{Typeface: sans, Weight: st.Weight}
	if st.Mono {
		f.Typeface = mono
	}
	gtx.Constraints.Min.Y = 0
	m := op.Record(gtx.Ops)
	paint.ColorOp{Color: st.Color}.Add(gtx.Ops)
	material := m.Stop()
	l := widget.Label{MaxLines: lines, Alignment: st.Align, Truncator: "…"}
	return l.Layout(gtx, k.th.Shaper, f, st.Size, s, material)
}

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
