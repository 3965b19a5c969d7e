package ui

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

	"diptych/internal/palette"
	"diptych/internal/typeface"
)

// look is the theme: colours by role and the shipped fonts.
type look struct {
	pal         *palette.Palette
	light, dark [2]*palette.Palette // by palette.Scheme
	th          *material.Theme
}

const (
	sans = font.Typeface("Roboto")
	mono = font.Typeface("Go Mono")
)

func newLook() *look {
	k := &look{th: material.NewTheme()}
	for _, scheme := range []palette.Scheme{palette.Usual, palette.ColourBlind} {
		k.light[scheme] = palette.Light().WithScheme(scheme)
		k.dark[scheme] = palette.Dark().WithScheme(scheme)
	}
	k.th.Shaper = text.NewShaper(text.NoSystemFonts(), text.WithCollection(faces()))
	k.th.Face = sans
	k.th.TextSize = 13
	k.use(false, false)
	return k
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

// use chooses the theme and the scheme of colours.
func (k *look) use(dark, colourBlind bool) {
	themes, scheme := &k.light, palette.Usual
	if dark {
		themes = &k.dark
	}
	if colourBlind {
		scheme = palette.ColourBlind
	}
	k.pal = themes[scheme]
	k.th.Palette = material.Palette{Fg: k.pal.Text, Bg: k.pal.Pane, ContrastBg: k.pal.A,
		ContrastFg: k.pal.OnSide}
}

// style is how a line of text looks.
type style struct {
	size   unit.Sp
	color  color.NRGBA
	weight font.Weight
	mono   bool
	align  text.Alignment
	lines  int // 0 for one line
}

// Sizes of the one sans family, in sp.
const (
	small  unit.Sp = 11
	normal unit.Sp = 12
	large  unit.Sp = 13
)

func (k *look) text() style  { return style{size: normal, color: k.pal.Text} }
func (k *look) faint() style { return style{size: normal, color: k.pal.Secondary} }

// label lays out s within the constraints, shortened with … where it does not fit.
func (k *look) label(gtx layout.Context, s string, st style) layout.Dimensions {
	lines := max(st.lines, 1)
	f := font.Font{Typeface: sans, Weight: st.weight}
	if st.mono {
		f.Typeface = mono
	}
	gtx.Constraints.Min.Y = 0
	m := op.Record(gtx.Ops)
	paint.ColorOp{Color: st.color}.Add(gtx.Ops)
	material := m.Stop()
	l := widget.Label{MaxLines: lines, Alignment: st.align, Truncator: "…"}
	return l.Layout(gtx, k.th.Shaper, f, st.size, s, material)
}

// fill paints r.
func fill(gtx layout.Context, r image.Rectangle, c color.NRGBA) {
	paint.FillShape(gtx.Ops, c, clip.Rect(r).Op())
}

// fillRound paints r with rounded corners.
func fillRound(gtx layout.Context, r image.Rectangle, radius int, c color.NRGBA) {
	paint.FillShape(gtx.Ops, c, clip.UniformRRect(r, radius).Op(gtx.Ops))
}

// strokeRound outlines r.
func strokeRound(gtx layout.Context, r image.Rectangle, radius int, width float32, c color.NRGBA) {
	paint.FillShape(gtx.Ops, c,
		clip.Stroke{Path: clip.UniformRRect(r, radius).Path(gtx.Ops), Width: width}.Op())
}
