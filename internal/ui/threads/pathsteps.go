package threads

import (
	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// pathSteps walk along the critical path of each side, stretch by stretch.
type pathSteps struct {
	back, on [2]widget.Clickable
}

// update takes clicks.
func (p *pathSteps) update(c *view.Context, gtx layout.Context) {
	for side := range p.back {
		if p.back[side].Clicked(gtx) {
			c.S.SetView(session.Threads)
			c.S.StepPath(pair.Side(side), -1)
		}
		if p.on[side].Clicked(gtx) {
			c.S.SetView(session.Threads)
			c.S.StepPath(pair.Side(side), +1)
		}
	}
}

// lines are a line for each side: the buttons, and which stretch is shown.
func (p *pathSteps) lines(c *view.Context, st *session.State) (lines []layout.FlexChild) {
	for _, side := range []pair.Side{pair.A, pair.B} {
		if path := st.CriticalPath(side); path != nil && len(path.Segments) > 0 {
			text := words.Stretches(st.WaitsOf(side), path)
			if k := st.Stretch(side); k >= 0 {
				text = words.StretchText(st.WaitsOf(side), path, k)
			}
			lines = append(lines, p.line(c, side, side.String()+"  "+text))
		}
	}
	return lines
}

func (p *pathSteps) line(c *view.Context, side pair.Side, text string) layout.FlexChild {
	button := func(of *widget.Clickable, label, name string) layout.FlexChild {
		return layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return c.Kit.Button(gtx, of, label, name+" on the critical path of "+side.String(), false)
		})
	}
	return layout.Rigid(func(gtx layout.Context) layout.Dimensions {
		return layout.Inset{Top: 3}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
			return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
				button(&p.back[side], "‹", "Earlier"), kit.Space(2),
				button(&p.on[side], "›", "Later"), kit.Space(6),
				kit.Wide(func(gtx layout.Context) layout.Dimensions {
					ink := c.Kit.Caption()
					ink.Lines = 3
					return c.Kit.Label(gtx, text, ink)
				}))
		})
	})
}
