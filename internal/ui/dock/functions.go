package dock

import (
	"gioui.org/layout"
	"gioui.org/unit"
	"gioui.org/widget"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
)

// functionList lists the functions that the search finds, or all, with calls and time on either
// side.
type functionList struct {
	list widget.List
	rows kit.Clicks[int]
	of   string // what rows are hits of
}

// Layout lays the list out.
func (f *functionList) Layout(c *view.Context, gtx C, st *session.State) D {
	se := &st.Search
	if !st.Any() {
		return c.Kit.Hint(gtx, "Functions are listed once a trace is open.")
	}
	if f.of != se.Query {
		f.of = se.Query
		f.rows.Forget()
	}
	if i, ok := f.rows.Clicked(gtx); ok {
		c.S.Choose(i)
	}
	if len(se.Hits) == 0 {
		return c.Kit.Hint(gtx, "No function's name contains “"+se.Query+"”.")
	}
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
		layout.Rigid(func(gtx C) D { return f.heading(c, gtx, st) }),
		layout.Flexed(1, func(gtx C) D {
			return c.Kit.Rows(gtx, &f.list, len(se.Hits), func(gtx C, i int) D {
				gtx.Constraints.Min.X = gtx.Constraints.Max.X
				return f.row(c, gtx, st, i)
			})
		}))
}

func (f *functionList) heading(c *view.Context, gtx C, st *session.State) D {
	ink := headingInk(c)
	children := []layout.FlexChild{wide(c, kit.Plural(len(st.Search.Hits), "function"), ink)}
	for _, side := range []pair.Side{pair.A, pair.B} {
		if st.Loaded(side) {
			col := ink
			col.Color = c.Kit.Pal.SideText(int(side))
			children = append(children, c.Kit.Cell(unit.Dp(72), side.String(), kit.Right(col)))
		}
	}
	if st.ComparedRuns() != nil {
		children = append(children, c.Kit.Cell(runsWidth, "B / A, all runs", kit.Right(ink)))
	}
	return layout.Inset{Left: 6, Right: 12, Bottom: 2}.Layout(gtx, func(gtx C) D {
		return layout.Flex{Alignment: layout.Middle}.Layout(gtx, children...)
	})
}

// row is one function: its name over calls and time of either side.
func (f *functionList) row(c *view.Context, gtx C, st *session.State, i int) D {
	h, on := &st.Search.Hits[i], st.Search.Hit == i
	return c.Kit.Pressable(gtx, f.rows.Row(i), "Go to "+h.Name, on, func(gtx C) D {
		return layout.Inset{Left: 6, Right: 12, Top: 4, Bottom: 4}.Layout(gtx,
			func(gtx C) D { return f.columns(c, gtx, st, h) })
	})
}

func (f *functionList) columns(c *view.Context, gtx C, st *session.State, h *session.Hit) D {
	children := []layout.FlexChild{kit.Wide(func(gtx C) D {
		name := c.Kit.Text()
		name.Lines = 2
		return c.Kit.Label(gtx, h.Name, name)
	})}
	for _, side := range []pair.Side{pair.A, pair.B} {
		if !st.Loaded(side) {
			continue
		}
		unitName := string(st.Sides[side].Trace.Unit)
		calls, total := "—", ""
		if n := h.Calls[side]; n > 0 {
			calls = kit.Grouped(n) + "×"
			total = geom.FormatValue(float64(h.Total[side]), unitName)
		}
		children = append(children, layout.Rigid(func(gtx C) D {
			return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
				c.Kit.Cell(unit.Dp(72), total, kit.Right(c.Kit.Text())),
				c.Kit.Cell(unit.Dp(72), calls, kit.Right(c.Kit.Caption())))
		}))
	}
	if st.ComparedRuns() != nil {
		children = append(children, ratioCell(c, st, h.Name))
	}
	return layout.Flex{}.Layout(gtx, children...)
}
