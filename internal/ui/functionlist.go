package ui

import (
	"gioui.org/font"
	"gioui.org/layout"
	"gioui.org/unit"
	"gioui.org/widget"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
)

// functionList lists the functions that the search finds, or all, with calls and time on either
// side.
type functionList struct {
	list widget.List
	rows map[int]*widget.Clickable
	of   string
}

func (f *functionList) layout(a *App, gtx layout.Context, st *session.State) layout.Dimensions {
	se := &st.Search
	if !st.Any() {
		return a.kit.Hint(gtx, "Functions are listed once a trace is open.")
	}
	if f.rows == nil || f.of != se.Query {
		f.rows, f.of = map[int]*widget.Clickable{}, se.Query
	}
	for i, c := range f.rows {
		if c.Clicked(gtx) {
			a.S.Choose(i)
		}
	}
	if len(se.Hits) == 0 {
		return a.kit.Hint(gtx, "No function's name contains “"+se.Query+"”.")
	}
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
		layout.Rigid(func(gtx layout.Context) layout.Dimensions { return f.heading(a, gtx, st) }),
		layout.Flexed(1, func(gtx layout.Context) layout.Dimensions {
			return a.kit.Rows(gtx, &f.list, len(se.Hits), func(gtx layout.Context, i int) layout.Dimensions {
				gtx.Constraints.Min.X = gtx.Constraints.Max.X
				return f.row(a, gtx, st, i)
			})
		}))
}

func (f *functionList) heading(a *App, gtx layout.Context, st *session.State) layout.Dimensions {
	ink := kit.Style{Size: kit.Small, Color: a.kit.Pal.Secondary, Weight: font.Medium}
	children := []layout.FlexChild{kit.Wide(func(gtx layout.Context) layout.Dimensions {
		return a.kit.Label(gtx, kit.Plural(len(st.Search.Hits), "function"), ink)
	})}
	for _, side := range []pair.Side{pair.A, pair.B} {
		if st.Loaded(side) {
			col := ink
			col.Color = a.kit.Pal.Side(int(side))
			children = append(children, a.kit.Cell(unit.Dp(72), side.String(), kit.Right(col)))
		}
	}
	return layout.Inset{Left: 6, Right: 12, Bottom: 2}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		return layout.Flex{Alignment: layout.Middle}.Layout(gtx, children...)
	})
}

// row is one function: its name over calls and time of either side.
func (f *functionList) row(a *App, gtx layout.Context, st *session.State, i int) layout.Dimensions {
	c := f.rows[i]
	if c == nil {
		c = &widget.Clickable{}
		f.rows[i] = c
	}
	h := &st.Search.Hits[i]
	return a.kit.Pressable(gtx, c, "Go to "+h.Name, st.Search.Hit == i, func(gtx layout.Context) layout.Dimensions {
		return layout.Inset{Left: 6, Right: 12, Top: 4, Bottom: 4}.Layout(gtx,
			func(gtx layout.Context) layout.Dimensions { return f.columns(a, gtx, st, h) })
	})
}

func (f *functionList) columns(a *App, gtx layout.Context, st *session.State, h *session.Hit) layout.Dimensions {
	children := []layout.FlexChild{kit.Wide(func(gtx layout.Context) layout.Dimensions {
		name := a.kit.Text()
		name.Lines = 2
		return a.kit.Label(gtx, h.Name, name)
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
		children = append(children, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
				a.kit.Cell(unit.Dp(72), total, kit.Right(a.kit.Text())),
				a.kit.Cell(unit.Dp(72), calls, kit.Right(a.kit.Caption())))
		}))
	}
	return layout.Flex{}.Layout(gtx, children...)
}
