package structure

import (
	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/session"
	"diptych/internal/structure"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
)

// trail leads back out of the code that fills the pane: the nodes around it, from all code on.
type trail struct {
	clicks []widget.Clickable
}

const trailHeight = 26 // dp

// needed reports whether less than all code fills the pane.
func (r *trail) needed(st *session.State) bool { return len(ownOf(st).Zoom) > 0 }

// step is one node of the trail.
type step struct {
	node  int
	label string
}

// steps lists the nodes from all code down to the one that fills the pane. A chain of single
// children is one of them.
func steps(t *structure.Tree, root int) (all []step) {
	for n := root; n > 0; n = int(t.Nodes[n].Parent) {
		start := t.ChainStart(n)
		all = append([]step{{t.ChainEnd(start), t.Label(start)}}, all...)
		n = start
	}
	return append([]step{{0, "all code"}}, all...)
}

func (r *trail) layout(c *view.Context, gtx layout.Context, st *session.State) {
	t := treeIn(st)
	if t == nil {
		return
	}
	all := steps(t, rootOf(t, ownOf(st)))
	for len(r.clicks) < len(all) {
		r.clicks = append(r.clicks, widget.Clickable{})
	}
	var children []layout.FlexChild
	for i, s := range all {
		if r.clicks[i].Clicked(gtx) {
			change(c.S, func(o *Own) { o.Zoom = t.Path(s.node) })
		}
		if i > 0 {
			children = append(children, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return c.Kit.Label(gtx, "›", c.Kit.Caption())
			}))
		}
		children = append(children, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return c.Kit.Button(gtx, &r.clicks[i], s.label, "Show "+s.label, i == len(all)-1)
		}))
	}
	layout.Inset{Left: 12, Right: 12}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		gtx.Constraints.Min.Y = gtx.Constraints.Max.Y
		return layout.Flex{Alignment: layout.Middle}.Layout(gtx, children...)
	})
}

// climbed tells how far above the node under the pointer the focus begins, such as "3 levels up:
// internal/trace", or "" if it is the node itself.
func climbed(levels int, name string) string {
	if levels == 0 {
		return name
	}
	return kit.Plural(levels, "level") + " up: " + name
}
