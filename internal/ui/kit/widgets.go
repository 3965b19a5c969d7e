package kit

import (
	"image"
	"image/color"

	"gioui.org/font"
	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/text"
	"gioui.org/unit"
	"gioui.org/widget"
	"gioui.org/widget/material"

	"diptych/internal/pair"
)

// Badge draws the side's letter on its colour.
func (k *Kit) Badge(gtx layout.Context, side pair.Side) layout.Dimensions {
	d := gtx.Dp(18)
	size := image.Pt(d, d)
	FillRound(gtx, image.Rectangle{Max: size}, gtx.Dp(4), k.Pal.Side(int(side)))
	gtx.Constraints = layout.Exact(size)
	return Centred(gtx, func(gtx layout.Context) layout.Dimensions {
		return k.Label(gtx, side.String(),
			Style{Size: Normal, Color: k.Pal.OnSide, Weight: font.Bold})
	})
}

// Centred lays out w in the middle of the maximal constraints.
func Centred(gtx layout.Context, w layout.Widget) layout.Dimensions {
	gtx.Constraints.Min = gtx.Constraints.Max
	return layout.Center.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		gtx.Constraints.Min = image.Point{}
		return w(gtx)
	})
}

// Pressable is a clickable area with a hover tint, a ring while the keyboard has chosen it and, for
// assistive tools and tests, a name.
func (k *Kit) Pressable(gtx layout.Context, c *widget.Clickable, name string, on bool,
	w layout.Widget) layout.Dimensions {
	return c.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		semantic.Button.Add(gtx.Ops)
		semantic.LabelOp(name).Add(gtx.Ops)
		m := op.Record(gtx.Ops)
		d := w(gtx)
		call := m.Stop()
		r := image.Rectangle{Max: d.Size}
		if tint := k.tint(c.Hovered(), on); tint.A > 0 {
			FillRound(gtx, r, gtx.Dp(5), tint)
		}
		defer clip.Rect(r).Push(gtx.Ops).Pop()
		pointer.CursorPointer.Add(gtx.Ops)
		call.Add(gtx.Ops)
		if gtx.Focused(c) { // by Tab: a click leaves the focus where it is
			k.ring(gtx, r, name)
		}
		return d
	})
}

// ring is drawn around the control of that name, which has the focus, within r.
func (k *Kit) ring(gtx layout.Context, r image.Rectangle, name string) {
	k.ringed = name
	StrokeRound(gtx, r.Inset(1), gtx.Dp(5), k.Px(1.5), k.Pal.A)
}

// tint is the ground of a control that is on or pointed at; for others it is transparent.
func (k *Kit) tint(hovered, on bool) color.NRGBA {
	switch {
	case on:
		return k.Pal.AFaint
	case hovered:
		return k.Pal.Raised
	}
	return color.NRGBA{}
}

// Button is a text that does something when clicked. It is as wide as while it is on, when its text
// is bolder, so what stands beside it stays in its place.
func (k *Kit) Button(gtx layout.Context, c *widget.Clickable, label, name string,
	on bool) layout.Dimensions {
	return k.Pressable(gtx, c, name, on, func(gtx layout.Context) layout.Dimensions {
		return layout.Inset{Left: 9, Right: 9, Top: 5, Bottom: 5}.Layout(gtx,
			func(gtx layout.Context) layout.Dimensions {
				st := k.Text()
				st.Color, st.Weight = k.Pal.AText, font.Medium
				m := op.Record(gtx.Ops)
				d := k.Label(gtx, label, st)
				bold := m.Stop()
				if on {
					bold.Add(gtx.Ops)
					return d
				}
				width := d.Size.X
				d = k.Label(gtx, label, k.Text())
				d.Size.X = max(d.Size.X, width)
				return d
			})
	})
}

// Field is a text field with a hint on a raised ground. The kit notes that this frame shows it, for
// Editing.
func (k *Kit) Field(gtx layout.Context, e *widget.Editor, hint, name string) layout.Dimensions {
	k.editors = append(k.editors, e)
	h := gtx.Dp(26)
	r := image.Rectangle{Max: image.Pt(gtx.Constraints.Max.X, h)}
	FillRound(gtx, r, gtx.Dp(5), k.Pal.Raised)
	if gtx.Focused(e) {
		k.ring(gtx, r, name)
	} else {
		StrokeRound(gtx, r, gtx.Dp(5), k.Px(1), k.Pal.Edge)
	}
	gtx.Constraints = layout.Exact(r.Size())
	defer clip.Rect(r).Push(gtx.Ops).Pop()
	semantic.LabelOp(name).Add(gtx.Ops)
	layout.Inset{Left: 9, Right: 9}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		gtx.Constraints.Min = gtx.Constraints.Max
		return layout.W.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
			gtx.Constraints.Min = image.Pt(gtx.Constraints.Max.X, 0)
			ed := material.Editor(k.theme(), e, hint)
			ed.TextSize, ed.Color, ed.HintColor = Normal, k.Pal.Text, k.Pal.Secondary
			ed.SelectionColor = k.Pal.AFaint
			return ed.Layout(gtx)
		})
	})
	return layout.Dimensions{Size: r.Size()}
}

// Rule draws a hairline across the top of the constraints.
func (k *Kit) Rule(gtx layout.Context) {
	Fill(gtx, image.Rect(0, 0, gtx.Constraints.Max.X, max(1, gtx.Dp(1))), k.Pal.Line)
}

// Rows lays out a scrolled list of n rows.
func (k *Kit) Rows(gtx layout.Context, l *widget.List, n int,
	row layout.ListElement) layout.Dimensions {
	l.Axis = layout.Vertical
	s := material.List(k.theme(), l)
	s.AnchorStrategy = material.Overlay
	s.Indicator.Color = k.Pal.Edge
	s.Indicator.HoverColor = k.Pal.Secondary
	s.Indicator.MinorWidth = 5
	return s.Layout(gtx, n, row)
}

// Cell lays out a text of a table column of fixed width in dp.
func (k *Kit) Cell(width unit.Dp, s string, st Style) layout.FlexChild {
	return layout.Rigid(func(gtx layout.Context) layout.Dimensions {
		w := gtx.Dp(width)
		gtx.Constraints.Min.X, gtx.Constraints.Max.X = w, w
		k.Label(gtx, s, st)
		return layout.Dimensions{Size: image.Pt(w, gtx.Dp(18))}
	})
}

// Right aligns a text to the right.
func Right(st Style) Style {
	st.Align = text.End
	return st
}

// Wide lets w take the rest of a row.
func Wide(w layout.Widget) layout.FlexChild {
	return layout.Flexed(1, func(gtx layout.Context) layout.Dimensions {
		gtx.Constraints.Min.X = gtx.Constraints.Max.X
		return w(gtx)
	})
}

// Space is free room of so many dp in a row.
func Space(dp unit.Dp) layout.FlexChild { return layout.Rigid(layout.Spacer{Width: dp}.Layout) }
