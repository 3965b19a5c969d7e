package dock

import (
	"gioui.org/font"
	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/pair"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
)

// listed lets a list of n rows take the rest of a tab. Rows are as wide as the scroll bar leaves.
func listed(c *view.Context, l *widget.List, n int, row func(gtx C, i int) D) layout.FlexChild {
	return layout.Flexed(1, func(gtx C) D {
		return c.Kit.Rows(gtx, l, n, func(gtx C, i int) D {
			gtx.Constraints.Max.X -= gtx.Dp(10) // the scroll bar's
			gtx.Constraints.Min.X = gtx.Constraints.Max.X
			return row(gtx, i)
		})
	})
}

// label is a text in a row or a column.
func label(c *view.Context, text string, ink kit.Style) layout.FlexChild {
	return layout.Rigid(func(gtx C) D { return c.Kit.Label(gtx, text, ink) })
}

// wide is a text that takes the rest of a row.
func wide(c *view.Context, text string, ink kit.Style) layout.FlexChild {
	return kit.Wide(func(gtx C) D { return c.Kit.Label(gtx, text, ink) })
}

// badge is the letter of a side in a row.
func badge(c *view.Context, side pair.Side) layout.FlexChild {
	return layout.Rigid(func(gtx C) D { return c.Kit.Badge(gtx, side) })
}

// headingInk is what the line above a list is written in.
func headingInk(c *view.Context) kit.Style {
	return kit.Style{Size: kit.Small, Color: c.Kit.Pal.Secondary, Weight: font.Medium}
}
