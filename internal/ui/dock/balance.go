package dock

import (
	"fmt"
	"image"

	"gioui.org/font"
	"gioui.org/layout"
	"gioui.org/unit"

	"diptych/internal/account/explain"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// Widths of the columns of the balance, dp: a side's time, the change, and the ratio.
const (
	timeWidth  unit.Dp = 62
	deltaWidth unit.Dp = 66
	ratioWidth unit.Dp = 54
)

// balance is where the time of both runs went, how much of the difference is explained, whether the
// tool was told otherwise for one of them, and which packages changed most.
func balance(c *view.Context, gtx C, st *session.State, d *explain.Difference) D {
	lines := []layout.FlexChild{balanceHead(c)}
	for i, q := range d.Quantities() {
		lines = append(lines, quantity(c, d, q, i == 0))
	}
	lines = append(lines, layout.Rigid(layout.Spacer{Height: 8}.Layout),
		layout.Rigid(func(gtx C) D { return explained(c, gtx, d) }))
	if text := d.Balance.Pair.Recorded().String(); text != "" {
		ink := kit.Style{Size: kit.Small, Color: c.Kit.Pal.Warn, Lines: 4}
		lines = append(lines, layout.Rigid(layout.Spacer{Height: 6}.Layout), label(c, text, ink))
	}
	if packages := packageLines(c, st); len(packages) > 0 {
		lines = append(append(lines, layout.Rigid(layout.Spacer{Height: 8}.Layout)), packages...)
	}
	return layout.Inset{Bottom: 8, Left: 4, Right: 6}.Layout(gtx, func(gtx C) D {
		return layout.Flex{Axis: layout.Vertical}.Layout(gtx, lines...)
	})
}

// nameWidth is the room in dp that names of quantities need.
const nameWidth unit.Dp = 52

// balanceLine lays out a line of the table: a name and the columns there is room for, the ratio
// being the first that is left out, and the change the next.
func balanceLine(c *view.Context, gtx C, name string, ink kit.Style, columns [4]string, inks [4]kit.Style) D {
	children, room := []layout.FlexChild{wide(c, name, ink)}, gtx.Constraints.Max.X-gtx.Dp(nameWidth)
	for i, width := range [4]unit.Dp{timeWidth, timeWidth, deltaWidth, ratioWidth} {
		if room -= gtx.Dp(width); room < 0 {
			break
		}
		children = append(children, c.Kit.Cell(width, columns[i], kit.Right(inks[i])))
	}
	return layout.Flex{}.Layout(gtx, children...)
}

// balanceHead heads the columns.
func balanceHead(c *view.Context) layout.FlexChild {
	ink := headingInk(c)
	inks := [4]kit.Style{ink, ink, ink, ink}
	for _, side := range []pair.Side{pair.A, pair.B} {
		inks[side].Color, inks[side].Weight = c.Kit.Pal.SideText(int(side)), font.Bold
	}
	return layout.Rigid(func(gtx C) D {
		unit := words.Worded(words.UnitOf(c.S.State()))
		return balanceLine(c, gtx, unit, ink, [4]string{"A", "B", "B − A", "B : A"}, inks)
	})
}

// quantity is one quantity on both sides.
func quantity(c *view.Context, d *explain.Difference, q explain.Quantity, lead bool) layout.FlexChild {
	ink, name := c.Kit.Text(), c.Kit.Faint()
	if lead {
		ink.Weight = font.Medium
		name = ink
	}
	unit := words.UnitOf(c.S.State())
	a, b := words.Bare(d.Length(q.Ns[pair.A]), unit), words.Bare(d.Length(q.Ns[pair.B]), unit)
	change := words.Bare(d.Signed(q.Ns[pair.B]-q.Ns[pair.A]), unit)
	return layout.Rigid(func(gtx C) D {
		return balanceLine(c, gtx, q.Name, name, [4]string{a, b, change, q.Ratio()},
			[4]kit.Style{ink, ink, ink, ink})
	})
}

// explained says how much of the difference the findings account for, over a thin bar of it.
func explained(c *view.Context, gtx C, d *explain.Difference) D {
	ink := kit.Style{Size: kit.Small, Color: c.Kit.Pal.Text, Weight: font.Medium}
	text, share := d.Equal(), -1.
	if list := d.Explained(); len(list) > 0 {
		text = fmt.Sprintf("explained %d %% of %s", list[0].Percent(), d.Signed(list[0].DeltaNs))
		if list[0].Name == "work" {
			text += " of work"
		}
		share = float64(list[0].Percent()) / 100
	}
	similar := kit.Percent(d.Found.Similarity) + " similar"
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
		layout.Rigid(func(gtx C) D {
			return layout.Flex{}.Layout(gtx, wide(c, text, ink), label(c, similar, c.Kit.Caption()))
		}),
		layout.Rigid(func(gtx C) D {
			if share < 0 {
				return D{}
			}
			return layout.Inset{Top: 4}.Layout(gtx, func(gtx C) D { return shareBar(c, gtx, share) })
		}))
}

// shareBar is a thin bar across the tab, filled by a share.
func shareBar(c *view.Context, gtx C, share float64) D {
	size := image.Pt(gtx.Constraints.Max.X, gtx.Dp(4))
	kit.FillRound(gtx, image.Rectangle{Max: size}, size.Y/2, c.Kit.Pal.Line)
	if w := int(float64(size.X) * min(share, 1)); w > 0 {
		kit.FillRound(gtx, image.Rect(0, 0, max(w, size.Y), size.Y), size.Y/2, c.Kit.Pal.Secondary)
	}
	return D{Size: size}
}
