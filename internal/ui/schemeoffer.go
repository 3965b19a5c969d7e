package ui

import (
	"image"

	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/session"
	"diptych/internal/ui/kit"
)

// schemeOffer asks, when the program runs for the first time, which colours the user can tell
// apart: a quiet line on the empty window, or in the status line beside a pair. It is not asked
// again; the palette of commands changes the colours at any time.
type schemeOffer struct {
	open   bool
	clicks [2]widget.Clickable // the usual colours, and those for colour-blind eyes
}

// schemeChoices are the answers, and their names for assistive tools.
var schemeChoices = [2]struct{ label, name string }{
	{"usual", "Usual colours"},
	{"for colour-blind eyes", "Colours for colour-blind eyes"},
}

// update takes the answer. A scheme that was chosen in another way is one, too.
func (o *schemeOffer) update(a *App, gtx layout.Context, st *session.State) {
	for i := range o.clicks {
		if o.clicks[i].Clicked(gtx) {
			a.S.SetStyle(func(x *session.Style) { x.ColourBlind = i == 1 })
			o.open = false
		}
	}
	if st.Style.ColourBlind {
		o.open = false
	}
}

// layout lays out the question in a line.
func (o *schemeOffer) layout(a *App, gtx layout.Context) layout.Dimensions {
	children := []layout.FlexChild{layout.Rigid(func(gtx layout.Context) layout.Dimensions {
		return a.kit.Label(gtx, "Colours:", a.kit.Faint())
	})}
	for i, x := range schemeChoices {
		children = append(children, kit.Space(4), layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.kit.Pressable(gtx, &o.clicks[i], x.name, false, func(gtx layout.Context) layout.Dimensions {
				return layout.Inset{Left: 7, Right: 8, Top: 4, Bottom: 4}.Layout(gtx,
					func(gtx layout.Context) layout.Dimensions {
						return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
							layout.Rigid(func(gtx layout.Context) layout.Dimensions {
								return schemeSwatch(a.kit, gtx, i == 1)
							}),
							kit.Space(6),
							layout.Rigid(func(gtx layout.Context) layout.Dimensions {
								return a.kit.Label(gtx, x.label, a.kit.Text())
							}))
					})
			})
		}))
	}
	return layout.Flex{Alignment: layout.Middle}.Layout(gtx, children...)
}

// schemeSwatch shows the colours of a scheme that say how far apart in time two calls are, from
// earlier to later.
func schemeSwatch(k *kit.Kit, gtx layout.Context, colourBlind bool) layout.Dimensions {
	const steps = 5
	wide, high := gtx.Dp(10), gtx.Dp(12)
	for i := range steps {
		shift := float32(2*i)/(steps-1) - 1
		kit.Fill(gtx, image.Rect(i*wide, 0, (i+1)*wide, high), k.Scheme(colourBlind).Turn(shift))
	}
	return layout.Dimensions{Size: image.Pt(steps*wide, high)}
}
