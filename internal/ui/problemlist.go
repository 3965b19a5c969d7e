package ui

import (
	"gioui.org/font"
	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/words"
)

// problemList tells why a file could not be read and what was repaired in those that were.
type problemList struct {
	list    widget.List
	dismiss [2]widget.Clickable
}

func (p *problemList) layout(a *App, gtx layout.Context, st *session.State) layout.Dimensions {
	for i := range p.dismiss {
		if p.dismiss[i].Clicked(gtx) {
			a.S.Dismiss(pair.Side(i))
		}
	}
	var rows []layout.Widget
	for _, side := range []pair.Side{pair.A, pair.B} {
		sd := &st.Sides[side]
		if sd.Err != nil {
			rows = append(rows, p.failure(a, side, sd.Err))
		}
		if sd.Trace == nil {
			continue
		}
		for _, d := range sd.Trace.Diagnostics {
			rows = append(rows, p.diagnostic(a, side, d))
		}
	}
	if len(rows) == 0 {
		return a.kit.Hint(gtx, "Nothing was wrong with the files.")
	}
	return a.kit.Rows(gtx, &p.list, len(rows), func(gtx layout.Context, i int) layout.Dimensions {
		return layout.Inset{Bottom: 14, Right: 10}.Layout(gtx, rows[i])
	})
}

func (p *problemList) failure(a *App, side pair.Side, err error) layout.Widget {
	return func(gtx layout.Context) layout.Dimensions {
		ink := kit.Style{Size: kit.Normal, Color: a.kit.Pal.Error, Lines: 8}
		return a.kit.Sided(gtx, side, func(gtx layout.Context) layout.Dimensions {
			return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
				layout.Rigid(func(gtx layout.Context) layout.Dimensions {
					return a.kit.Label(gtx, err.Error(), ink)
				}),
				layout.Rigid(func(gtx layout.Context) layout.Dimensions {
					return a.kit.Button(gtx, &p.dismiss[side], "dismiss", "Dismiss the error", false)
				}))
		})
	}
}

func (p *problemList) diagnostic(a *App, side pair.Side, d trace.Diagnostic) layout.Widget {
	return func(gtx layout.Context) layout.Dimensions {
		return a.kit.Sided(gtx, side, func(gtx layout.Context) layout.Dimensions {
			line := func(s string, st kit.Style) layout.FlexChild {
				return layout.Rigid(func(gtx layout.Context) layout.Dimensions {
					return a.kit.Label(gtx, s, st)
				})
			}
			what := a.kit.Text()
			what.Lines = 3
			return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
				line(kit.Grouped(int(d.Count))+" × "+string(d.Code),
					kit.Style{Size: kit.Normal, Color: a.kit.Pal.Warn, Weight: font.Medium}),
				line(words.Meaning[d.Code], what),
				line(d.Example, kit.Style{Size: kit.Small, Color: a.kit.Pal.Secondary, Mono: true, Lines: 4}))
		})
	}
}
