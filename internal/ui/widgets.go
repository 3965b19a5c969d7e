package ui

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

// badge draws the side's letter on its colour.
func (a *App) badge(gtx layout.Context, side pair.Side) layout.Dimensions {
	d := gtx.Dp(18)
	size := image.Pt(d, d)
	fillRound(gtx, image.Rectangle{Max: size}, gtx.Dp(4), a.look.pal.Side(int(side)))
	gtx.Constraints = layout.Exact(size)
	return centred(gtx, func(gtx layout.Context) layout.Dimensions {
		return a.look.label(gtx, side.String(),
			style{size: normal, color: a.look.pal.OnSide, weight: font.Bold})
	})
}

// centred lays out w in the middle of the maximal constraints.
func centred(gtx layout.Context, w layout.Widget) layout.Dimensions {
	gtx.Constraints.Min = gtx.Constraints.Max
	return layout.Center.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		gtx.Constraints.Min = image.Point{}
		return w(gtx)
	})
}

// pressable is a clickable area with a hover tint and, for assistive tools and tests, a name.
func (a *App) pressable(gtx layout.Context, c *widget.Clickable, name string, on bool,
	w layout.Widget) layout.Dimensions {
	return c.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		semantic.Button.Add(gtx.Ops)
		semantic.LabelOp(name).Add(gtx.Ops)
		m := op.Record(gtx.Ops)
		d := w(gtx)
		call := m.Stop()
		r := image.Rectangle{Max: d.Size}
		if tint := a.tint(c.Hovered(), on); tint.A > 0 {
			fillRound(gtx, r, gtx.Dp(5), tint)
		}
		defer clip.Rect(r).Push(gtx.Ops).Pop()
		pointer.CursorPointer.Add(gtx.Ops)
		call.Add(gtx.Ops)
		return d
	})
}

func (a *App) tint(hovered, on bool) color.NRGBA {
	switch {
	case on:
		return a.look.pal.AFaint
	case hovered:
		return a.look.pal.Raised
	}
	return color.NRGBA{}
}

// button is a text that does something when clicked.
func (a *App) button(gtx layout.Context, c *widget.Clickable, label, name string, on bool) layout.Dimensions {
	return a.pressable(gtx, c, name, on, func(gtx layout.Context) layout.Dimensions {
		return layout.Inset{Left: 9, Right: 9, Top: 5, Bottom: 5}.Layout(gtx,
			func(gtx layout.Context) layout.Dimensions {
				st := a.look.text()
				if on {
					st.color, st.weight = a.look.pal.A, font.Medium
				}
				return a.look.label(gtx, label, st)
			})
	})
}

// field is a text field with a hint on a raised ground.
func (a *App) field(gtx layout.Context, e *widget.Editor, hint, name string) layout.Dimensions {
	h := gtx.Dp(26)
	r := image.Rectangle{Max: image.Pt(gtx.Constraints.Max.X, h)}
	fillRound(gtx, r, gtx.Dp(5), a.look.pal.Raised)
	if gtx.Focused(e) {
		strokeRound(gtx, r.Inset(1), gtx.Dp(5), a.px(1.5), a.look.pal.A)
	}
	gtx.Constraints = layout.Exact(r.Size())
	defer clip.Rect(r).Push(gtx.Ops).Pop()
	semantic.LabelOp(name).Add(gtx.Ops)
	layout.Inset{Left: 9, Right: 9}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		gtx.Constraints.Min = gtx.Constraints.Max
		return layout.W.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
			gtx.Constraints.Min = image.Pt(gtx.Constraints.Max.X, 0)
			ed := material.Editor(a.look.th, e, hint)
			ed.TextSize, ed.Color, ed.HintColor = normal, a.look.pal.Text, a.look.pal.Secondary
			ed.SelectionColor = a.look.pal.AFaint
			return ed.Layout(gtx)
		})
	})
	return layout.Dimensions{Size: r.Size()}
}

// rule draws a hairline across the top of the constraints.
func (a *App) rule(gtx layout.Context) {
	fill(gtx, image.Rect(0, 0, gtx.Constraints.Max.X, max(1, gtx.Dp(1))), a.look.pal.Line)
}

// rows lays out a scrolled list.
func (a *App) rows(gtx layout.Context, l *widget.List, n int, row layout.ListElement) layout.Dimensions {
	l.Axis = layout.Vertical
	s := material.List(a.look.th, l)
	s.AnchorStrategy = material.Overlay
	s.Indicator.Color = a.look.pal.Line
	s.Indicator.HoverColor = a.look.pal.Secondary
	s.Indicator.MinorWidth = 5
	return s.Layout(gtx, n, row)
}

// cell lays out a text of a table column of fixed width in dp.
func (a *App) cell(width unit.Dp, s string, st style) layout.FlexChild {
	return layout.Rigid(func(gtx layout.Context) layout.Dimensions {
		w := gtx.Dp(width)
		gtx.Constraints.Min.X, gtx.Constraints.Max.X = w, w
		a.look.label(gtx, s, st)
		return layout.Dimensions{Size: image.Pt(w, gtx.Dp(18))}
	})
}

func right(st style) style {
	st.align = text.End
	return st
}

// wide lets w take the rest of a row.
func wide(w layout.Widget) layout.FlexChild {
	return layout.Flexed(1, func(gtx layout.Context) layout.Dimensions {
		gtx.Constraints.Min.X = gtx.Constraints.Max.X
		return w(gtx)
	})
}

func space(dp unit.Dp) layout.FlexChild { return layout.Rigid(layout.Spacer{Width: dp}.Layout) }
