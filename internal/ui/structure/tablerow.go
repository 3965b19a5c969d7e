package structure

import (
	"image"

	"gioui.org/f32"
	"gioui.org/font"
	"gioui.org/layout"
	"gioui.org/unit"

	"diptych/internal/geom"
	"diptych/internal/session"
	"diptych/internal/structure"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// How far each level of the table is indented, and the width of what opens a line, in dp.
const (
	indent    unit.Dp = 12
	mostDepth         = 8 // levels that are indented further than those above
	foldWidth unit.Dp = 16
)

// Signs of a line that can be opened, and of one that is open.
var (
	closedSign = kit.Icon{{f32.Pt(6, 4), f32.Pt(10, 8), f32.Pt(6, 12)}}
	openSign   = kit.Icon{{f32.Pt(4, 6), f32.Pt(8, 10), f32.Pt(12, 6)}}
)

// row lays out a line: what opens it, its name, and the quantities.
func (l *Table) row(c *view.Context, gtx layout.Context, st *session.State, t *structure.Tree,
	x *line, lit bool) layout.Dimensions {
	name := t.FullName(t.ChainEnd(x.node))
	on := l.chosen > 0 && t.ChainStart(l.chosen) == x.node
	return layout.Flex{Alignment: layout.Start}.Layout(gtx,
		kit.Space(indent*unit.Dp(min(x.depth, mostDepth))),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions { return l.fold(c, gtx, x, name) }),
		kit.Wide(func(gtx layout.Context) layout.Dimensions {
			return c.Kit.Pressable(gtx, l.clicks.Row(x.node), "Show code "+name, on,
				func(gtx layout.Context) layout.Dimensions {
					return layout.Inset{Left: 2, Right: 6, Top: 4, Bottom: 4}.Layout(gtx,
						func(gtx layout.Context) layout.Dimensions {
							cells := append([]layout.FlexChild{l.names(c, t, x, lit)},
								l.values(c, st, t, x)...)
							return layout.Flex{Alignment: layout.Start}.Layout(gtx, cells...)
						})
				})
		}))
}

// fold is what opens and folds a line.
func (l *Table) fold(c *view.Context, gtx layout.Context, x *line, name string) layout.Dimensions {
	size := image.Pt(gtx.Dp(foldWidth), gtx.Dp(24))
	if x.leaf {
		return layout.Dimensions{Size: size}
	}
	sign, label := closedSign, "Open "+name
	if x.open {
		sign, label = openSign, "Fold "+name
	}
	return c.Kit.Pressable(gtx, l.folds.Row(x.node), label, false,
		func(gtx layout.Context) layout.Dimensions {
			layout.Inset{Top: 4}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
				return sign.Draw(gtx, c.Kit.Pal.Secondary)
			})
			return layout.Dimensions{Size: size}
		})
}

// names are the name of a line, and how much it holds.
func (l *Table) names(c *view.Context, t *structure.Tree, x *line, lit bool) layout.FlexChild {
	ink, note := c.Kit.Text(), ""
	if !x.leaf {
		ink.Weight = font.Medium
		note = kit.Plural(int(t.Nodes[x.node].Functions), "function")
	} else if t.Nodes[x.node].Lines > 0 {
		note = kit.Plural(int(t.Nodes[x.node].Lines), "line")
	}
	if lit {
		ink.Color = c.Kit.Pal.AText
	}
	return kit.Wide(func(gtx layout.Context) layout.Dimensions {
		return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return c.Kit.Label(gtx, labelOf(t, x.node), ink)
			}),
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return c.Kit.Label(gtx, note, c.Kit.Caption())
			}))
	})
}

// labelOf names a line. Some traces have calls without a name.
func labelOf(t *structure.Tree, node int) string {
	if name := t.Label(node); name != "" {
		return name
	}
	return "(no name)"
}

// values are the quantities of a line: of each side with the number of calls below, if that is
// known, and the change with a bar below that is as long as the change is large.
func (l *Table) values(c *view.Context, st *session.State, t *structure.Tree, x *line) []layout.FlexChild {
	m, unit := measures[l.rows.of.measure], words.UnitOf(st)
	text := func(v int64) string {
		if m == structure.ByCalls {
			return kit.Grouped(int(v))
		}
		return words.Bare(geom.FormatValue(float64(v), unit), unit)
	}
	var out []layout.FlexChild
	for _, side := range l.sides {
		value, times := "–", ""
		if v, ok := t.Value(m, side, x.node); ok {
			value = text(v)
			n, called := t.Value(structure.ByCalls, side, x.node)
			if called && m != structure.ByCalls && t.CallNoun() == "call" {
				times = kit.Grouped(int(n)) + " ×"
			}
		}
		out = append(out, c.Kit.Value(value, times, c.Kit.Text()))
	}
	if len(sidesOf(t)) < 2 {
		return out
	}
	if d, ok := t.Change(m, x.node); ok {
		out = append(out, l.delta(c, d, text))
	} else {
		out = append(out, c.Kit.Value("", "", c.Kit.Text()))
	}
	return out
}

// delta is a change and its bar.
func (l *Table) delta(c *view.Context, d int64, text func(int64) string) layout.FlexChild {
	ink, value := c.Kit.Text(), "0"
	switch {
	case d > 0:
		ink.Color, value = c.Kit.Pal.Past, "+"+text(d)
	case d < 0:
		ink.Color, value = c.Kit.Pal.Future, "−"+text(-d)
	}
	return layout.Rigid(func(gtx layout.Context) layout.Dimensions {
		w := gtx.Dp(kit.ValueWidth)
		gtx.Constraints.Min.X, gtx.Constraints.Max.X = w, w
		dims := c.Kit.Label(gtx, value, kit.Right(ink))
		if long := int(float64(w) * .8 * float64(kit.Abs(d)) / float64(max(l.rows.most, 1))); long > 0 {
			y := dims.Size.Y + gtx.Dp(3)
			kit.Fill(gtx, image.Rect(w-long, y, w, y+gtx.Dp(3)), ink.Color)
		}
		return layout.Dimensions{Size: image.Pt(w, dims.Size.Y+gtx.Dp(8))}
	})
}
