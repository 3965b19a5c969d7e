package aggregate

import (
	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/session"
	"diptych/internal/ui/view"
)

// trail leads back out of the aggregates that were zoomed into.
type trail struct {
	clicks []widget.Clickable
}

const trailHeight = 28 // dp

func (r *trail) layout(c *view.Context, gtx layout.Context, st *session.State) {
	labels := []string{"all resources"}
	for _, s := range ownOf(st).Zoom {
		labels = append(labels, s.Label)
	}
	for len(r.clicks) < len(labels) {
		r.clicks = append(r.clicks, widget.Clickable{})
	}
	var children []layout.FlexChild
	for i, label := range labels {
		if r.clicks[i].Clicked(gtx) {
			zoomOut(c.S, i)
		}
		if i > 0 {
			children = append(children, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return c.Kit.Label(gtx, "›", c.Kit.Caption())
			}))
		}
		children = append(children, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			gtx.Constraints.Max.X = min(gtx.Constraints.Max.X, gtx.Dp(260))
			return c.Kit.Button(gtx, &r.clicks[i], label, "Show "+label, i == len(labels)-1)
		}))
	}
	layout.Inset{Left: 12, Right: 12}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		gtx.Constraints.Min.Y = gtx.Constraints.Max.Y
		return layout.Flex{Alignment: layout.Middle}.Layout(gtx, children...)
	})
}
