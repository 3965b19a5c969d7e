package ui

import (
	"image"

	"gioui.org/font"
	"gioui.org/layout"
	"gioui.org/unit"
	"gioui.org/widget"

	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/words"
)

// loadingPanel stands in for the dock until a trace is there: it tells how far loading has come on
// either side, and lets it be cancelled.
type loadingPanel struct {
	cancel [2]widget.Clickable
}

func (l *loadingPanel) layout(a *App, gtx layout.Context, st *session.State) layout.Dimensions {
	children := []layout.FlexChild{
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.kit.Label(gtx, "Loading", kit.Style{Size: kit.Large, Color: a.kit.Pal.Text, Weight: font.Medium})
		}),
		layout.Rigid(layout.Spacer{Height: 14}.Layout),
	}
	for _, side := range []pair.Side{pair.A, pair.B} {
		j := a.S.Loading(side)
		if j == nil {
			continue
		}
		if l.cancel[side].Clicked(gtx) {
			a.S.Cancel(j)
			continue
		}
		children = append(children, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return l.side(a, gtx, side, j, st.Sides[side].Growing)
		}), layout.Rigid(layout.Spacer{Height: 20}.Layout))
	}
	return layout.UniformInset(14).Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		gtx.Constraints.Min = image.Point{}
		return layout.Flex{Axis: layout.Vertical}.Layout(gtx, children...)
	})
}

// side names the trace that is being loaded, with a bar below and how much of it there is.
func (l *loadingPanel) side(a *App, gtx layout.Context, side pair.Side, j *session.Job,
	g *session.Growing) layout.Dimensions {
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
				layout.Rigid(func(gtx layout.Context) layout.Dimensions { return a.kit.Badge(gtx, side) }),
				kit.Space(8),
				kit.Wide(func(gtx layout.Context) layout.Dimensions { return a.kit.Label(gtx, j.Title(), a.kit.Text()) }),
				layout.Rigid(func(gtx layout.Context) layout.Dimensions {
					return a.kit.Button(gtx, &l.cancel[side], "cancel", "Cancel loading "+side.String(), false)
				}))
		}),
		layout.Rigid(layout.Spacer{Height: 6}.Layout),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			width := float32(gtx.Constraints.Max.X) / a.kit.Px(1)
			return a.kit.Progress(gtx, j.Progress(), unit.Dp(width))
		}),
		layout.Rigid(layout.Spacer{Height: 6}.Layout),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.kit.Label(gtx, words.Reading(g), a.kit.Faint())
		}))
}
