package kit

import (
	"image"
	"image/color"

	"gioui.org/font"
	"gioui.org/layout"
	"gioui.org/unit"
	"gioui.org/widget"

	"diptych/internal/pair"
)

// Hint is shown where a panel has nothing to show.
func (k *Kit) Hint(gtx layout.Context, s string) layout.Dimensions {
	gtx.Constraints.Min.Y = 0
	st := k.Faint()
	st.Lines = 6
	return k.Label(gtx, s, st)
}

// Title heads a section of a panel.
func (k *Kit) Title(gtx layout.Context, s string) layout.Dimensions {
	return layout.Inset{Top: 14, Bottom: 4}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		return k.Label(gtx, s, Style{Size: Small, Color: k.Pal.Secondary, Weight: font.Medium})
	})
}

// notePad is the room beside the text of a Note, dp, where its ground shows that it can be clicked.
const notePad unit.Dp = 6

// InLine has the text of a Note begin where the texts above and below it do, which have no ground.
func (k *Kit) InLine(note layout.Widget) layout.Widget {
	return func(gtx layout.Context) layout.Dimensions {
		return layout.Inset{Left: -notePad, Right: -notePad}.Layout(gtx, note)
	}
}

// Note is a line of text that leads somewhere when it is clicked.
func (k *Kit) Note(c *widget.Clickable, name, text string, ink Style) layout.Widget {
	return func(gtx layout.Context) layout.Dimensions {
		gtx.Constraints.Min.X = gtx.Constraints.Max.X
		return k.Pressable(gtx, c, name, false, func(gtx layout.Context) layout.Dimensions {
			return layout.Inset{Left: notePad, Right: notePad, Top: 4, Bottom: 4}.Layout(gtx,
				func(gtx layout.Context) layout.Dimensions { return k.Label(gtx, text, ink) })
		})
	}
}

// ValueWidth is the width of a column of times, dp.
const ValueWidth unit.Dp = 58

// Value is a number with a note below it.
func (k *Kit) Value(text, note string, ink Style) layout.FlexChild {
	return layout.Rigid(func(gtx layout.Context) layout.Dimensions {
		w := gtx.Dp(ValueWidth)
		gtx.Constraints.Min.X, gtx.Constraints.Max.X = w, w
		return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return k.Label(gtx, text, Right(ink))
			}),
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return k.Label(gtx, note, Right(k.Caption()))
			}))
	})
}

// Columns heads a table: what its lines are, the sides that it has a column of values for, and the
// change between them.
func (k *Kit) Columns(gtx layout.Context, lines string, sides []pair.Side, change bool) layout.Dimensions {
	head := func(s string, ink color.NRGBA) layout.FlexChild {
		return k.Cell(ValueWidth, s, Right(Style{Size: Small, Color: ink, Weight: font.Bold}))
	}
	children := []layout.FlexChild{Wide(func(gtx layout.Context) layout.Dimensions {
		return k.Label(gtx, lines, k.Caption())
	})}
	for _, side := range sides {
		children = append(children, head(side.String(), k.Pal.SideText(int(side))))
	}
	if change {
		children = append(children, head("B − A", k.Pal.Secondary))
	}
	return layout.Inset{Left: 6, Right: 16, Top: 2, Bottom: 2}.Layout(gtx,
		func(gtx layout.Context) layout.Dimensions {
			d := layout.Flex{Alignment: layout.Middle}.Layout(gtx, children...)
			Fill(gtx, image.Rect(0, d.Size.Y, d.Size.X, d.Size.Y+max(1, gtx.Dp(1))), k.Pal.Line)
			return d
		})
}

// Sided puts the side's badge before w.
func (k *Kit) Sided(gtx layout.Context, side pair.Side, w layout.Widget) layout.Dimensions {
	return layout.Flex{}.Layout(gtx,
		layout.Rigid(func(gtx layout.Context) layout.Dimensions { return k.Badge(gtx, side) }),
		Space(8), Wide(w))
}
